"""Codes of languages (BCP 47) and of versions of a language, such as en-kjv."""

from __future__ import annotations


def language_of(code: str) -> str:
    """Return the language of a code: pt for pt-BR, sr for sr-Latn, en for en-kjv and for en."""
    return code.partition("-")[0]
