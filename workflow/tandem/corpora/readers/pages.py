"""Pages in XML or HTML that have the same elements in every language, such as manuals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import Annotated
from xml.etree.ElementTree import Element, TreeBuilder

from defusedxml.ElementTree import fromstring

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.edits import Edits, edited
from tandem.corpora.elements import MAX_DEPTH, local
from tandem.corpora.members import naming
from tandem.corpora.readers import Placed, Reader
from tandem.errors import InputError
from tandem.files.untrusted import refusing
from tandem.text.spelling import plain

MAX_PAGE_BYTES = 1 << 20
"""Most bytes of a page, which takes twenty times as much memory while it is read."""
MAX_BYTES = 1 << 28
"""Most bytes of all pages of a language."""
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
"""Elements of HTML that have no end."""


Pages = dict[str, list[tuple[str, str]]]
"""Pages by name: the element and the text of each block."""


class PagesReader(Reader):
    """The blocks of text that stand in the same place of a page in both languages.

    The pages are in one archive or, where its path has `{language}`, in one for each language.

    A translation was made block by block: the block of the same number in the other language is
    its translation. A page whose blocks are not of the same elements in both is left out. So are
    blocks that are empty after the edits.
    """

    members: Annotated[re.Pattern[str], naming("page")]
    """Matches the names of the pages, with a group `page`, their section, and a group `language`
    where one archive holds all languages."""
    blocks: tuple[str, ...]
    """Elements that are blocks of text, by name; `name.class` for those of a class alone. What
    stands in blocks inside them, or in `without`, is not part of their own text."""
    html: bool = False
    """Whether pages are HTML that is no XML."""
    without: tuple[str, ...] = ()
    """Elements of which nothing is read, written as those of `blocks`."""
    edits: Edits = ()
    """Patterns in blocks, each with what is put in its place, in this order."""

    def sections(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, list[Placed]]]:
        """Yield each target language with its pairs, reading the source language once.

        InputError where a language has no page, or one is no XML.
        """
        left = self._pages(path, source)
        for target in targets:
            right = self._pages(path, target)
            yield target, [
                (page, first, second)
                for page in left
                if page in right and _names(left[page]) == _names(right[page])
                for (_, first), (_, second) in zip(left[page], right[page], strict=True)
                if first and second
            ]

    def _pages(self, path: str, language: str) -> Pages:
        """Return the blocks of the pages of a language, from its archive."""
        with open_archive(path.replace("{language}", language)) as archive:
            return self._pages_in(archive, language)

    def _pages_in(self, archive: Archive, language: str) -> Pages:
        matches = [match for match in map(self.members.fullmatch, archive.names) if match]
        pages: Pages = {}
        left = MAX_BYTES
        for match in matches:
            if match.groupdict().get("language", language) != language:
                continue
            place = archive.place(match[0])
            raw = archive.read(match[0], min(left, MAX_PAGE_BYTES))
            left -= len(raw)
            with refusing(place, f"no readable {'HTML' if self.html else 'XML'}"):
                root = _html(raw) if self.html else fromstring(raw)
            blocks: list[tuple[str, list[str]]] = []
            self._read(root, blocks, [], place, 0)
            pages[match["page"]] = [
                (name, plain(edited(plain("".join(parts), place), self.edits), place))
                for name, parts in blocks
            ]
        if not pages:
            languages = {match.groupdict().get("language", language) for match in matches}
            problem = f"no page in the language {language!r}"
            there = ", ".join(sorted(languages)) or "no page at all"
            raise InputError(archive.path, None, problem, f"It has: {there}")
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
        inner = outer
        if not names.isdisjoint(self.blocks):
            inner = []
            blocks.append((name, inner))
        inner.append(element.text or "")
        for child in element:
            self._read(child, blocks, inner, place, depth + 1)
            inner.append(child.tail or "")


def _names(blocks: Sequence[tuple[str, str]]) -> list[str]:
    return [name for name, _ in blocks]


class _Tree(HTMLParser):
    """Builds a tree of HTML, in which an end tag also ends what is open inside its element."""

    def __init__(self) -> None:
        super().__init__()
        self.builder, self.opened = TreeBuilder(), ["html"]
        self.builder.start("html", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in _VOID:
            self.builder.end(tag)
        else:
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open and close an element."""
        self.builder.start(tag, dict[str, str]())
        self.builder.end(tag)

    def handle_data(self, data: str) -> None:
        """Add text."""
        self.builder.data(data)

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and those that are open inside; pass over an end without a start."""
        if tag in self.opened[1:]:
            while (last := self.opened.pop()) != tag:
                self.builder.end(last)
            self.builder.end(tag)


def _html(raw: bytes) -> Element:
    """Return the tree of a page; it has one more element `html` around it."""
    tree = _Tree()
    tree.feed(raw.decode("utf-8"))
    tree.close()
    while tree.opened:
        tree.builder.end(tree.opened.pop())
    return tree.builder.close()
