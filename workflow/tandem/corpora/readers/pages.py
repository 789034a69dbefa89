"""Pages in XML or XHTML that have the same elements in every language, such as manuals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import fromstring
from pydantic import field_validator
from pydantic_core import PydanticCustomError

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.edits import Edits, edited
from tandem.corpora.elements import MAX_DEPTH, local
from tandem.corpora.readers import Placed, Reader
from tandem.errors import InputError
from tandem.files.untrusted import refusing
from tandem.text.spelling import plain

MAX_PAGE_BYTES = 1 << 20
"""Most bytes of a page, which takes twenty times as much memory while it is read."""
MAX_BYTES = 1 << 28
"""Most bytes of all pages of a language."""
_GROUPS = ("language", "page")


class PagesReader(Reader):
    """The blocks of text that stand in the same place of a page in both languages.

    A translation was made block by block: the block of the same number in the other language is
    its translation. A page whose blocks are not of the same elements in both is left out. So are
    blocks that are empty after the edits.
    """

    members: re.Pattern[str]
    """Matches the names of the pages, with the groups `language` and `page`, their section."""
    blocks: tuple[str, ...]
    """Elements that are blocks of text, by name; `name.class` for those of a class alone. What
    stands in blocks inside them, or in `without`, is not part of their own text."""
    without: tuple[str, ...] = ()
    """Elements of which nothing is read, written as those of `blocks`."""
    edits: Edits = ()
    """Patterns in blocks, each with what is put in its place, in this order."""

    @field_validator("members")
    @classmethod
    def _has_groups(cls, members: re.Pattern[str]) -> re.Pattern[str]:
        for group in _GROUPS:
            if group not in members.groupindex:
                text = f"it has no group (?P<{group}>...)"
                raise PydanticCustomError("group", "{text}", {"text": text})
        return members

    def sections(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, list[Placed]]]:
        """Yield each target language with its pairs, reading the source language once.

        InputError where a language has no page, or one is no XML.
        """
        with open_archive(path) as archive:
            left = self._pages(archive, source)
            for target in targets:
                right = self._pages(archive, target)
                yield target, [
                    (page, first, second)
                    for page in left
                    if page in right and _names(left[page]) == _names(right[page])
                    for (_, first), (_, second) in zip(left[page], right[page], strict=True)
                    if first and second
                ]

    def _pages(self, archive: Archive, language: str) -> dict[str, list[tuple[str, str]]]:
        """Return the blocks of the pages of a language: their elements, and their texts."""
        matches = [match for match in map(self.members.fullmatch, archive.names) if match]
        pages, left = {}, MAX_BYTES
        for match in matches:
            if match["language"] != language:
                continue
            place = archive.place(match[0])
            raw = archive.read(match[0], min(left, MAX_PAGE_BYTES))
            left -= len(raw)
            with refusing(place, "no readable XML"):
                root = fromstring(raw)
            blocks: list[tuple[str, list[str]]] = []
            self._read(root, blocks, [], place, 0)
            pages[match["page"]] = [
                (name, plain(edited(plain("".join(parts), place), self.edits), place))
                for name, parts in blocks
            ]
        if not pages:
            languages = ", ".join(sorted({match["language"] for match in matches})) or "none"
            problem = f"no page in the language {language!r}"
            raise InputError(archive.path, None, problem, f"It has: {languages}")
        return pages

    def _read(
        self,
        element: Element,
        blocks: list[tuple[str, list[str]]],
        outer: list[str],
        place: str,
        depth: int,
    ) -> None:
        """Add the blocks in an element to `blocks`, and text of no inner block to `outer`."""
        if depth > MAX_DEPTH:
            raise InputError(place, None, f"over {MAX_DEPTH} elements in each other", "Mend it")
        name = local(element.tag)
        names = {name, f"{name}.{element.get('class')}"}
        if not names.isdisjoint(self.without):
            return
        own = outer
        if not names.isdisjoint(self.blocks):
            own = []
            blocks.append((name, own))
        own.append(element.text or "")
        for child in element:
            self._read(child, blocks, own, place, depth + 1)
            own.append(child.tail or "")


def _names(blocks: Sequence[tuple[str, str]]) -> list[str]:
    return [name for name, _ in blocks]
