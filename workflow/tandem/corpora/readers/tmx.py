"""Translation memories (TMX 1.4), read as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import iterparse

from tandem.corpora.readers import Reader
from tandem.errors import InputError
from tandem.files.io import open_binary
from tandem.files.untrusted import Metered, refusing_each
from tandem.text import Pair
from tandem.text.spelling import plain

MAX_UNIT_BYTES = 4_000_000
"""Most that a unit takes in the file, all its languages together."""
MAX_DEPTH, MAX_NAMES = 100, 1000
"""Most elements in each other, and most names of elements and attributes in a file."""
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_CODES = {"bpt", "ept", "ph", "it", "ut"}  # their content is the document's markup, not its text


class TmxReader(Reader):
    """The units of a plain or gzipped TMX that have both languages, white space collapsed.

    A language is matched exactly (case and `_` for `-` aside), else by its first part: `en` takes
    a segment marked en-US, `en-US` none marked `en`. Of several segments the first is taken.
    Inline codes lose their markup, highlights keep their text. Entities are not expanded, and
    nothing outside the file is read.
    """

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; bad XML, declared entities and units beyond the limit are refused."""
        with open_binary(path) as stream:
            for unit in _units(stream, path):
                left, right = _segment(unit, source), _segment(unit, target)
                if left is not None and right is not None:
                    yield plain(left, path), plain(right, path)


def _units(stream: BinaryIO, path: str) -> Iterator[Element]:
    """Yield the units, dropping all that was read, which would otherwise fill the memory."""
    meter = Metered(stream, path, MAX_UNIT_BYTES, "a unit, or what stands between two,")
    steps = iterparse(meter, events=("start", "end", "start-ns"))
    refusal = "no readable TMX", "Mend or export it again"
    names: set[str] = set()  # the parser keeps every one
    opened: list[Element] = []
    for event, element in refusing_each(steps, path, *refusal):
        if event == "start-ns":
            names.update(element)
        elif event == "start":
            opened.append(element)
            names.update((element.tag, *element.keys()))
        else:
            opened.pop()
            if element.tag == "tu":
                yield element
            if not any(outer.tag == "tu" for outer in opened):
                meter.left = meter.left if element.tag != "tu" else MAX_UNIT_BYTES
                for outer in opened:
                    outer.clear()
        if len(opened) > MAX_DEPTH or len(names) > MAX_NAMES:
            problem = f"over {MAX_DEPTH} elements in each other, or {MAX_NAMES} names of elements"
            raise InputError(path, None, problem, "Is this a TMX? Export it again")


def _segment(unit: Element, language: str) -> str | None:
    """Return the text of a unit in a language, or None."""
    wanted = language.casefold().replace("_", "-")
    fallback = None
    for variant in unit.iterfind("tuv"):
        mark = (variant.get(_LANGUAGE) or variant.get("lang") or "").casefold().replace("_", "-")
        segment = variant.find("seg")
        if segment is None:
            continue
        if mark == wanted:
            return _text(segment)
        if fallback is None and mark.split("-")[0] == wanted:
            fallback = _text(segment)
    return fallback


def _text(element: Element) -> str:
    """Return an element's text without the content of inline codes."""
    parts = [element.text or ""]
    for child in element:
        if child.tag not in _CODES:
            parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)
