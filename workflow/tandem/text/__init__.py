"""What counts as a pair of texts, a language, a token, a word, the same text."""

from __future__ import annotations

Pair = tuple[str, str]
"""A text and its translation, or what passes for it: what bitext is made of."""


def language_of(code: str) -> str:
    """Return the language of a code: pt for pt-BR, sr for sr-Latn, en for en-kjv and for en."""
    return code.partition("-")[0]
