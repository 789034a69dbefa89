"""Hooks of the site (mkdocs.yml): texts from elsewhere in the repository, with their links.

A line such as `[Table 4](../results/full/table4.md#table-4-encoding-speed)<!-- include -->` stands
for that section of the file, without its heading; without `#...`, for the whole file. So a fact is
written in one place, and on GitHub the line is a link. Below a heading, those of an included file
are a level deeper. A link to a file that the site does not have leads to the repository where its
address is set (`repo_url`), and is plain text otherwise; one to a file that does not exist is left
as it is, which the strict build refuses.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from markdown.extensions.toc import slugify
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
INCLUDED = re.compile(r"\[[^]]*\]\((?P<path>[^)#]+)(?:#(?P<section>[^)]+))?\)<!-- include -->")
LINK = re.compile(r"(?P<text>\[[^][]*)?\]\((?P<path>[^)#:\s]+)(?:#(?P<anchor>[^)\s]+))?\)")
"""A link, or the end of one whose text begins on another line."""
HEADING = re.compile(r"##? (?P<title>.+)")
ANY_HEADING = re.compile(r"#+ ")
INSIDE = re.compile(r" {2,3}(?=\S)")
"""The indentation of what is inside a list item; Python-Markdown wants four spaces."""

homes: dict[str, str] = {}
"""The page that includes a file as a whole, by the file."""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Note which page has which file of the repository."""
    homes.clear()
    for file in files.documentation_pages():
        for found in INCLUDED.finditer(file.content_string):
            if not found["section"]:
                homes[in_repository(f"docs/{file.src_uri}", found["path"])] = file.src_uri


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the included texts into a page, and make its links fit the site."""
    here = page.file.src_uri

    def target(path: str, anchor: str | None) -> str | None:
        """Return where a link to a file of the repository leads: "" nowhere, None as it did."""
        place = path.removeprefix("docs/")
        if path.startswith("docs/") and files.get_file_from_path(place):
            return to_page(place, anchor)
        if path in homes:
            return to_page(homes[path], anchor)
        if not (ROOT / path).exists():
            return None
        if not config.repo_url:
            return ""
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"{config.repo_url}/{kind}/main/{path}" + (f"#{anchor}" if anchor else "")

    def to_page(place: str, anchor: str | None) -> str:
        relative = posixpath.relpath(place, posixpath.dirname(here) or ".")
        return relative + (f"#{anchor}" if anchor else "")

    return "\n".join(
        line if fenced else relinked(line, origin, target)
        for line, origin, fenced in marked(assembled(markdown, f"docs/{here}"))
    )


def assembled(text: str, origin: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a page with those that it includes, each with the file it is from."""
    below = False
    for line, _, fenced in marked((line, origin) for line in text.split("\n")):
        place = INCLUDED.fullmatch(line)
        if not place:
            below |= not fenced and bool(ANY_HEADING.match(line))
            yield line, origin
            continue
        path = in_repository(origin, place["path"])
        lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
        if place["section"]:
            lines = list(section(lines, path, place["section"]))
        for inner, _, inside in marked((inner, path) for inner in lines):
            deeper = below and not inside and ANY_HEADING.match(inner)
            yield f"#{inner}" if deeper else inner, path


def section(lines: list[str], path: str, anchor: str) -> Iterator[str]:
    """Yield the lines of the section with this anchor, up to the next heading of two levels."""
    inside = there = False
    for line, _, fenced in marked((line, path) for line in lines):
        heading = None if fenced else HEADING.fullmatch(line)
        if heading:
            inside = slugify(heading["title"], "-") == anchor
            there |= inside
        elif inside:
            yield line
    if not there:
        raise PluginError(f"{path} has no section #{anchor}")


def marked(lines: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str, bool]]:
    """Yield lines with whether they are in a block of code."""
    fenced = False
    for line, origin in lines:
        fence = line.lstrip().startswith("```")
        yield line, origin, fenced or fence
        fenced ^= fence


def relinked(line: str, origin: str, target: Callable[[str, str | None], str | None]) -> str:
    """Return a line of a file with its links to other files replaced, and its indentation."""

    def replaced(link: re.Match[str]) -> str:
        new = target(in_repository(origin, link["path"]), link["anchor"])
        text = link["text"] or ""
        if new is None or not (new or text):  # the strict build refuses it
            return link[0]
        return f"{text}]({new})" if new else text.removeprefix("[")

    return LINK.sub(replaced, INSIDE.sub(" " * 4, line, count=1) if INSIDE.match(line) else line)


def in_repository(origin: str, path: str) -> str:
    """Return a path that is relative to a file, relative to the repository."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
