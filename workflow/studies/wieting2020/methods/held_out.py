"""Text that no encoder of the study is trained on, nor chosen by: the pairs of test sections."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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
    """A sentence of one side.

    Attributes:
        meaning: a number that it shares with what means the same.
        source: the corpus that it is of, where sections say.
    """

    text: str
    meaning: str
    source: str = ""


def gather(
    sources: Mapping[str, Iterable[Placed]], bitext: Bitext, corpus: Path, path: str | Path
) -> int:
    """Write the held-out pairs of a bitext: meaning, both texts, their corpus, with tabs between.

    They are all pairs of the sections of its test split that pass its filters, with the first
    corpus that has them; where it holds no sections out, those of the split, of no corpus. Returns
    how many.
    """
    pairs: dict[tuple[str, str], str] = {}
    if bitext.sections:
        held = bitext.sections.get("test", ())
        for source, placed in sources.items():
            for section, *sides in placed:
                pair = collapse(sides[0]), collapse(sides[1])
                if section in held and refusal(*pair, bitext.cleaning) is None:
                    pairs.setdefault(pair, source)
    else:
        texts = (read_lines(corpus / f"test.{language}") for language in bitext.languages)
        pairs = dict.fromkeys(zip(*texts, strict=True), "")
    keys = (np.fromiter(map(key, side), np.uint64, len(pairs)) for side in zip(*pairs, strict=True))
    rows = zip(meanings(*keys).tolist(), pairs.items(), strict=True)
    return write_lines(path, (f"{n}\t{left}\t{right}\t{of}" for n, ((left, right), of) in rows))


def read(path: Path, side: int, sources: Collection[str] | None = None) -> list[Sentence]:
    """Read the different sentences of one side, 0 or 1, of what `gather` wrote.

    Of some `sources`, or of all.
    """
    sentences: dict[str, Sentence] = {}
    for number, line in enumerate(read_lines(path, MAX_DOCUMENT_BYTES), start=1):
        columns = line.split("\t")
        if len(columns) != 4:
            problem = f"{len(columns)} columns, not 4"
            raise InputError(path, number, problem, "Delete the file and run again")
        if sources is None or columns[3] in sources:
            text = columns[1 + side]
            sentences.setdefault(text, Sentence(text, columns[0], columns[3]))
    return list(sentences.values())
