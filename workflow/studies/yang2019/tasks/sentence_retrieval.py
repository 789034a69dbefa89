"""Sentence retrieval: which sentences find a translation among all of the other side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import PositiveInt

from tandem.search.neighbours import IndexKind
from tandem.tasks.task import Encodes, Items, Task
from yang2019.parts import ranks, texts

if TYPE_CHECKING:
    from tandem.plan import Plan
    from tandem.statistics.correlation import FloatArray


class SentenceRetrieval(Task):
    """P@N of the search from English (forward) and into English (backward), section 5.1.

    Items: `forward` and `backward`, the place of the first right answer of each different sentence
    (0: not among the first that count); `positive`, the cosine of each pair of translations;
    `negative`, of each English sentence whose first answer is right, the cosine of the nearest
    that is not (section 5.4), NaN for others; `targets`, the different sentences on either side.
    """

    metric: ClassVar[str] = "p_at_n_x100"

    counts: list[PositiveInt] = [1, 3, 10]
    """The N of P@N."""
    index: IndexKind = IndexKind.EXACT
    """How neighbours are looked for; the paper's search is approximate."""
    memory_mb: PositiveInt = 2048
    """Most memory of the process while it searches, in MiB."""

    def inputs(self, plan: Plan, experiment: str) -> dict[str, str]:
        """Name the text in the experiment's language."""
        return {"searched": texts.path_of(plan, texts.language_of(plan, experiment))}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Search both ways; `data` has `searched`, a file as `yang2019.parts.texts` describes."""
        from tandem.search.neighbours import search
        from yang2019.parts import vectors

        path = Path(data["searched"])
        text = texts.read(path)
        # one more than counts: of several right answers, another may come before a wrong one
        most = max(self.counts) + 1
        with TemporaryDirectory(prefix="tandem-search-") as scratch:
            files = [Path(scratch) / f"{side}.npy" for side in ("english", "other")]
            english = vectors.encode(encoder, text.english, "en", files[0])
            other = vectors.encode(encoder, text.other, path.stem, files[1])
            positive = vectors.cosines(english, other, *text.pairs.T)
            memory = self.memory_mb << 20
            found = search(*files, most, index=self.index, memory_bytes=memory)
        hits = ranks.right(found.forward.indices, text.pairs, len(text.other))
        wrong = np.where(hits, -np.inf, found.forward.scores).max(1)
        first = hits[:, 0] & np.isfinite(wrong)
        back = ranks.right(found.backward.indices, text.pairs[:, ::-1], len(text.english))
        return {
            "forward": ranks.ranks(hits),
            "backward": ranks.ranks(back),
            "positive": positive,
            "negative": np.where(first, wrong, np.nan).astype(np.float32),
            "targets": np.array([len(text.english), len(text.other)], np.int64),
        }

    def units(self, items: Items) -> list[str]:
        """Return the directions with each N."""
        return [f"{way}.{n}" for way in ("forward", "backward") for n in self.counts]

    def estimate(self, items: Items, unit: str) -> float:
        """Return P@N x 100 of one direction."""
        return ranks.estimate(items, unit)

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap; see `ranks.draws`."""
        return ranks.draws(systems, unit, resamples, seed)

    def count(self, items: Items, unit: str) -> int:
        """Count the sentences that are looked for."""
        return len(items[ranks.split(unit)[0]])

    def details(self, items: Items) -> dict[str, Any]:
        """Return the mean cosines of translations and of the nearest others, and the sizes."""
        wrong = items["negative"][np.isfinite(items["negative"])]
        return {
            "positive": round(float(items["positive"].mean()), 6),
            "negative": round(float(wrong.mean()), 6) if len(wrong) else None,
            "pairs": len(items["positive"]),
            "english": int(items["targets"][0]),
            "other": int(items["targets"][1]),
        }
