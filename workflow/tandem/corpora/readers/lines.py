"""Line-aligned text files, one for each language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from pydantic import NonNegativeInt

from tandem.corpora.readers import Reader
from tandem.errors import InputError
from tandem.files.io import read_lines
from tandem.text import Pair


class LinesReader(Reader):
    """Pairs line n of one file with line n of the other; either may be gzipped."""

    column: NonNegativeInt | None = None
    """For lines with tabs, the column that has the text, from 0 (SimpWiki's is 2); null: the whole
    line is text."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; see `align` and `tandem.files.io.stream_lines` for what is refused."""
        left, right = (path.replace("{language}", code) for code in (source, target))
        yield from align(self._lines(left), self._lines(right), left, right)

    def _lines(self, path: str) -> Iterator[str]:
        for number, line in enumerate(read_lines(path), start=1):
            if self.column is None:
                yield line
                continue
            cells = line.split("\t")
            if len(cells) <= self.column:
                problem = f"{len(cells)} columns, and the text is said to be in {self.column}"
                raise InputError(path, number, problem, "Correct `column`, or the line")
            yield cells[self.column]


def align(
    source: Iterator[str], target: Iterator[str], source_name: str, target_name: str
) -> Iterator[Pair]:
    """Yield pairs of lines; refuse empty streams, and the first line without a counterpart."""
    number = 0
    for number, (left, right) in enumerate(zip_longest(source, target), start=1):
        if left is None or right is None:
            names = (source_name, target_name)
            longer, shorter = names if right is None else names[::-1]
            problem = f"no counterpart in {shorter}, which ends after {number - 1:,} lines"
            raise InputError(longer, number, problem, "Give two files with as many lines each")
        yield left, right
    if not number:
        raise InputError(source_name, None, "the file is empty", "Give a file with text")
