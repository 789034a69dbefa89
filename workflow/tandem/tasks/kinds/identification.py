"""Paraphrase or not: labelled pairs told apart by the cosine (fedorova2024, section IV)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from tandem.corpora.labelled import Row, read_scored
from tandem.corpora.register import Code
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pair_scores import is_scorer, pair_scores
from tandem.errors import TandemError
from tandem.segmentation.ragged import Ragged, concatenate
from tandem.statistics.cosine import cosine_similarity
from tandem.statistics.identification import (
    area,
    average_precision,
    best_accuracy,
    equal_error,
    f1,
)
from tandem.tasks.task import MEAN, Encodes, Items, Places, Task, knows

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray

Class = Literal["intra", "translation", "paraphrase"]
Vectors = Mapping[tuple[str, int], np.ndarray]
"""By language and side, 0 or 1, the vectors of its rows, in their order."""


class Compared(NamedTuple):
    """Pairs of a class in a direction: the rows and sides of each half, and the labels.

    Attributes:
        first, second: language and side of each pair's halves, and the rows, (pairs,).
        labels: (pairs,) 1 where both halves say the same.
    """

    first: tuple[str, np.ndarray, np.ndarray]
    second: tuple[str, np.ndarray, np.ndarray]
    labels: np.ndarray


class Identification(Task):
    """Accuracy of telling pairs that say the same by a threshold on the cosine.

    Classes are those of section III-A. intra: both sentences of a row, in one language. paraphrase:
    the first in one language, the second in another. translation: as paraphrase where the label is
    0, and where it is 1 the first sentence in both languages; the paper does not print which pairs
    are its negatives. The threshold of a class and direction is the one that is most accurate on
    the validation split.

    Items: `<class>.<language>` or `<class>.<language>-<language>`, which test pairs are told right,
    bool (pairs,). The figure `<class>.mean` averages all directions of a class; with `groups`,
    `<class>.<group>` those of a group.
    """

    metric: ClassVar[str] = "accuracy_x100"

    corpus: str
    """The labelled pairs."""
    classes: tuple[Class, ...] = ("intra",)
    """Which pairs are compared."""
    groups: dict[str, tuple[Code, ...]] = {}
    """Groups of languages, by name, whose directions are averaged, where an encoder knows all of
    them; directions between two groups are in none."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the folder of the labelled pairs."""
        return {"pairs": plan.path("corpora", self.corpus)}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Choose thresholds on the validation split, and judge the test split by them."""
        items: Items = {}
        valid, test = (_Split(encoder, read_scored(data["pairs"], s)) for s in ("valid", "test"))
        for kind in self.classes:
            for name, pairs in test.compared(kind):
                chosen = dict(valid.compared(kind)).get(name)
                if chosen is None or not len(pairs.labels):
                    continue
                threshold, on_valid = best_accuracy(valid.scores(chosen), chosen.labels)
                scores = test.scores(pairs)
                same = scores >= threshold
                key = f"{kind}.{name}"
                items[key] = same == (pairs.labels == 1)
                items[f"{key}{_ABOUT}"] = np.array([
                    threshold, on_valid, area(scores, pairs.labels),
                    average_precision(scores, pairs.labels), equal_error(scores, pairs.labels),
                    f1(same, pairs.labels), pairs.labels.mean(),
                ])  # fmt: skip
        if not items:
            raise TandemError(f"{data['pairs']}: no pairs in a language of the encoder")
        return items

    def units(self, items: Items) -> list[str]:
        """Return the directions, and the means of classes and of groups of languages."""
        names = [name for name in items if not name.endswith(_ABOUT)]
        means = [f"{kind}.{group}" for kind in self.classes for group in (MEAN, *self.groups)]
        return [*names, *(unit for unit in means if self._directions(names, unit))]

    def estimate(self, items: Items, unit: str) -> float:
        """Return the accuracy x 100 of a direction, or the mean of several."""
        return 100 * float(np.mean([items[n].mean() for n in self._directions(items, unit)]))

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap a unit, resampling pairs: (systems, resamples), x 100.

        Directions with as many pairs get the same resamples: rows translate each other.
        """
        names = self._directions(systems[0], unit)
        if any(self._directions(system, unit) != names for system in systems):
            raise TandemError("the systems to compare judged different pairs. Score them again")
        return np.mean([_draws(systems, name, resamples, seed) for name in names], axis=0)

    def count(self, items: Items, unit: str) -> int:
        """Count the pairs behind a unit."""
        return sum(len(items[name]) for name in self._directions(items, unit))

    def details(self, items: Items) -> dict[str, Any]:
        """Return further figures of each direction, x 100, and its threshold."""
        directions = {}
        for name in items:
            if name.endswith(_ABOUT):
                threshold, *shares = map(float, items[name])
                figures = {k: round(100 * v, 4) for k, v in zip(_FIGURES, shares, strict=True)}
                directions[name.removesuffix(_ABOUT)] = {
                    "threshold": round(threshold, 6), **figures,
                    "pairs": len(items[name.removesuffix(_ABOUT)]),
                }  # fmt: skip
        return {"directions": directions}

    def _directions(self, items: Items | Sequence[str], unit: str) -> list[str]:
        """Name the directions that a unit averages."""
        if unit in items:
            return [unit]
        kind, _, group = unit.partition(".")
        names = [n for n in items if n.startswith(f"{kind}.") and not n.endswith(_ABOUT)]
        if group == MEAN:
            return names
        those, languages = set(self.groups.get(group, ())), {n: _languages(n) for n in names}
        if not those <= set().union(*languages.values()):
            return []  # the mean of some of them would be compared with that of all
        return [n for n in names if languages[n] <= those]


_ABOUT = "__about"
"""Ends the name of an item about another one."""
_FIGURES = (
    "valid_accuracy_x100", "auc_x100", "average_precision_x100", "equal_error_x100", "f1_x100",
    "positive_x100",
)  # fmt: skip


def _languages(name: str) -> set[str]:
    """Return the languages of a direction."""
    return set(name.partition(".")[2].split("-"))


class _Split:
    """The rows of a split, and the vectors of their sentences; of a scorer their ids, joined later.

    Sentences are encoded once, in the languages that the encoder knows.
    """

    def __init__(self, encoder: Encodes, rows: dict[str, dict[str, Row]]) -> None:
        self.rows = {code: entries for code, entries in rows.items() if knows(encoder, code)}
        self.scorer = encoder if is_scorer(encoder) else None
        self.ids = self._segmented(self.scorer) if self.scorer else {}
        self.vectors = {} if self.scorer else self._encoded(encoder)

    def _segmented(self, scorer: SentenceEncoder) -> dict[tuple[str, int], Ragged]:
        ids = {}
        for code, entries in self.rows.items():
            encode = scorer.segmenter.encoder(code)
            ids[code, 0] = encode([row.first for row in entries.values()])
            ids[code, 1] = encode([row.second for row in entries.values()])
        return ids

    def _encoded(self, encoder: Encodes) -> Vectors:
        rows = self.rows
        vectors: dict[tuple[str, int], np.ndarray] = {}
        for code, entries in rows.items():
            sides = [[row.first for row in entries.values()], [r.second for r in entries.values()]]
            distinct = list(dict.fromkeys([*sides[0], *sides[1]]))
            place = {text: number for number, text in enumerate(distinct)}
            encoded = encoder.encode(distinct, language=code)
            for side, texts in enumerate(sides):
                vectors[code, side] = encoded[[place[text] for text in texts]]
        return vectors

    def compared(self, kind: Class) -> Iterator[tuple[str, Compared]]:
        """Yield the directions of a class, with their pairs."""
        if kind == "intra":
            for code, entries in self.rows.items():
                numbers, labels = np.arange(len(entries)), _labels(entries.values())
                first, second = np.zeros_like(numbers), np.ones_like(numbers)
                yield code, Compared((code, first, numbers), (code, second, numbers), labels)
            return
        for left, right in product(self.rows, repeat=2):
            if left == right:
                continue
            there = {name: number for number, name in enumerate(self.rows[right])}
            shared = [(number, there[name], row) for number, (name, row)
                      in enumerate(self.rows[left].items()) if name in there]  # fmt: skip
            labels = _labels(row for _, _, row in shared)
            firsts = np.array([number for number, _, _ in shared], np.int64)
            seconds = np.array([number for _, number, _ in shared], np.int64)
            side = np.ones_like(seconds) if kind == "paraphrase" else 1 - labels
            yield f"{left}-{right}", Compared(
                (left, np.zeros_like(firsts), firsts), (right, side, seconds), labels
            )

    def scores(self, pairs: Compared) -> np.ndarray:
        """Return the cosines of pairs, or a scorer's numbers, the mean of both orders: (pairs,)."""
        if self.scorer is None:
            return cosine_similarity(self._take(pairs.first), self._take(pairs.second))
        return pair_scores(self.scorer, self._rows(pairs.first), self._rows(pairs.second))

    def _rows(self, half: tuple[str, np.ndarray, np.ndarray]) -> Ragged:
        code, sides, numbers = half
        both = concatenate([self.ids[code, side] for side in (0, 1)])
        return both.gather(sides * len(self.ids[code, 0]) + numbers)

    def _take(self, half: tuple[str, np.ndarray, np.ndarray]) -> np.ndarray:
        code, sides, numbers = half
        both = np.stack([self.vectors[code, side] for side in (0, 1)])
        return both[sides, numbers]


def _labels(rows: Any) -> np.ndarray:  # noqa: ANN401
    return np.array([row.label for row in rows], np.int64)


def _draws(systems: Sequence[Items], name: str, resamples: int, seed: int) -> FloatArray:
    """Bootstrap one direction, as `Identification.draws`."""
    table = np.stack([system[name] for system in systems], axis=1).astype(np.float64)
    n = len(table)
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), resamples)
    return 100 * ((times @ table).T / n)
