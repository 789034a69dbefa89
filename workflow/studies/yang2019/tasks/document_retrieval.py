"""Document retrieval: which documents find their translation by the mean of sentence vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import PositiveInt

from tandem.tasks.task import Encodes, Items, Task
from yang2019.parts import ranks, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.plan import Plan
    from tandem.statistics.correlation import FloatArray


class DocumentRetrieval(Task):
    """P@1 of documents among all of the other side (section 5.3).

    Items: `forward` and `backward`, the place of each document's translation in its list (0: not
    among the first that count).
    """

    metric: ClassVar[str] = "p_at_n_x100"

    counts: list[PositiveInt] = [1]
    """The N of P@N."""
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
        sides = []
        with TemporaryDirectory(prefix="tandem-search-") as scratch:
            for column, (sentences, language) in enumerate(
                ((text.english, "en"), (text.other, path.stem)), start=1
            ):
                file = Path(scratch) / f"{language}.npy"
                rows = vectors.encode(encoder, sentences, language, file)
                sides.append(means(rows, text.places[:, [0, column]], len(text.documents)))
        lists = search(*sides, max(self.counts), memory_bytes=self.memory_mb << 20)
        own = np.tile(np.arange(len(text.documents))[:, None], 2)
        hits = (ranks.right(found.indices, own, len(own)) for found in lists)
        return dict(zip(("forward", "backward"), map(ranks.ranks, hits), strict=True))

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
        """Count the documents."""
        return len(items[ranks.split(unit)[0]])


def means(
    vectors: np.ndarray, places: NDArray[np.int64], documents: int
) -> NDArray[np.float32]:
    """Return the mean of the vectors of each document's sentences, (documents, dimension).

    `places`, (lines, 2), are the document and the sentence of each line, in any order.
    """
    sums = np.zeros((documents, vectors.shape[1]))
    sizes = np.bincount(places[:, 0], minlength=documents)
    for start in range(0, len(places), 4096):
        document, sentence = places[start : start + 4096].T
        np.add.at(sums, document, vectors[sentence])
    return (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
