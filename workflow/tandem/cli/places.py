"""What a command reads and writes: its parser marks the arguments that name it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tandem.corpora.files import STDIO
from tandem.files.outputs import Place

_ALL = slice(None)


def add_input(
    parser: argparse.ArgumentParser,
    *names: str,
    words: slice = _ALL,
    **settings: Any,  # noqa: ANN401
) -> None:
    """Add an argument that names something to read: with all its words, or those of a slice.

    `settings` are those of `add_argument`.
    """
    mark_input(parser, parser.add_argument(*names, **settings).dest, words)


def mark_input(parser: argparse.ArgumentParser, name: str, words: slice = _ALL) -> None:
    """Mark an attribute of the options as naming something to read."""
    parser.set_defaults(inputs={**(parser.get_default("inputs") or {}), name: words})


def add_place(
    parser: argparse.ArgumentParser,
    *names: str,
    **settings: Any,  # noqa: ANN401
) -> None:
    """Add an argument that names a place to write to; `settings` are those of `add_argument`."""
    place = parser.add_argument(*names, **settings).dest
    parser.set_defaults(places=(*(parser.get_default("places") or ()), place))


def inputs_of(options: argparse.Namespace) -> list[Place]:
    """Return all that a command reads: paths, and 0 for stdin."""
    arguments = vars(options)
    marked = (_words(arguments[name], part) for name, part in options.inputs.items())
    return [0 if word == STDIO else str(word) for words in marked for word in words]


def places_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the places that a command writes to, by the names of their arguments."""
    values = {name: vars(options)[name] for name in options.places}
    return {name: str(value) for name, value in values.items() if value not in (None, STDIO)}


def _words(value: str | Path | Sequence[Any] | None, part: slice) -> list[str | Path]:
    """Return the names in the value of an argument, which may be repeated or have many words."""
    if isinstance(value, str | Path):
        return [value] if str(value) else []
    rows = list(value or ())
    if all(isinstance(row, str | Path) for row in rows):
        return rows[part]
    return [word for row in rows for word in row[part]]
