"""BUCC 2018: two monolingual files with ids, and a gold list of the pairs hidden in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tandem.corpora.archives import open_archive
from tandem.corpora.readers import Reader
from tandem.errors import InputError
from tandem.text import Pair
from tandem.text.spelling import collapse

MAX_FILE_BYTES = 1 << 30
"""Most memory for one of a task's three files; a row takes its text and `_ROW_BYTES`."""
_ROW_BYTES = 200
_REMEDY = "Delete it, and fetch or build it again"


@dataclass(frozen=True)
class MiningTask:
    """A mining task: sentences by id, in the order of their files."""

    source: dict[str, str]
    target: dict[str, str]
    gold: list[tuple[str, str]]
    """(source id, target id) of the pairs to be found."""


class BuccReader(Reader):
    """The sentences of the gold pairs of one part."""

    part: Literal["sample", "training", "test"]
    """Which part; the gold list of the test part is not public, so it has no pairs."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; see `read_bucc` for what is refused."""
        task = read_bucc(path, source, target, self.part)
        for left, right in task.gold:
            yield task.source[left], task.target[right]


def read_bucc(path: str | Path, source: str, target: str, part: str) -> MiningTask:
    """Read one part of a BUCC archive: members `*.<part>.{<source>,<target>,gold}`.

    `target` is en in all of BUCC 2018; the gold list of the part `test` is withheld. A missing
    member is refused, and what `parse_task` refuses.
    """
    with open_archive(path) as archive:
        names = [archive.ending(f"{part}.{ending}") for ending in (source, target, "gold")]
        task = parse_task(*((archive.place(name), archive.lines(name)) for name in names))
    for side in (task.source, task.target):
        side.update({identifier: collapse(text) for identifier, text in side.items()})
    return task


def parse_task(*files: tuple[str, Iterable[str]]) -> MiningTask:
    """Read a task from the names and lines of its source side, its target side and its gold list.

    A side has id<TAB>sentence in each line, the gold list source id<TAB>target id. InputError on an
    empty side, a line without its two columns, an id that comes twice or that has no sentence.
    """
    source, target = (_sentences(*file) for file in files[:2])
    gold = []
    for number, left, right in _rows(*files[2]):
        right = right.strip()
        if left not in source or right not in target:
            problem = f"the pair {left}, {right} names an id that has no sentence"
            raise InputError(files[2][0], number, problem, "Use the files of one release")
        gold.append((left, right))
    return MiningTask(source, target, gold)


def _rows(place: str, lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, first column, second column)."""
    size = 0
    for number, line in enumerate(lines, start=1):
        size += len(line) + _ROW_BYTES
        if size > MAX_FILE_BYTES:
            problem = f"it would take over {MAX_FILE_BYTES:,} bytes of memory"
            raise InputError(place, number, problem, "Split the task")
        first, tab, second = line.partition("\t")
        if not tab or not first:
            raise InputError(place, number, "no id<TAB>text", _REMEDY)
        yield number, first.strip(), second


def _sentences(place: str, lines: Iterable[str]) -> dict[str, str]:
    sentences: dict[str, str] = {}
    for number, identifier, sentence in _rows(place, lines):
        if identifier in sentences:
            raise InputError(place, number, f"the id {identifier} comes twice", _REMEDY)
        sentences[identifier] = sentence
    if not sentences:
        raise InputError(place, None, "the file is empty", _REMEDY)
    return sentences
