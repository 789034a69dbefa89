"""Labelled pairs of sentences: built from a registered corpus, and read again.

    train.tsv, selection.tsv   key, language and text of either side, and the label: see `Line`
    valid.tsv, test.tsv        row, language, label and both texts, of every language: see `Row`
    labelled.json              how many there are, by split, language and label

Keys are equal for sentences that say the same as far as the labels tell: by themselves, as
paraphrases, by way of others, and as translations. selection.tsv has the validation pairs of the
languages that are trained on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tandem.corpora.readers import LabelledPair, LabelledReader
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Labelled
from tandem.errors import InputError, TandemError
from tandem.files.io import atomic_folder, read_lines, write_json, write_lines

SPLITS = ("train", "valid", "test")
_REMEDY = "Delete the folder, and build it again"


class Line(NamedTuple):
    """A training pair."""

    left_key: int
    right_key: int
    left_language: str
    right_language: str
    label: int
    left: str
    right: str


class Row(NamedTuple):
    """A pair that encoders are scored on; rows of one name translate each other."""

    identifier: str
    language: str
    label: int
    first: str
    second: str


class Keys:
    """Keys of sentences, equal for those that are said to be the same."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def join(self, left: str, right: str) -> None:
        """Take two sentences, written `<language> <text>`, for the same."""
        self._above[self._top(left)] = self._top(right)

    def __getitem__(self, sentence: str) -> int:
        return self._numbers.setdefault(self._top(sentence), len(self._numbers))

    def _top(self, sentence: str) -> str:
        while (above := self._above.setdefault(sentence, sentence)) != sentence:
            self._above[sentence] = sentence = self._above[above]
        return sentence


def build_labelled(
    dataset: Dataset, path: str, settings: Labelled, folder: str | Path
) -> dict[str, Any]:
    """Build the labelled pairs of a corpus as a folder; return what labelled.json holds.

    Raises:
        TandemError: the corpus is not labelled, or has none in a language.
    """
    reader = dataset.reader
    if not isinstance(reader, LabelledReader):
        raise TandemError(f"{dataset.name} has no labels. Give a corpus of labelled pairs")

    def read(split: str, language: str, most: int | None) -> list[LabelledPair]:
        rows = list(reader.labelled(path, dataset.code(language), split))
        if not rows:
            raise TandemError(f"{dataset.name} has no {split} pairs in {language}. Leave it out")
        return _drawn(rows, most, settings.seed)

    every = {
        split: {code: read(split, code, getattr(settings, split)) for code in settings.tested}
        for split in SPLITS[1:]
    }
    train = {code: read("train", code, settings.pairs) for code in settings.languages}
    chosen = {code: read("valid", code, settings.valid) for code in settings.languages}
    with atomic_folder(folder) as temporary:
        for name, pairs in (("train", train), ("selection", chosen)):
            lines = _lines(pairs, settings.across and name == "train", settings.seed)
            write_lines(temporary / f"{name}.tsv", ("\t".join(map(str, line)) for line in lines))
        for split, by_language in every.items():
            rows = (
                "\t".join([row.identifier, code, str(row.label), row.first, row.second])
                for code, pairs in by_language.items()
                for row in pairs
            )
            write_lines(temporary / f"{split}.tsv", rows)
        record = {
            split: {code: dict(sorted(Counter(str(r.label) for r in rows).items()))
                    for code, rows in by_language.items()}
            for split, by_language in {"train": train, **every}.items()
        }  # fmt: skip
        write_json(temporary / "labelled.json", record)
    return record


def _drawn(rows: list[LabelledPair], most: int | None, seed: int) -> list[LabelledPair]:
    """Draw rows by a rank that depends on their name alone, so that languages draw the same."""
    if most is None or most >= len(rows):
        return rows
    ranks = [_rank(row.identifier, seed) for row in rows]
    bound = sorted(ranks)[most - 1]
    return [row for row, rank in zip(rows, ranks, strict=True) if rank <= bound]


def _rank(name: str, seed: int) -> float:
    return float(np.random.default_rng([seed, *name.encode()]).random())


def _lines(
    by_language: Mapping[str, Sequence[LabelledPair]], across: bool, seed: int
) -> Iterator[Line]:
    """Yield training pairs: those of each language, then, if asked for, across languages."""
    keys, triples = Keys(), list(_triples(by_language, across, seed))
    for left, right, label in triples:
        if label:
            keys.join(" ".join(left), " ".join(right))
    for left, right, label in triples:
        of = keys[" ".join(left)], keys[" ".join(right)]
        yield Line(*of, left[0], right[0], label, left[1], right[1])


def _triples(
    by_language: Mapping[str, Sequence[LabelledPair]], across: bool, seed: int
) -> Iterator[tuple[tuple[str, str], tuple[str, str], int]]:
    """Yield (language, text) of either side, and the label."""
    for code, rows in by_language.items():
        for row in rows:
            yield (code, row.first), (code, row.second), row.label
    if not across:
        return
    there = {c: {row.identifier: row for row in rows} for c, rows in by_language.items()}
    for code, rows in by_language.items():
        for row in rows:
            others = [c for c in there if c != code and row.identifier in there[c]]
            if not others:
                continue
            other = others[int(_rank(f"{code} {row.identifier}", seed) * len(others))]
            translated = there[other][row.identifier]
            yield (code, row.first), (other, translated.first), 1
            yield (code, row.first), (other, translated.second), translated.label


def read_training(path: str | Path) -> Iterator[Line]:
    """Yield the lines of train.tsv or selection.tsv; InputError on one that is not as written."""
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != len(Line._fields):
            raise InputError(path, number, f"{len(cells)} columns", _REMEDY)
        left_key, right_key, left_code, right_code, label, left, right = cells
        yield Line(int(left_key), int(right_key), left_code, right_code, int(label), left, right)


def read_scored(folder: str | Path, split: str) -> dict[str, dict[str, Row]]:
    """Return the rows of a split by language and name."""
    rows: dict[str, dict[str, Row]] = {}
    path = Path(folder) / f"{split}.tsv"
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != len(Row._fields):
            raise InputError(path, number, f"{len(cells)} columns", _REMEDY)
        row = Row(cells[0], cells[1], int(cells[2]), cells[3], cells[4])
        rows.setdefault(row.language, {})[row.identifier] = row
    return rows
