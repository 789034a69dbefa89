"""Text that no encoder of the study is trained on: the pairs of the sections that are held out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tandem.corpora.bitext import meanings
from tandem.corpora.readers import Placed
from tandem.corpora.settings import Bitext
from tandem.errors import InputError
from tandem.files.io import MAX_DOCUMENT_BYTES, read_lines, write_lines
from tandem.filtering.clean import refusal
from tandem.text.spelling import collapse, key


class Sentence(NamedTuple):
    """A sentence of one side, and a number that it shares with what means the same."""

    text: str
    meaning: str


def gather(
    sources: Mapping[str, Iterable[Placed]], bitext: Bitext, corpus: Path, path: str | Path
) -> int:
    """Write the held-out pairs of a bitext: meaning, left text, right text, with tabs between.

    They are all pairs of its held-out sections that pass its filters; where it holds no sections
    out, those of its test split. Returns how many.
    """
    if bitext.sections:
        held = {name for names in bitext.sections.values() for name in names}
        rows = (
            (collapse(left), collapse(right))
            for placed in sources.values()
            for section, left, right in placed
            if section in held
        )
        pairs = [pair for pair in dict.fromkeys(rows) if refusal(*pair, bitext.cleaning) is None]
    else:
        sides = (read_lines(corpus / f"test.{language}") for language in bitext.languages)
        pairs = list(dict.fromkeys(zip(*sides, strict=True)))
    keys = (np.fromiter(map(key, side), np.uint64, len(pairs)) for side in zip(*pairs, strict=True))
    numbers = meanings(*keys).tolist()
    lines = (f"{n}\t{left}\t{right}" for n, (left, right) in zip(numbers, pairs, strict=True))
    return write_lines(path, lines)


def read(path: Path, side: int) -> list[Sentence]:
    """Read the different sentences of one side, 0 or 1, of what `gather` wrote."""
    sentences: dict[str, Sentence] = {}
    for number, line in enumerate(read_lines(path, MAX_DOCUMENT_BYTES), start=1):
        columns = line.split("\t")
        if len(columns) != 3:
            problem = f"{len(columns)} columns, not 3"
            raise InputError(path, number, problem, "Delete the file and run again")
        sentences.setdefault(columns[1 + side], Sentence(columns[1 + side], columns[0]))
    return list(sentences.values())
