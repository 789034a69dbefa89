"""Labelled pairs of sentences: built from a registered corpus, and read again.

    train.tsv, selection.tsv   key, language and text of either side, and the label: see `Line`
    valid.tsv, test.tsv        row, language, label and both texts, of every language: see `Row`
    labelled.json              how many there are, by split, language and label, are implied by
                               others' labels and trained on, too, and were left out

Keys are equal for sentences that say the same as far as the labels tell: in any case of letters, as
paraphrases, by way of others, and as translations. selection.tsv has the validation pairs of the
languages that are trained on. No training pair has a sentence of the other splits, and none is a
translation of one that has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tandem.corpora.families import Keys, Sentence, Triple, implied, row_groups
from tandem.corpora.readers import LabelledPair, LabelledReader
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Labelled
from tandem.errors import InputError, TandemError
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_lines, write_json, write_lines

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

    def read(split: str, language: str) -> list[LabelledPair | None]:
        rows = list(reader.labelled(path, dataset.code(language), split))
        if not any(rows):
            raise TandemError(f"{dataset.name} has no {split} pairs in {language}. Leave it out")
        return rows

    languages = list(dict.fromkeys([*settings.tested, *settings.languages]))
    whole = {split: {code: read(split, code) for code in languages} for split in SPLITS[1:]}
    whole["train"] = {code: read("train", code) for code in settings.languages}
    kept = _apart(whole)
    drawn = _drawn_splits(kept, settings)
    train, chosen = drawn["train"], {code: drawn["valid"][code] for code in settings.languages}
    every = {s: {code: drawn[s][code] for code in settings.tested} for s in SPLITS[1:]}
    learned = list(_triples(train, settings.across, settings.seed))
    more = implied(learned) if settings.implied else []
    selected = list(_triples(chosen, False, settings.seed))
    with atomic_folder(folder) as temporary:
        for name, pairs, of in (
            ("train", learned + more, train), ("selection", selected, chosen),
        ):  # fmt: skip
            lines = keyed_lines(pairs, _translations(of))
            write_lines(temporary / f"{name}.tsv", ("\t".join(map(str, line)) for line in lines))
        for split, by_language in every.items():
            rows = (
                "\t".join([row.identifier, code, str(row.label), row.first, row.second])
                for code, pairs in by_language.items()
                for row in pairs
            )
            write_lines(temporary / f"{split}.tsv", rows)
        record = _record({"train": train, **every}, whole, kept)
        record["implied"] = dict(sorted(Counter(str(label) for *_, label in more).items()))
        write_json(temporary / "labelled.json", record)
    return record


def _apart(
    whole: Mapping[str, Mapping[str, Sequence[LabelledPair | None]]],
) -> dict[str, dict[str, list[LabelledPair]]]:
    """Leave out rows that are not translated, and training rows with sentences of other splits.

    These in all languages: a translation says the same.
    """
    kept = {split: {code: [row for row in rows if row] for code, rows in by_language.items()}
            for split, by_language in whole.items()}  # fmt: skip
    shared: set[str] = set()
    for code, rows in kept["train"].items():
        scored = _sentences(kept["valid"][code]) | _sentences(kept["test"][code])
        shared |= {r.identifier for r in rows if not scored.isdisjoint((r.first, r.second))}
    for code, rows in kept["train"].items():
        kept["train"][code] = [row for row in rows if row.identifier not in shared]
    return kept


def _sentences(rows: Sequence[LabelledPair]) -> set[str]:
    return {text for row in rows for text in (row.first, row.second)}


def _record(
    drawn: Mapping[str, Mapping[str, Sequence[LabelledPair]]],
    whole: Mapping[str, Mapping[str, Sequence[LabelledPair | None]]],
    kept: Mapping[str, Mapping[str, Sequence[LabelledPair]]],
) -> dict[str, Any]:
    """Count, by language, the pairs of each split and label, and what was left out.

    untranslated: rows, by split, that are not translated; train_shared: training rows with a
    sentence of the validation or test split, in this language or another; test_shared: test pairs
    with a sentence of the validation split, which are kept, as in the archive.
    """
    shared = {}
    for code, rows in drawn["test"].items():
        of_valid = _sentences(drawn["valid"][code])
        shared[code] = sum(not of_valid.isdisjoint((row.first, row.second)) for row in rows)
    return {
        **{split: {code: dict(sorted(Counter(str(row.label) for row in rows).items()))
                   for code, rows in by_language.items()}
           for split, by_language in drawn.items()},
        "untranslated": {split: {code: sum(row is None for row in whole[split][code])
                                 for code in by_language} for split, by_language in drawn.items()},
        "train_shared": {code: sum(map(bool, whole["train"][code])) - len(kept["train"][code])
                         for code in drawn["train"]},
        "test_shared": shared,
    }  # fmt: skip


def _drawn_splits(
    kept: Mapping[str, dict[str, list[LabelledPair]]], settings: Labelled
) -> dict[str, dict[str, list[LabelledPair]]]:
    """Draw as many rows of each split and language as the settings ask for."""
    most = {"train": settings.pairs, "valid": settings.valid, "test": settings.test}
    drawn = {
        split: {code: _drawn(rows, most[split], settings.seed) for code, rows in languages.items()}
        for split, languages in kept.items()
    }
    if settings.together:
        drawn["train"] = _drawn_together(kept["train"], settings.pairs, settings.seed)
    return drawn


def _drawn(rows: list[LabelledPair], most: int | None, seed: int) -> list[LabelledPair]:
    """Draw rows by a rank that depends on their name alone, so that languages draw the same."""
    if most is None or most >= len(rows):
        return rows
    ranks = [_rank(row.identifier, seed) for row in rows]
    bound = sorted(ranks)[most - 1]
    return [row for row, rank in zip(rows, ranks, strict=True) if rank <= bound]


def _drawn_together(
    by_language: Mapping[str, list[LabelledPair]], most: int | None, seed: int
) -> dict[str, list[LabelledPair]]:
    """Draw groups of rows that share sentences, as many as `most` names have room for."""
    if most is None:
        return dict(by_language)
    rows = {code: {row.identifier: row for row in rows} for code, rows in by_language.items()}
    groups: dict[int, list[str]] = {}
    for name, number in row_groups(rows).items():
        groups.setdefault(number, []).append(name)
    names: set[str] = set()
    for group in sorted(groups.values(), key=lambda group: _rank(min(group), seed)):
        if len(names) + len(group) <= most:
            names.update(group)
    return {code: [row for row in rows if row.identifier in names]
            for code, rows in by_language.items()}  # fmt: skip


def _rank(name: str, seed: int) -> float:
    return float(np.random.default_rng([seed, *name.encode()]).random())


def keyed_lines(
    pairs: Sequence[Triple], same: Iterable[tuple[Sentence, Sentence]] = ()
) -> Iterator[Line]:
    """Yield pairs with their keys, equal for paraphrases and for what is the `same` besides."""
    keys = Keys()
    for left, right in chain((pair[:2] for pair in pairs if pair[2]), same):
        keys.join(" ".join(left), " ".join(right))
    for left, right, label in pairs:
        of = keys[" ".join(left)], keys[" ".join(right)]
        yield Line(*of, left[0], right[0], label, left[1], right[1])


def _translations(
    by_language: Mapping[str, Sequence[LabelledPair]],
) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield (language, text) of sentences of rows of one name, in the first language and others."""
    first: dict[str, tuple[str, LabelledPair]] = {}
    for code, rows in by_language.items():
        for row in rows:
            other, there = first.setdefault(row.identifier, (code, row))
            if other != code:
                yield (other, there.first), (code, row.first)
                yield (other, there.second), (code, row.second)


def _triples(
    by_language: Mapping[str, Sequence[LabelledPair]], across: bool, seed: int
) -> Iterator[Triple]:
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
        keys = _whole_number(left_key, path, number), _whole_number(right_key, path, number)
        yield Line(*keys, left_code, right_code, _whole_number(label, path, number), left, right)


def read_scored(folder: str | Path, split: str) -> dict[str, dict[str, Row]]:
    """Return the rows of a split by language and name."""
    rows: dict[str, dict[str, Row]] = {}
    path = Path(folder) / f"{split}.tsv"
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != len(Row._fields):
            raise InputError(path, number, f"{len(cells)} columns", _REMEDY)
        row = Row(cells[0], cells[1], _whole_number(cells[2], path, number), cells[3], cells[4])
        rows.setdefault(row.language, {})[row.identifier] = row
    return rows


def _whole_number(cell: str, path: str | Path, line: int) -> int:
    if not cell.isdecimal():
        raise InputError(path, line, f"{cell[:40]!r} is no whole number", _REMEDY)
    return int(cell)
