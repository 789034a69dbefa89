"""XML of translators (TMX, XLIFF), read as a stream in bounded memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import BinaryIO
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import iterparse

from tandem.corpora.languages import closest
from tandem.errors import InputError
from tandem.files.untrusted import Metered, refusing_each

MAX_UNIT_BYTES = 4_000_000
"""Most that a unit takes in the file, all its languages together."""
MAX_DEPTH, MAX_NAMES = 100, 1000
"""Most elements in each other, and most names of elements and attributes in a file."""
MAX_MARKS = 40
"""Most languages that are counted up where those asked for are not there."""
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def local(tag: str) -> str:
    """Return the name of an element without its namespace."""
    return tag.rpartition("}")[2]


def units(
    stream: BinaryIO, path: str, names: Collection[str], form: str
) -> Iterator[tuple[Element, dict[str, str]]]:
    """Yield the units, elements of these names in any namespace, with what is said around them.

    That is the attributes of the elements that a unit stands in, the inner ones above the outer.
    All that was read is dropped: it would otherwise fill the memory.
    """
    meter = Metered(stream, path, MAX_UNIT_BYTES, "a unit, or what stands between two,")
    steps = iterparse(meter, events=("start", "end", "start-ns"))
    refusal = f"no readable {form}", "Mend or export it again"
    kinds: set[str] = set()  # the parser keeps every one
    opened: list[tuple[Element, dict[str, str]]] = []
    for event, element in refusing_each(steps, path, *refusal):
        if event == "start-ns":
            kinds.update(element)
        elif event == "start":
            opened.append((element, dict(element.attrib)))
            kinds.update((element.tag, *element.keys()))
        else:
            opened.pop()
            is_unit = local(element.tag) in names
            if is_unit:
                yield element, {k: v for _, outer in opened for k, v in outer.items()}
            if not any(local(outer.tag) in names for outer, _ in opened):
                meter.left = MAX_UNIT_BYTES if is_unit else meter.left
                for outer, _ in opened:
                    outer.clear()
        if len(opened) > MAX_DEPTH or len(kinds) > MAX_NAMES:
            problem = f"over {MAX_DEPTH} elements in each other, or {MAX_NAMES} names of elements"
            raise InputError(path, None, problem, f"Is this a {form}? Export it again")


def text_of(element: Element, codes: Collection[str]) -> str:
    """Return an element's text without the content of inline codes, elements of these names."""
    parts = [element.text or ""]
    for child in element:
        if local(child.tag) not in codes:
            parts.append(text_of(child, codes))
        parts.append(child.tail or "")
    return "".join(parts)


class Marks:
    """The languages that units are marked with, for what is said where no unit has both."""

    def __init__(self, path: str, languages: Sequence[str]) -> None:
        """Take the file, and the languages that are asked for."""
        self._path, self._languages, self._seen = path, languages, dict[str, None]()
        self.paired = self.untranslated = False

    def add(self, marks: Collection[str]) -> None:
        """Count up those of a unit."""
        if len(self._seen) < MAX_MARKS:
            self._seen |= dict.fromkeys(mark for mark in marks if mark)

    def check(self) -> None:
        """Raise InputError unless there was a pair."""
        if self.paired:
            return
        if self.untranslated and None not in closest(list(self._seen), self._languages):
            remedy = "Translate it, or export it with its translations"
            raise InputError(self._path, None, "no unit has a target", remedy)
        there = ", ".join(list(self._seen)[:MAX_MARKS]) or "no language"
        problem = f"no unit has {' and '.join(self._languages)}; found {there}"
        raise InputError(self._path, None, problem, "Give languages that units have, or mark them")
