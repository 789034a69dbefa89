"""Translation memories (TMX 1.4), read as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from tandem.corpora.readers import Pair, Reader
from tandem.corpora.text import plain
from tandem.errors import InputError
from tandem.io import open_binary

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
        """Yield the pairs.

        Raises:
            InputError: when the file is not well-formed, declares entities, or has no unit with
                both languages.
        """
        pairs = 0
        with open_binary(path) as stream:
            try:
                for unit in _units(stream):
                    left, right = _segment(unit, source), _segment(unit, target)
                    if left is not None and right is not None:
                        pairs += 1
                        yield plain(left, path), plain(right, path)
            except ParseError as error:
                line, problem = error.position[0], f"not well-formed XML ({error})"
                raise InputError(path, line, problem, "Mend or export it again") from error
            except DefusedXmlException as error:
                problem = f"it declares XML entities ({error})"
                raise InputError(path, None, problem, "Remove its entity declarations") from error
            except (EOFError, OSError) as error:
                problem = f"truncated or damaged gzip ({error})"
                raise InputError(path, None, problem, "Delete it and fetch it again") from error
        if not pairs:
            problem = f"no unit has both {source!r} and {target!r}"
            remedy = "Check the languages against its xml:lang marks"
            raise InputError(path, None, problem, remedy)


def _units(stream: BinaryIO) -> Iterator[Element]:
    """Yield the units, dropping those already read, which would otherwise fill the memory."""
    events = iterparse(stream, events=("start", "end"))
    _, root = next(events)
    for event, element in events:
        if event == "end" and element.tag == "tu":
            yield element
            element.clear()
            for child in root:
                if child.tag == "body":
                    child.clear()


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
