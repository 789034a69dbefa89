"""Texts that a program hands over: anything but text is refused with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TypeVar

from tandem.errors import TandemError
from tandem.text import Pair

Kind = TypeVar("Kind", bound=StrEnum)


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


def one_of(kinds: type[Kind], value: str, name: str) -> Kind:
    """Return the one of some kinds that a value names; TandemError lists them."""
    try:
        return kinds(value)
    except ValueError as error:
        raise TandemError(f"{name} is {value!r}. Choose one of {', '.join(kinds)}") from error


def two_languages(values: object) -> tuple[str, str]:
    """Return the codes of two languages; TandemError where a value is anything else."""
    codes = [*values] if isinstance(values, Sequence) and not isinstance(values, str) else []
    if len(codes) != 2 or not all(isinstance(code, str) for code in codes):
        problem = f"languages are {values!r}, not the codes of two"
        raise TandemError(f'{problem}. Give them as ("en", "de")')
    return codes[0], codes[1]
