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
These are the corpora that it learned from, and below them the notices and the names of authors that
their licences ask to keep with what is made from the text. Whether a model is a derivative of its
text is not settled; if it is, all of these licences hold for it.

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
    """Return what metadata hold of corpora; a notice of several stands there once."""
    rows, notices = [], dict[str, list[str]]()
    for origin in dict.fromkeys(origins):
        values = {"name": origin.name, "licence": origin.licence, "source": origin.source}
        rows.append({key: value for key, value in values.items() if value})
        if origin.notice:
            notices.setdefault(origin.notice, []).append(origin.name)
    texts = [{"corpora": names, "text": text} for text, names in notices.items()]
    return ({"corpora": rows} if rows else {}) | ({"notices": texts} if texts else {})


def origins_in(metadata: Mapping[str, Any]) -> list[Origin]:
    """Return the corpora that metadata hold, without those of a model that training began from."""
    notices = {
        str(name): str(notice.get("text", ""))
        for notice in _records(metadata, "notices")
        for name in _list(notice.get("corpora"))
    }
    return [
        Origin(name, str(row.get("licence", "")), str(row.get("source", "")), notices.get(name, ""))
        for row in _records(metadata, "corpora")
        if isinstance(name := row.get("name"), str)
    ]


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
    rows = (" | ".join(_cell(value) for value in origin[:3]) for origin in origins)
    text = _HEAD + "".join(f"| {row} |\n" for row in rows)
    for notice in _records(stored(origins), "notices"):
        lines = (f"    {line}".rstrip() for line in notice["text"].strip("\n").split("\n"))
        text += f"\n## {', '.join(notice['corpora'])}\n\n" + "\n".join(lines) + "\n"
    (folder / NOTICE).write_text(text, encoding="utf-8", newline="\n")


def _records(metadata: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Return the mappings of a list; what else somebody's metadata may hold is left out."""
    return [row for row in _list(metadata.get(key)) if isinstance(row, Mapping)]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _cell(value: str) -> str:
    return " ".join(value.split()).replace("|", "\\|")
