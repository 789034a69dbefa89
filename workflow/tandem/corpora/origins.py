"""Whence the text of a model came: its corpora, with licences, and the notices that go with it.

All of it stands in a model's metadata, and so goes where these go: into copies, exports, and models
that training starts from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tandem.errors import InputError

NOTICE = "NOTICE.md"
_HEAD = """# Notices

A model is arrays of numbers and a list of pieces of words; no text that it learned from is in it.
These are the corpora of stated licence that it learned from, or a model that its training started
from, and below them the notices and the names of authors that the licences ask to keep with what is
made from the text. What else it learned from, such as text of those who trained it, is not named
here. Whether a model is a derivative of its text is not settled; if it is, all of these licences
hold for it.

| corpus | licence | source |
| --- | --- | --- |
"""


class Origin(NamedTuple):
    """A corpus that was learned from.

    Attributes:
        name: of the corpus.
        licence: as its publisher states it.
        source: the pinned package, or the address, that it comes from; empty: not stated.
        notice: what its licence asks to keep with what is made from it, copyright and authors.
    """

    name: str
    licence: str
    source: str = ""
    notice: str = ""


def notice_text(register: str | Path, name: str) -> str:
    """Return the text of a file beside a register; none has no text.

    Raises:
        InputError: it cannot be read.
    """
    file = Path(register).parent / name if name else None
    try:
        return file.read_text(encoding="utf-8") if file else ""
    except (OSError, UnicodeDecodeError) as error:
        problem = f"its `notice` {file} cannot be read ({error})"
        raise InputError(register, None, problem, "Write that file, or correct its name") from error


def stored(origins: Iterable[Origin]) -> dict[str, Any]:
    """Return what metadata hold of corpora: those with a notice name its place in `notices`."""
    rows, notices = [], list[str]()
    for origin in dict.fromkeys(origins):
        values: dict[str, Any] = origin._asdict()
        if origin.notice:
            if origin.notice not in notices:
                notices.append(origin.notice)
            values["notice"] = notices.index(origin.notice)
        rows.append({key: value for key, value in values.items() if value != ""})
    return ({"corpora": rows} if rows else {}) | ({"notices": notices} if notices else {})


def origins_in(metadata: Mapping[str, Any]) -> list[Origin]:
    """Return the corpora that metadata hold, without those of a model that training began from.

    Metadata may be anybody's: what is no text there is left out.
    """
    notices = dict(enumerate(_list(metadata.get("notices"))))
    origins = []
    for row in _list(metadata.get("corpora")):
        if isinstance(row, Mapping) and _text(row.get("name")):
            place = row.get("notice")
            notice = notices.get(place) if isinstance(place, int) else ""
            parts = row["name"], row.get("licence"), row.get("source"), notice
            origins.append(Origin(*map(_text, parts)))
    return origins


def lineage(metadata: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the metadata of a model, of the one that it was started from, and so on."""
    yield metadata
    start = metadata.get("start")
    if isinstance(start, Mapping) and isinstance(trained := start.get("training"), Mapping):
        yield from lineage(trained)


def write_notice(folder: Path, metadata: Mapping[str, Any]) -> None:
    """Write NOTICE.md into a model's folder, if corpora of its or of its start are known."""
    origins = dict.fromkeys(o for part in lineage(metadata) for o in origins_in(part))
    if not origins:
        return
    text = _HEAD + "".join(f"| {' | '.join(map(inline, origin[:3]))} |\n" for origin in origins)
    for notice in dict.fromkeys(origin.notice for origin in origins if origin.notice):
        names = ", ".join(inline(o.name) for o in origins if o.notice == notice)
        lines = (f"    {line}".rstrip() for line in notice.strip("\n").splitlines())
        text += f"\n## {names}\n\n" + "\n".join(lines) + "\n"
    (folder / NOTICE).write_text(text, encoding="utf-8", newline="\n")


def inline(value: object) -> str:
    """Return a value as Markdown on one line: no bar of it ends a cell, and no tag begins."""
    return " ".join(str(value).split()).replace("|", "\\|").replace("<", "&lt;")


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    """Return what is text, and can be written; else nothing."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
