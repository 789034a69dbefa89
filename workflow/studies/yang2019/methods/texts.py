"""Text that is searched for translations: aligned sentences and the documents that they stand in.

A file has a line for each pair: the name of its document, the English sentence, its translation,
with tabs between. Sentences that are spelt alike are one in a search, as in the paper ("unique
translations", section 5, note 4): each has all the translations that the text gives it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tandem.corpora.collection import read_parts
from tandem.errors import InputError, TandemError
from tandem.files.io import read_lines
from tandem.registry import Settings
from tandem.text.spelling import collapse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.corpora.readers import Placed
    from tandem.tasks.task import Places


class SearchedText(Settings):
    """Where the searched sentences of English and another language come from."""

    dataset: str
    """A registered corpus; its sections are the documents."""
    within: str | None = None
    """A collection of the study: only pairs of its test split are searched; null: the whole
    corpus."""


class Searched(NamedTuple):
    """Different sentences of both sides, and which of them translate each other.

    Attributes:
        english, other: different sentences, in the order of the text.
        pairs: (pairs, 2) int64, different pairs of their numbers, in the order of the text.
        documents: names, in the order of the text.
        places: (lines, 3) int64, for each line its document and its sentences.
    """

    english: list[str]
    other: list[str]
    pairs: NDArray[np.int64]
    documents: list[str]
    places: NDArray[np.int64]


def language_beside_english(plan: Places, experiment: str) -> str:
    """Return the language beside English that an experiment is trained on.

    Raises:
        TandemError: there is none, or more than one.
    """
    setting = plan.setting(experiment)
    sides = setting.languages or [s for s in plan.sides(setting.corpus) if s != "en"]
    if len(sides) != 1:
        raise TandemError(f"{experiment}: trained on {sides}, not on one language with English")
    return sides[0]


def path_of(plan: Places, language: str) -> str:
    """Return the file with what is searched for translations between English and a language."""
    return plan.path("searched", f"{language}.tsv")


def lines(placed: Iterable[Placed], kept: Collection[tuple[str, str]] | None) -> Iterator[str]:
    """Yield the lines of a file, for the `kept` pairs (None: all) with text on both sides.

    `placed` are sections with pairs, English on the left.
    """
    for document, left, right in placed:
        pair = collapse(left), collapse(right)
        if all(pair) and (kept is None or pair in kept):
            yield "\t".join([collapse(document), *pair])


def split_pairs(folder: Path, split: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a split, English first, of a bitext or of a part of a collection."""
    if not (folder / "collection.json").is_file():
        sides = (read_lines(folder / f"{split}.{side}") for side in ("en", language))
        yield from zip(*sides, strict=True)
        return
    for part in read_parts(folder):
        if (part.left, part.right) == ("en", language):
            for line in read_lines(part.path(folder, split)):
                _, left, right = line.split("\t")
                yield left, right


def read(path: str | Path) -> Searched:
    """Read a file. Memory: its text, and about 200 bytes a line."""
    numbers: tuple[dict[str, int], ...] = ({}, {}, {})
    places = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 3:
            problem = f"{len(cells)} columns, not a document and two sentences"
            raise InputError(path, number, problem, "Build it again")
        places.append(
            [column.setdefault(c, len(column)) for column, c in zip(numbers, cells, strict=True)]
        )
    if not places:
        raise InputError(path, None, "it is empty", "Search a text that has sentences")
    table = np.array(places, np.int64)
    _, first = np.unique(table[:, 1:], axis=0, return_index=True)
    documents, english, other = map(list, numbers)
    return Searched(english, other, table[np.sort(first), 1:], documents, table)
