"""Line-aligned text files, one for each language."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.corpora.readers import Pair, Reader
from tandem.errors import InputError
from tandem.io import read_lines


class LinesReader(Reader):
    """Line n of one file with line n of the other; either may be gzipped."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; see `align` and `tandem.io.decode_lines` for what is refused."""
        if "{language}" not in path:
            remedy = "Write {language} in its place in the path, as in my.{language}.gz"
            raise InputError(path, None, "one file for both languages", remedy)
        left, right = path.format(language=source), path.format(language=target)
        yield from align(read_lines(left), read_lines(right), left, right)


def align(
    source: Iterator[str], target: Iterator[str], source_name: str, target_name: str
) -> Iterator[Pair]:
    """Yield pairs of lines from two streams of equal, non-zero length.

    Raises:
        InputError: naming both files and the first line without a counterpart.
    """
    number = 0
    while True:
        left, right = next(source, None), next(target, None)
        if left is None and right is None:
            break
        number += 1
        if left is None or right is None:
            names = (source_name, target_name)
            longer, shorter = names if right is None else names[::-1]
            problem = f"no counterpart in {shorter}, which ends after {number - 1:,} lines"
            raise InputError(longer, number, problem, "Give two files with as many lines each")
        yield left, right
    if not number:
        raise InputError(source_name, None, "the file is empty", "Give a file with text")
