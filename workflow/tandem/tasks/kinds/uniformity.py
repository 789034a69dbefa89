"""How close vectors of paraphrases are, and how evenly all are spread (fedorova2024, IV-B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tandem.corpora.families import row_groups
from tandem.corpora.labelled import read_scored
from tandem.corpora.register import Code
from tandem.encoders.pair_scores import is_scorer
from tandem.errors import TandemError
from tandem.statistics.uniformity import nearness, squared_distances
from tandem.tasks.groups import GROUPS, drawn_means, drawn_times, group_count
from tandem.tasks.task import MEAN, Encodes, Items, Places, Task, knows

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray

ALIGNMENT, UNIFORMITY = "alignment", "uniformity"


class Uniformity(Task):
    """Alignment and uniformity of the vectors of a labelled corpus's test split.

    Items: `alignment.<language>`, the squared distance of each pair that says the same, (pairs,);
    `uniformity.<language>`, the mean of exp(-2 |x - y|^2) of each different sentence with the
    others, (sentences,); and the groups of the rows that these are of, as `identification` has
    them. Figures are the alignment, the mean of the first, and the uniformity, the
    logarithm of the mean of the second; `.mean` averages languages. The lower, the better.
    """

    metric: ClassVar[str] = "loss_x100"

    corpus: str
    """The labelled pairs."""
    languages: tuple[Code, ...] | None = None
    """Which of its languages are read; null: all."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the folder of the labelled pairs."""
        return {"pairs": plan.path("corpora", self.corpus)}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Encode every different sentence once, and compare them."""
        if is_scorer(encoder):
            raise TandemError("a cross-encoder has no vectors. Leave it out of this task")
        items: Items = {}
        split = read_scored(data["pairs"], "test")
        groups = row_groups(split)
        for code, named in split.items():
            if not knows(encoder, code) or code not in (self.languages or [code]):
                continue
            rows = [*named.values()]
            texts = [*dict.fromkeys(text for row in rows for text in (row.first, row.second))]
            vectors = encoder.encode(texts, language=code)
            place = {text: number for number, text in enumerate(texts)}
            same = [(place[row.first], place[row.second]) for row in rows if row.label == 1]
            if not same:
                raise TandemError(f"{data['pairs']}: no pair in {code} says the same")
            first, second = np.array(same).T
            distances = squared_distances(vectors[first], vectors[second])
            items[f"{ALIGNMENT}.{code}"] = distances
            items[f"{UNIFORMITY}.{code}"] = nearness(vectors)
            # rows that share a sentence are of one group, so that a sentence has one
            of_text = {t: groups[row.identifier] for row in rows for t in (row.first, row.second)}
            numbers = np.array([of_text[text] for text in texts], np.int64)
            items[f"{ALIGNMENT}.{code}{GROUPS}"] = numbers[first]
            items[f"{UNIFORMITY}.{code}{GROUPS}"] = numbers
        if not items:
            raise TandemError(f"{data['pairs']}: no pairs in a language of the encoder")
        return items

    def units(self, items: Items) -> list[str]:
        """Return both figures of each language, and their means."""
        names = [name for name in items if not name.endswith(GROUPS)]
        return [*names, f"{ALIGNMENT}.{MEAN}", f"{UNIFORMITY}.{MEAN}"]

    def estimate(self, items: Items, unit: str) -> float:
        """Return a figure x 100."""
        means = [(name, items[name].mean()) for name in _languages(items, unit)]
        return 100 * float(np.mean([_figure(name, mean) for name, mean in means]))

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap a figure, resampling groups of rows: (systems, resamples), x 100.

        Rows translate each other or share a sentence: a resample has a group in all languages.
        """
        names = _languages(systems[0], unit)
        if any(_languages(system, unit) != names for system in systems):
            raise TandemError("the systems to compare read different languages. Score them again")
        times = drawn_times(systems, names, resamples, seed)
        return np.mean([_draws(systems, name, times[name]) for name in names], axis=0)

    def count(self, items: Items, unit: str) -> int:
        """Count the groups of rows behind a figure."""
        return group_count(items, _languages(items, unit))


def _languages(items: Items, unit: str) -> list[str]:
    """Name the items that a unit averages."""
    figure, _, language = unit.partition(".")
    if language != MEAN:
        return [unit]
    return [n for n in items if n.startswith(f"{figure}.") and not n.endswith(GROUPS)]


def _figure(name: str, mean: np.ndarray) -> np.ndarray:
    """Return the figure that a mean of items makes."""
    return np.log(mean) if name.startswith(UNIFORMITY) else mean


def _draws(systems: Sequence[Items], name: str, times: np.ndarray) -> FloatArray:
    """Bootstrap one language's figure: items drawn so often, (resamples, items).

    A sentence is in two places of each pair that uniformity averages, so that what a resample
    changes of the mean counts twice (Hoeffding, 1948, section 5: the projection of a U-statistic).
    """
    means = np.array([[system[name].mean()] for system in systems])
    # a resample without any item, which few may have, changes nothing
    drawn = np.where(times.any(axis=1), drawn_means(systems, name, times), means)
    changes = drawn - means
    if name.startswith(UNIFORMITY):
        changes = np.maximum(2 * changes, -0.99 * means)
    return 100 * _figure(name, means + changes)
