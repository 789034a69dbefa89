"""A side cut into shards: every different sentence once, and all the places where it stands.

Equal sentences come together by sorting their keys on disk, so that memory is a setting. A side is
a folder: `lines`, the text of all its lines; `offsets`, where each begins and the last one ends;
`places`, the lines (from 0, over all files) of the first sentence, of the second and so on, and
`starts`, where those of each begin and the last ones end, int64 all; `shard<n>.txt`, the sentences
as they stand first; and `side.json`.
"""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.files import lines_of
from tandem.errors import InputError
from tandem.files.io import read_json, write_json
from tandem.mining.settings import Columns
from tandem.mining.sorting import Sorter, write_numbers
from tandem.search.candidates import Candidates
from tandem.text.batches import batches
from tandem.text.spelling import key

BATCH = 1024
"""Sentences that are encoded together. Shards end where batches do, so that every sentence is
encoded beside the same ones as by `tandem mine`, and gets the same vector to the last digit."""
_CHUNK = 1 << 16
"""Lines whose keys are held before they are handed on to be sorted."""


def cut(
    files: Sequence[str], columns: Columns | None, folder: Path, size: int, memory_bytes: int
) -> dict[str, Any]:
    """Read a side and write it into an existing folder; return what its `side.json` holds.

    Args:
        files: text, packed or not; their lines are numbered on from file to file.
        columns: where lines are columns between tabs.
        folder: where the side is written.
        size: sentences of a shard, which ends with the first batch that reaches them.
        memory_bytes: most bytes of keys that are sorted at a time.

    Raises:
        InputError: a file is empty or damaged, or a line lacks a column.
    """
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        sorters = []
        for name in ("keys", "firsts"):
            (Path(scratch) / name).mkdir()
            sorters.append(Sorter(Path(scratch) / name, memory_bytes // 2))
        lines = _copy(files, columns, folder, sorters[0])
        _find_firsts(sorters[0], sorters[1])
        shards = _write_shards(folder, sorters[1], size, len(columns.labels if columns else ()))
    labels = columns.labels if columns else []
    side = {"files": list(files), "lines": lines, "shards": shards, "labels": labels}
    write_json(folder / "side.json", side)
    return side


def _copy(files: Sequence[str], columns: Columns | None, folder: Path, keys: Sorter) -> list[int]:
    """Copy the lines of all files, hand on their keys, and return how many each file has."""
    counts, place, offset = [], 0, 0
    waiting, offsets = array("Q"), array("q", [0])
    with open(folder / "lines", "wb") as text, open(folder / "offsets", "wb") as starts:
        for file in files:
            number = 0
            for number, line in enumerate(lines_of(file), start=1):
                record = line if columns is None else _record(file, number, line, columns)
                waiting.append(key(record if columns is None else record.partition("\t")[0]))
                offset += text.write(record.encode() + b"\n")
                offsets.append(offset)
                if len(waiting) == _CHUNK:
                    place = _hand_on(waiting, place, keys, offsets, starts)
            if not number:
                raise InputError(file, None, "it is empty", "Give some sentences, or leave it out")
            counts.append(number)
        _hand_on(waiting, place, keys, offsets, starts)
    return counts


def _record(file: str, number: int, line: str, columns: Columns) -> str:
    """Return the sentence of a line, and its labels, between tabs."""
    fields = line.split("\t")
    wanted = [columns.text, *(getattr(columns, name) for name in columns.labels)]
    if len(fields) < max(wanted):
        problem = f"the line has {len(fields)} columns and not {max(wanted)}"
        raise InputError(file, number, problem, "Mend it, or name other columns")
    if columns.document and not fields[columns.document - 1].strip():
        problem = "the line names no document"
        raise InputError(file, number, problem, "Name one, or leave the line out")
    return "\t".join(fields[column - 1] for column in wanted)


def _hand_on(
    waiting: array[int], place: int, keys: Sorter, offsets: array[int], starts: IO[bytes]
) -> int:
    """Empty what waits; return the place that comes next."""
    if waiting:
        places = np.arange(place, place + len(waiting), dtype=np.uint64)
        keys.add(np.array(waiting, np.uint64), places)
        place += len(waiting)
    offsets.tofile(starts)
    del waiting[:], offsets[:]
    return place


def _find_firsts(keys: Sorter, firsts: Sorter) -> None:
    """Turn pairs of key and place into pairs of the first place with that key, and place."""
    last, first = None, np.uint64(0)
    for block in keys.blocks():
        new = np.append(True, block[1:, 0] != block[:-1, 0])
        if block[0, 0] == last:
            new[0] = False
        begun = np.append(first, block[new, 1])
        first_places = begun[np.cumsum(new)]
        last, first = block[-1, 0], first_places[-1]
        firsts.add(first_places, block[:, 1])


def _write_shards(folder: Path, firsts: Sorter, size: int, labels: int) -> list[int]:
    """Write the places of each sentence, and the shards; return how many each shard has."""
    counts: list[int] = []
    texts = _first_lines(folder, firsts, labels)
    shard: IO[bytes] | None = None
    try:
        for batch in batches(texts, BATCH, len):
            if shard is None or counts[-1] >= size:
                if shard:
                    shard.close()
                shard = open(folder / f"shard{len(counts)}.txt", "wb")
                counts.append(0)
            shard.write("".join(f"{text}\n" for text in batch).encode())
            counts[-1] += len(batch)
    finally:
        if shard:
            shard.close()
    return counts


def _first_lines(folder: Path, firsts: Sorter, labels: int) -> Iterator[str]:
    """Yield each different sentence as it stands first, writing `places` and `starts`."""
    offsets = np.memmap(folder / "offsets", np.int64, "r")
    last, done = None, 0
    with (
        open(folder / "lines", "rb") as lines,
        open(folder / "places", "wb") as places,
        open(folder / "starts", "wb") as starts,
    ):
        for block in firsts.blocks():
            new = np.append(block[0, 0] != last, block[1:, 0] != block[:-1, 0])
            write_numbers(places, block[:, 1].astype(np.int64))
            write_numbers(starts, (np.flatnonzero(new) + done).astype(np.int64))
            last, done = block[-1, 0], done + len(block)
            for place in block[new, 0].tolist():
                lines.seek(offsets[place])
                yield _text(lines.readline()[:-1].decode(), labels)
        write_numbers(starts, np.array([done], np.int64))


def _text(record: str, labels: int) -> str:
    """Return the sentence of a copied line, without its labels."""
    return record.rsplit("\t", labels)[0] if labels else record


class Sentences:
    """A side that was cut, read where it is needed."""

    def __init__(self, folder: str | Path) -> None:
        """Open the folder."""
        self.folder = Path(folder)
        side = read_json(self.folder / "side.json")
        self.files: list[str] = side["files"]
        self.shards: list[int] = side["shards"]
        self.labels: list[str] = side["labels"]
        self.ends = np.cumsum(side["lines"])
        """The lines up to the end of each file, int64 (files,)."""

    def __len__(self) -> int:
        return sum(self.shards)

    @property
    def lines(self) -> int:
        """The number of lines of all files."""
        return int(self.ends[-1])

    def first(self, shard: int) -> int:
        """Return the number of the first sentence of a shard."""
        return sum(self.shards[:shard])

    @cached_property
    def places(self) -> Candidates:
        """The sentences with the lines where they stand, mapped; they have no keys any more."""
        keys = np.broadcast_to(np.uint64(0), len(self))
        return Candidates(keys, self._mapped("places"), self._mapped("starts"))

    def record(self, place: int) -> list[str]:
        """Return the sentence of a line, and its labels."""
        start, end = self._offsets[place : place + 2]
        record = os.pread(self._lines.fileno(), int(end - start) - 1, int(start)).decode()
        return record.rsplit("\t", len(self.labels)) if self.labels else [record]

    def texts(self, sentences: NDArray[np.int64]) -> list[str]:
        """Return sentences as they stand first, by their numbers, (n,)."""
        places, starts = self.places.places, self.places.starts
        return [self.record(place)[0] for place in places[starts[sentences]].tolist()]

    def where(self, place: int) -> tuple[str, int]:
        """Return the file of a line, and its number there, from 1."""
        file = int(np.searchsorted(self.ends, place, "right"))
        return self.files[file], place - (int(self.ends[file - 1]) if file else 0) + 1

    def _mapped(self, name: str) -> NDArray[np.int64]:
        return np.memmap(self.folder / name, np.int64, "r")

    @cached_property
    def _offsets(self) -> NDArray[np.int64]:
        return self._mapped("offsets")

    @cached_property
    def _lines(self) -> IO[bytes]:
        return open(self.folder / "lines", "rb")


def shard_lines(path: str | Path, count: int, lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a shard; InputError where they are more or fewer than the side says."""
    number = 0
    for number, line in enumerate(lines, start=1):  # noqa: B007
        yield line
    if number != count:
        problem = f"it has {number:,} lines and not {count:,}"
        raise InputError(path, None, problem, "Cut the side again (--forcerun cut_side)")
