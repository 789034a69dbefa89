"""BUCC 2018: two monolingual files with ids, and a gold list of the pairs hidden in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.readers import Pair, Reader
from tandem.corpora.text import collapse
from tandem.errors import InputError
from tandem.io import stream_lines


@dataclass(frozen=True)
class MiningTask:
    """A mining task.

    Attributes:
        source: sentence by id, in the order of the file.
        target: sentence by id, in the order of the file.
        gold: (source id, target id) of the pairs to be found, or None where they are withheld.
    """

    source: dict[str, str]
    target: dict[str, str]
    gold: list[tuple[str, str]] | None


class BuccReader(Reader):
    """The sentences of the gold pairs of one part."""

    part: Literal["sample", "training", "test"]
    """The test part has no gold list, so no pairs."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs.

        Raises:
            InputError: as `read_bucc`, and when the part has no gold list.
        """
        task = read_bucc(path, source, target, self.part)
        if task.gold is None:
            problem = f"no gold list for the part {self.part!r}"
            raise InputError(path, None, problem, "Use the sample or the training archive")
        for left, right in task.gold:
            yield task.source[left], task.target[right]


def read_bucc(path: str | Path, source: str, target: str, part: str) -> MiningTask:
    """Read one part of a BUCC archive: members `*<pair>.<part>.{<source>,<target>,gold}`.

    Args:
        path: the archive.
        source: the language that is mined for, e.g. fr.
        target: the other, en in all of BUCC 2018.
        part: `sample`, `training` or `test`; the test part has no gold.

    Raises:
        InputError: on a missing member, a line without its two columns, an id that comes twice, or
            a gold pair whose id is in neither file.
    """
    with open_archive(path) as archive:
        sides = []
        for language in (source, target):
            name = _member(path, archive, f"{part}.{language}")
            sides.append(_sentences(archive, name, f"{path}!{name}"))
        gold = None
        if any(name.endswith(f"{part}.gold") for name in archive.names):
            name = _member(path, archive, f"{part}.gold")
            place = f"{path}!{name}"
            gold = list(_gold(archive, name, place, *sides))
    return MiningTask(sides[0], sides[1], gold)


def _member(path: str | Path, archive: Archive, ending: str) -> str:
    """Return the name of the one member `*.<ending>`."""
    pattern = re.compile(rf"(?:.*[./])?{re.escape(ending)}")
    found = [name for name in archive.names if pattern.fullmatch(name)]
    if len(found) != 1:
        problem = f"{len(found)} members end in .{ending}, expected one"
        raise InputError(path, None, problem, f"It has: {', '.join(archive.names[:20])}")
    return found[0]


def _rows(archive: Archive, name: str, place: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, first column, second column)."""
    with archive.open(name) as stream:
        for number, line in enumerate(stream_lines(stream, place), start=1):
            first, tab, second = line.partition("\t")
            if not tab or not first:
                raise InputError(place, number, "no id<TAB>text", "Fetch the archive again")
            yield number, first.strip(), second


def _sentences(archive: Archive, name: str, place: str) -> dict[str, str]:
    """Read an id<TAB>sentence file."""
    sentences: dict[str, str] = {}
    for number, identifier, sentence in _rows(archive, name, place):
        if identifier in sentences:
            problem = f"the id {identifier} comes twice"
            raise InputError(place, number, problem, "Fetch the archive again")
        sentences[identifier] = collapse(sentence)
    if not sentences:
        raise InputError(place, None, "the file is empty", "Fetch the archive again")
    return sentences


def _gold(
    archive: Archive, name: str, place: str, source: dict[str, str], target: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Read an id<TAB>id file."""
    for number, left, right in _rows(archive, name, place):
        right = right.strip()
        if left not in source or right not in target:
            problem = f"the pair {left}, {right} names an id that has no sentence"
            raise InputError(place, number, problem, "Use the files of one release")
        yield left, right
