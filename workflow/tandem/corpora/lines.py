"""Line-aligned pairs: two text files, or two members of a Moses zip as OPUS ships them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tandem.corpora.archives import open_archive
from tandem.errors import InputError
from tandem.io import read_lines, stream_lines


def read_line_pairs(source: str | Path, target: str | Path) -> Iterator[tuple[str, str]]:
    """Yield line n of one file with line n of the other; either may be gzipped.

    Raises:
        InputError: when a file is empty or one has more lines; see also `tandem.io.decode_lines`.
    """
    yield from align(read_lines(source), read_lines(target), str(source), str(target))


def read_moses(path: str | Path, source: str, target: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a zip with one member `*.<source>` and one `*.<target>`.

    Raises:
        InputError: when there is none or more than one of them; see also `read_line_pairs`.
    """
    with open_archive(path) as archive:
        names = []
        for language in (source, target):
            found = [name for name in archive.names if name.endswith(f".{language}")]
            if len(found) != 1:
                problem = f"{len(found)} members end in .{language}, expected one"
                remedy = f"It has: {', '.join(archive.names[:20])}"
                raise InputError(path, None, problem, remedy)
            names.append(found[0])
        left, right = (f"{path}!{name}" for name in names)
        with archive.open(names[0]) as first, archive.open(names[1]) as second:
            yield from align(stream_lines(first, left), stream_lines(second, right), left, right)


def align(
    source: Iterator[str], target: Iterator[str], source_name: str, target_name: str
) -> Iterator[tuple[str, str]]:
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
            longer, shorter = (
                (target_name, source_name) if left is None else (source_name, target_name)
            )
            problem = f"no counterpart in {shorter}, which ends after {number - 1:,} lines"
            raise InputError(longer, number, problem, "Give two files with as many lines each")
        yield left, right
    if not number:
        raise InputError(source_name, None, "the file is empty", "Give a file with text")
