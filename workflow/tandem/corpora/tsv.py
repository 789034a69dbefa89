"""Tab-separated pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tandem.errors import InputError
from tandem.io import read_lines


def read_tsv(
    path: str | Path, source: str, target: str, columns: Mapping[str, int], header: bool
) -> Iterator[tuple[str, str]]:
    """Yield two columns of a plain or gzipped TSV; quotes mean nothing, empty lines are skipped.

    Args:
        path: the file.
        source: the language of the first side.
        target: the language of the second side.
        columns: the column of each language, the first column being 0.
        header: whether the first line names the columns.

    Raises:
        InputError: when a line has too few columns or the file has no pair.
    """
    left, right = columns[source], columns[target]
    least = max(left, right) + 1
    pairs = 0
    for number, line in enumerate(read_lines(path), start=1):
        if not line or (header and number == 1):
            continue
        cells = line.split("\t")
        if len(cells) < least:
            problem = f"{len(cells)} columns, expected at least {least}"
            raise InputError(path, number, problem, "Separate columns by one tab")
        pairs += 1
        yield cells[left], cells[right]
    if not pairs:
        raise InputError(path, None, "the file is empty", "Give a file with text")
