"""Paraphrase or not: labelled pairs told apart by the cosine (fedorova2024, section IV)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from tandem.corpora.families import row_groups
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
from tandem.tasks.groups import GROUPS, drawn_means, drawn_times, group_count
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
        groups: (pairs,) numbers of their rows' groups, see `row_groups`.
    """

    first: tuple[str, np.ndarray, np.ndarray]
    second: tuple[str, np.ndarray, np.ndarray]
    labels: np.ndarray
    groups: np.ndarray


class Identification(Task):
    """Accuracy of telling pairs that say the same by a threshold on the cosine.

    Classes are those of section III-A. intra: both sentences of a row, in one language. paraphrase:
    the first in one language, the second in another. translation: as paraphrase where the label is
    0, and where it is 1 the first sentence in both languages; the paper does not print which pairs
    are its negatives. The threshold of a class and direction is the one that is most accurate on
    the validation split.

    Items: `<class>.<language>` or `<class>.<language>-<language>`, which test pairs are told right,
    bool (pairs,), and the groups of their rows. The figure `<class>.mean` averages all directions
    of a class, with `groups` `<class>.<group>` those of a group, and `mean` the classes.
    """

    metric: ClassVar[str] = "accuracy_x100"

    corpus: str
    """The labelled pairs."""
    classes: tuple[Class, ...] = ("intra",)
    """Which pairs are compared."""
    groups: dict[str, tuple[Code, ...]] = {}
    """Groups of languages, by name, whose directions are averaged, where an encoder knows all of
    them; directions between two groups are in none."""

    calibrated: tuple[Code, ...] = ()
    """Languages whose validation pairs, within each of them, choose one more threshold together,
    for all directions: what a language without labelled pairs of its own would be told by."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the folder of the labelled pairs."""
        return {"pairs": plan.path("corpora", self.corpus)}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Choose thresholds on the validation split, and judge the test split by them."""
        items: Items = {}
        valid, test = (_Split(encoder, read_scored(data["pairs"], s)) for s in ("valid", "test"))
        shared = self._calibrated(valid)
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
                items[f"{key}{GROUPS}"] = pairs.groups
                items[f"{key}{_ABOUT}"] = np.array([
                    threshold, on_valid, area(scores, pairs.labels),
                    average_precision(scores, pairs.labels), equal_error(scores, pairs.labels),
                    f1(same, pairs.labels), pairs.labels.mean(),
                    np.nan if shared is None else np.mean((scores >= shared) == pairs.labels),
                ])  # fmt: skip
        if not items:
            raise TandemError(f"{data['pairs']}: no pairs in a language of the encoder")
        return items

    def _calibrated(self, valid: _Split) -> float | None:
        """Return the threshold of the languages that are calibrated on, if all are known."""
        within = dict(valid.compared("intra"))
        pairs = [within[code] for code in self.calibrated if code in within]
        if not pairs or len(pairs) < len(self.calibrated):
            return None
        scores = np.concatenate([valid.scores(some) for some in pairs])
        return best_accuracy(scores, np.concatenate([some.labels for some in pairs]))[0]

    def units(self, items: Items) -> list[str]:
        """Return the directions, and the means of classes, of groups of languages and of all."""
        names = _directions(items)
        means = [f"{kind}.{group}" for kind in self.classes for group in (MEAN, *self.groups)]
        every = [MEAN] if len(self.classes) > 1 and all(self._means(items, MEAN)) else []
        return [*names, *(unit for unit in means if all(self._means(items, unit))), *every]

    def estimate(self, items: Items, unit: str) -> float:
        """Return the accuracy x 100 of a direction, or the mean of several."""
        means = [np.mean([items[name].mean() for name in names])
                 for names in self._means(items, unit)]  # fmt: skip
        return 100 * float(np.mean(means))

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap a unit, resampling groups of rows: (systems, resamples), x 100.

        Rows translate each other or share a sentence: a resample has a group in all directions.
        """
        means = self._means(systems[0], unit)
        names = [name for some in means for name in some]
        if any(self._means(system, unit) != means for system in systems):
            raise TandemError("the systems to compare judged different pairs. Score them again")
        times = drawn_times(systems, names, resamples, seed)
        drawn = {name: drawn_means(systems, name, times[name]) for name in names}
        return 100 * np.mean([np.mean([drawn[n] for n in some], axis=0) for some in means], axis=0)

    def count(self, items: Items, unit: str) -> int:
        """Count the groups of rows behind a unit."""
        return group_count(items, [*chain.from_iterable(self._means(items, unit))])

    def details(self, items: Items) -> dict[str, Any]:
        """Return further figures of each direction, x 100, and its threshold."""
        directions = {}
        for name in items:
            if name.endswith(_ABOUT):
                threshold, *shares = map(float, items[name])
                every = zip(_FIGURES, shares, strict=True)
                figures = {k: round(100 * v, 4) for k, v in every if not np.isnan(v)}
                directions[name.removesuffix(_ABOUT)] = {
                    "threshold": round(threshold, 6), **figures,
                    "pairs": len(items[name.removesuffix(_ABOUT)]),
                }  # fmt: skip
        return {"directions": directions}

    def _means(self, items: Items, unit: str) -> list[list[str]]:
        """Name the directions that a unit averages: its mean is that of the lists' means."""
        if unit == MEAN:
            return [self._averaged(items, f"{kind}.{MEAN}") for kind in self.classes]
        return [self._averaged(items, unit)]

    def _averaged(self, items: Items, unit: str) -> list[str]:
        """Name the directions of a class that a unit averages."""
        if unit in items:
            return [unit]
        kind, _, group = unit.partition(".")
        names = [name for name in _directions(items) if name.startswith(f"{kind}.")]
        if group == MEAN:
            return names
        those, languages = set(self.groups.get(group, ())), {n: _languages(n) for n in names}
        if not those <= set().union(*languages.values()):
            return []  # the mean of some of them would be compared with that of all
        return [n for n in names if languages[n] <= those]


_ABOUT = "__about"
"""Ends the names of items about another one."""
_FIGURES = (
    "valid_accuracy_x100", "auc_x100", "average_precision_x100", "equal_error_x100", "f1_x100",
    "positive_x100", "calibrated_accuracy_x100",
)  # fmt: skip


def _directions(items: Items) -> list[str]:
    """Name the directions."""
    return [name for name in items if not name.endswith((_ABOUT, GROUPS))]


def _languages(name: str) -> set[str]:
    """Return the languages of a direction."""
    return set(name.partition(".")[2].split("-"))


class _Split:
    """The rows of a split, and vectors of sentences, each encoded once; of a scorer their ids."""

    def __init__(self, encoder: Encodes, rows: dict[str, dict[str, Row]]) -> None:
        self.groups = row_groups(rows)
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
        vectors: dict[tuple[str, int], np.ndarray] = {}
        for code, entries in self.rows.items():
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
                halves = (code, first, numbers), (code, second, numbers)
                yield code, Compared(*halves, labels, self._groups_of(entries))
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
                (left, np.zeros_like(firsts), firsts), (right, side, seconds), labels,
                self._groups_of(row.identifier for _, _, row in shared),
            )  # fmt: skip

    def _groups_of(self, names: Iterable[str]) -> np.ndarray:
        return np.array([*map(self.groups.get, names)], np.int64)

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
