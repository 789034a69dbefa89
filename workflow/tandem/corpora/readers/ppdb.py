"""The Paraphrase Database: phrases and their paraphrases (Ganitkevitch et al., 2013)."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.corpora.readers import Reader
from tandem.errors import InputError
from tandem.files.io import read_lines
from tandem.text import Pair

SEPARATOR = " ||| "


class PpdbReader(Reader):
    """Lines of `label ||| phrase ||| paraphrase ||| features ...`, plain or packed.

    The phrase is in the first of the two languages asked for, the paraphrase in the second.
    """

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; a line without a paraphrase is refused."""
        for number, line in enumerate(read_lines(path), start=1):
            cells = line.split(SEPARATOR)
            if len(cells) < 3:
                problem = f"{len(cells)} fields between {SEPARATOR.strip()}, expected at least 3"
                raise InputError(path, number, problem, "Give a file as PPDB's site has them")
            yield cells[1], cells[2]
