"""What a translator gives, whatever it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol, runtime_checkable


class Translation(NamedTuple):
    """One translated sentence.

    text: one line. log_probability: natural logarithm, the sum over the tokens produced, not
    divided by their number; pieces without text (the unknown one, padding) are never produced and
    have no share of the probability. tokens: how many were produced, the end of the sentence
    included (it is missing only where the length bound cut the output). An empty sentence has no
    tokens, and log-probability 0.
    """

    text: str
    log_probability: float
    tokens: int


EMPTY = Translation("", 0.0, 0)
"""What an empty sentence becomes."""


@runtime_checkable
class Translator(Protocol):
    """Anything that translates sentences."""

    def translate(self, sentences: Iterable[str]) -> Iterator[Translation]:
        """Yield one translation per sentence, in input order, in bounded memory."""
        ...


def one_line(text: str) -> str:
    """Make every run of white space one space: no translation may hold a line break."""
    return " ".join(text.split())
