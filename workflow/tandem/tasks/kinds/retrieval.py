"""Retrieval: which held-out sentences of a bitext find their translation first among all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import PositiveInt

from tandem.corpora.collection import read_parts
from tandem.corpora.register import Code
from tandem.errors import InputError, TandemError
from tandem.files.io import read_lines
from tandem.tasks.task import MEAN, Encodes, Items, Places, Task, device_of, knows

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray


class BitextRetrieval(Task):
    """P@1 in both directions (yang2019, section 5.1).

    Items: `<side>-<other side>`, which sentences of the first find their translation in the second,
    bool (n,). For a collection, `<source>.<side>-<other side>` for each part of two languages that
    the encoder knows; the figure `<source>.mean` averages all of a source, both ways.
    """

    metric: ClassVar[str] = "p_at_1_x100"

    corpus: str | None = None
    """What is searched; null: the corpus that the experiment was trained on."""
    split: str = "test"
    """Which split of it."""
    most: PositiveInt | None = None
    """Of a collection, how many sentences of a part are searched, the first ones; null: all."""
    least: PositiveInt = 100
    """Of a collection, the fewest sentences of a part that are searched."""
    languages: tuple[Code, ...] | None = None
    """Of a collection, the languages beside its pivot that are searched; null: all."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the folder of the corpus."""
        return {"corpus": plan.path("corpora", self.corpus or plan.setting(experiment).corpus)}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Search either side of the split for the translations of the other.

        `data` has `corpus`, a folder with `<split>.<side>` for two sides.
        """
        if (Path(data["corpus"]) / "collection.json").is_file():
            return self._of_parts(encoder, Path(data["corpus"]))
        # files with a second ending, such as the translations' scores, are no text
        paths = Path(data["corpus"]).glob(f"{self.split}.*")
        files = {path.suffix[1:]: path for path in paths if path.name.count(".") == 1}
        if len(files) != 2:
            problem = f"{len(files)} files {self.split}.<language>, not 2"
            raise InputError(data["corpus"], None, problem, "Build the corpus again")
        # English first, as in the papers
        left, right = sides = sorted(files, key=lambda side: (side != "en", side))
        vectors = [encoder.encode(read_lines(files[side]), language=side) for side in sides]
        forward, backward = first_hits(*vectors, device=device_of(encoder))
        return {f"{left}-{right}": forward, f"{right}-{left}": backward}

    def _of_parts(self, encoder: Encodes, folder: Path) -> Items:
        """Search every part of a collection for the translations of its sentences."""
        items: Items = {}
        for part, sizes in read_parts(folder).items():
            sides, most = (part.left, part.right), self.most
            covered = all(knows(encoder, side) for side in sides)
            asked = self.languages is None or part.right in self.languages
            few = sizes[self.split] < self.least
            if part.monolingual or not covered or not asked or few:
                continue
            lines = islice(read_lines(part.path(folder, self.split)), most)
            texts = zip(*(line.split("\t")[1:] for line in lines), strict=True)
            vectors = [encoder.encode(text, side) for text, side in zip(texts, sides, strict=True)]
            forward, backward = first_hits(*vectors, device=device_of(encoder))
            items[f"{part.source}.{part.left}-{part.right}"] = forward
            items[f"{part.source}.{part.right}-{part.left}"] = backward
        if not items:
            raise TandemError(f"{folder}: no part of the encoder's languages is large enough")
        return items

    def units(self, items: Items) -> list[str]:
        """Return the directions, and the means of a collection's sources."""
        sources = dict.fromkeys(direction.rpartition(".")[0] for direction in items)
        return [*items, *(f"{source}.{MEAN}" for source in sources if source)]

    def estimate(self, items: Items, unit: str) -> float:
        """Return P@1 x 100 of one direction, or the mean of those of a source."""
        return 100 * float(np.mean([items[name].mean() for name in _directions(items, unit)]))

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap a unit, resampling sentences: (systems, resamples), x 100.

        Directions with the same number of sentences get the same resamples: of one text in many
        languages the same sentences are drawn.
        """
        names = _directions(systems[0], unit)
        if any(_directions(system, unit) != names for system in systems):
            raise TandemError("the systems to compare searched different texts. Score them again")
        return np.mean([_draws(systems, name, resamples, seed) for name in names], axis=0)

    def count(self, items: Items, unit: str) -> int:
        """Count the sentences behind a unit, each way."""
        return sum(len(items[name]) for name in _directions(items, unit))


def _directions(items: Items, unit: str) -> list[str]:
    """Name the directions that a unit averages."""
    source, _, name = unit.rpartition(".")
    if name != MEAN:
        return [unit]
    return [direction for direction in items if direction.rpartition(".")[0] == source]


def _draws(systems: Sequence[Items], name: str, resamples: int, seed: int) -> FloatArray:
    """Bootstrap one direction, as `BitextRetrieval.draws`."""
    sizes = {len(system[name]) for system in systems}
    if len(sizes) > 1:
        raise TandemError("the systems to compare searched different texts. Score them again")
    table = np.stack([system[name] for system in systems], axis=1).astype(np.float64)
    n = sizes.pop()
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), resamples)
    return 100 * ((times @ table).T / n)


def first_hits(
    source: np.ndarray, target: np.ndarray, *, device: str = "cpu"
) -> tuple[np.ndarray, np.ndarray]:
    """Tell which of n aligned sentences find their translation first: forward, backward, bool (n,).

    Both sides are embeddings, (n, d), that need not be normalised; `device` is where to search.
    """
    from tandem.search.neighbours import search

    if len(source) != len(target):
        sizes = f"{len(source)} sources, {len(target)} targets"
        raise TandemError(f"{sizes}. Row i must translate row i")
    gold = np.arange(len(source))
    near = search(source, target, 1, device=device)
    forward, backward = (lists.indices[:, 0] == gold for lists in near)
    return forward, backward
