"""Texts that a program hands over: anything but text is refused with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tandem.errors import TandemError
from tandem.text import Pair


def texts(values: Iterable[object], name: str = "sentences") -> Iterator[str]:
    """Yield the values, all of which must be text; TandemError names another with its place.

    One text by itself is refused: its characters are no sentences.
    """
    if values is None or isinstance(values, str | bytes):
        raise TandemError(f"{name} is {values!r}, no list of texts. Give one, such as [text]")
    for place, value in enumerate(values):
        if not isinstance(value, str):
            raise TandemError(f"{name}[{place}] is {value!r}, not text. Leave it out")
        yield value


def text_pairs(values: Iterable[object], name: str = "pairs") -> Iterator[Pair]:
    """Yield the values, each of which must be two texts; TandemError names another."""
    for place, value in enumerate(values):
        sides = [] if isinstance(value, str) or not isinstance(value, Iterable) else [*value]
        if len(sides) != 2 or not all(isinstance(side, str) for side in sides):
            raise TandemError(f"{name}[{place}] is {value!r}, not two texts. Leave it out")
        yield sides[0], sides[1]
