"""Which sentences, or documents, find a translation among all of the other side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import PositiveInt

from tandem.search.neighbours import IndexKind
from tandem.tasks.groups import GROUPS, group_count
from tandem.tasks.task import Encodes, Items, Places, Task, device_of
from yang2019.methods import ranks, texts, vectors

if TYPE_CHECKING:
    from tandem.search.neighbours import Neighbours
    from tandem.statistics.correlation import FloatArray

WAYS = ("forward", "backward")


class TranslationSearch(Task):
    """P@N of the search from English (forward) and into English (backward).

    Items: `forward` and `backward`, the place of the first right answer of each different sentence,
    or document (0: not among the first that count), and the groups of either, which translations
    link; see `ranks.linked`. Of sentences also: `positive`, the cosine of each pair of
    translations; `negative`, for each English sentence whose first answer is right, the cosine of
    its nearest wrong one (section 5.4), NaN for others; `targets`, the numbers of different
    sentences on either side.
    """

    metric: ClassVar[str] = "p_at_n_x100"

    documents: bool = False
    """Search documents, by the means of their sentences' vectors (section 5.3), instead of
    sentences (section 5.1)."""
    counts: list[PositiveInt] = [1, 3, 10]
    """The N of P@N."""
    index: IndexKind = IndexKind.EXACT
    """How neighbours are looked for; the paper's search is approximate."""
    memory_mb: PositiveInt = 2048
    """Most memory of the process while it searches, in MiB."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the text in the experiment's language."""
        return {"searched": texts.path_of(plan, texts.language_beside_english(plan, experiment))}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Search both ways; `data` has `searched`, a file as `yang2019.methods.texts` describes."""
        from tandem.tasks.vectors import vectors_on_disk

        path = Path(data["searched"])
        text = texts.read(path)
        both = ("en", text.english), (path.stem, text.other)
        with vectors_on_disk(encoder, *both) as files:
            english, other = (np.load(file, mmap_mode="r") for file in files)
            if not self.documents:
                return self._sentences(text, english, other, files, device_of(encoder))
            lines = (text.places[:, [0, column]] for column in (1, 2))
            sides = [vectors.means(rows, of_side, len(text.documents))
                     for rows, of_side in zip((english, other), lines, strict=True)]  # fmt: skip
        near = self._search(sides[0], sides[1], max(self.counts), device_of(encoder))
        pairs = np.tile(np.arange(len(text.documents))[:, None], 2)
        hits = (ranks.right(lists.indices, pairs, len(pairs)) for lists in near)
        items: Items = dict(zip(WAYS, map(ranks.ranks, hits), strict=True))
        return items | {f"{way}{GROUPS}": pairs[:, 0] for way in WAYS}

    def _sentences(
        self,
        text: texts.Searched,
        english: np.ndarray,
        other: np.ndarray,
        files: list[Path],
        device: str,
    ) -> Items:
        # one more than is counted: a wrong answer may come after several right ones
        near = self._search(files[0], files[1], max(self.counts) + 1, device)
        hits = ranks.right(near.forward.indices, text.pairs, len(text.other))
        wrong = np.where(hits, -np.inf, near.forward.scores).max(1)
        first = hits[:, 0] & np.isfinite(wrong)
        back = ranks.right(near.backward.indices, text.pairs[:, ::-1], len(text.english))
        groups = ranks.linked(text.pairs, len(text.english))
        return {
            "forward": ranks.ranks(hits),
            "backward": ranks.ranks(back),
            **dict(zip((f"{way}{GROUPS}" for way in WAYS), groups, strict=True)),
            "positive": vectors.cosines(english, other, *text.pairs.T),
            "negative": np.where(first, wrong, np.nan).astype(np.float32),
            "targets": np.array([len(text.english), len(text.other)], np.int64),
        }

    def _search(
        self, source: np.ndarray | Path, target: np.ndarray | Path, k: int, device: str
    ) -> Neighbours:
        from tandem.search.neighbours import search

        memory = self.memory_mb << 20
        return search(source, target, k, index=self.index, memory_bytes=memory, device=device)

    def units(self, items: Items) -> list[str]:
        """Return the directions with each N."""
        return [f"{way}.{n}" for way in WAYS for n in self.counts]

    def estimate(self, items: Items, unit: str) -> float:
        """Return P@N x 100 of one direction."""
        return ranks.estimate(items, unit)

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap; see `ranks.draws`."""
        return ranks.draws(systems, unit, resamples, seed)

    def count(self, items: Items, unit: str) -> int:
        """Count the groups of sentences, or documents: what is drawn of them is independent."""
        return group_count(items, [ranks.split(unit)[0]])

    def details(self, items: Items) -> dict[str, Any]:
        """Return the mean cosines of translations and of the nearest others, and the sizes."""
        if self.documents:
            return {}
        wrong = items["negative"][np.isfinite(items["negative"])]
        return {
            "positive": round(float(items["positive"].mean()), 6),
            "negative": round(float(wrong.mean()), 6) if len(wrong) else None,
            "pairs": len(items["positive"]),
            "english": int(items["targets"][0]),
            "other": int(items["targets"][1]),
        }
