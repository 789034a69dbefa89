"""Bitext mined from the text that is searched, for translators (section 5.2, Table 3).

A folder for each origin of the pairs, in the form of a bitext: `train` has the pairs, `valid` is a
part of the validation split of the encoder's text, and `test` is other text, which is not mined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from tandem.files.atomic import atomic_folder
from tandem.files.io import write_json, write_lines
from tandem.registry import Named, Settings
from tandem.translation.translator import TRANSLATORS, Translator
from yang2019.methods import texts

if TYPE_CHECKING:
    from tandem.reporting.outline import Outline
    from tandem.tasks.task import Encodes

WAYS = ("forward", "backward")
"""The two searches."""
ORIGINS = ("original", *WAYS)
"""Where the pairs of a translator's text come from: the corpus, or one of two searches."""


class Translation(Settings):
    """Translators trained on the original pairs and on those that a search finds."""

    experiments: list[str]
    """For each language, the experiment whose encoder (of the first seed) searches."""
    translator: Annotated[Translator, Named(TRANSLATORS)]
    """The translator, from English; its `bitext`, `source` and `target` are set by language, its
    `seed` by `seeds`."""
    seeds: Annotated[list[NonNegativeInt], Field(min_length=1)] = [1, 2, 3]
    """Seeds of the translators of each side; one leaves every claim undecided."""
    threshold: NonNegativeFloat | Literal["validation"] = "validation"
    """The least cosine of a mined pair: a number (the paper's 0.5 was set on its development set),
    or the one with the best F1 where the validation split is mined."""
    test: PositiveInt = 1000
    """Most sentences of the test text."""
    other: Literal["train", "test"] = "train"
    """The split of the encoder's corpus that gives the test text, which must not be mined: `test`
    only where another corpus is searched."""
    seed: NonNegativeInt = 1
    """Seed of the paired bootstrap."""
    resamples: PositiveInt = 1000
    """Of the paired bootstrap."""
    memory_mb: PositiveInt = 2048
    """Most memory of the process while it searches, in MiB."""

    def by_language(self, plan: Outline) -> dict[str, str]:
        """Return the experiments by language."""
        return {texts.language_beside_english(plan, name): name for name in self.experiments}


def nearest(
    encoder: Encodes, english: Sequence[str], other: Sequence[str], language: str, memory_mb: int
) -> Any:  # noqa: ANN401  (tandem.search.neighbours.Neighbours, which is slow to import)
    """Search in both directions for the nearest sentence."""
    from tandem.search.neighbours import search
    from tandem.tasks.task import device_of
    from tandem.tasks.vectors import vectors_on_disk

    with vectors_on_disk(encoder, ("en", english), (language, other)) as (source, target):
        bound, device = memory_mb << 20, device_of(encoder)
        return search(source, target, 1, memory_bytes=bound, device=device)


def chosen_thresholds(
    encoder: Encodes, pairs: Sequence[tuple[str, str]], language: str, memory_mb: int
) -> dict[str, float]:
    """Return the threshold with the best F1 where aligned pairs are mined, for each way."""
    from tandem.search.margins import Retrieval, Score, mine
    from tandem.tasks.kinds.mining import best_threshold

    english, other = (list(dict.fromkeys(side)) for side in zip(*pairs, strict=True))
    places = [{text: row for row, text in enumerate(side)} for side in (english, other)]
    gold = [(places[0][left], places[1][right]) for left, right in pairs]
    near = nearest(encoder, english, other, language, memory_mb)
    mined = {way: mine(near, Score.COSINE, Retrieval(way)) for way in WAYS}
    return {way: best_threshold(pairs, gold)[0] for way, pairs in mined.items()}


def mined_pairs(
    encoder: Encodes, text: texts.Searched, language: str, thresholds: dict[str, float], memory: int
) -> dict[str, list[tuple[int, int]]]:
    """Return the pairs that each search finds, as numbers of sentences, in order."""
    from tandem.search.margins import Retrieval, Score, mine

    near = nearest(encoder, text.english, text.other, language, memory)
    mined = {}
    for way, least in thresholds.items():
        pairs = mine(near, Score.COSINE, Retrieval(way)).above(least)
        mined[way] = sorted(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True))
    return mined


def write(
    folder: str | Path,
    pairs: Mapping[str, Iterable[tuple[str, str]]],
    splits: Mapping[str, Sequence[tuple[str, str]]],
    language: str,
    counts: dict[str, Any],
) -> None:
    """Write a bitext folder for each origin, and counts.json."""
    with atomic_folder(folder) as result:
        for origin, training in pairs.items():
            (result / origin).mkdir()
            for split, rows in {"train": list(training), **splits}.items():
                for column, side in enumerate(("en", language)):
                    lines = (pair[column] for pair in rows)
                    write_lines(result / origin / f"{split}.{side}", lines)
        write_json(result / "counts.json", counts)


def spread(pairs: Sequence[tuple[str, str]], most: int) -> Sequence[tuple[str, str]]:
    """Return at most `most` of the pairs, evenly spaced."""
    return pairs[:: -(-len(pairs) // most)]


def overlap(pairs: Sequence[tuple[int, int]], gold: Iterable[tuple[int, int]]) -> float:
    """Return the share of mined pairs that are pairs of the text; 0 for no pairs."""
    right = set(gold)
    return float(np.mean([pair in right for pair in pairs])) if pairs else 0.0
