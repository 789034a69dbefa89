"""Corrections of text that a register gives: patterns, and what is put in their place."""

from __future__ import annotations

import re

Edits = tuple[tuple[re.Pattern[str], str], ...]
"""Each pattern with what replaces it, which may name its groups; in the order of their use."""


def edited(text: str, edits: Edits) -> str:
    """Return a text after all edits."""
    for pattern, replacement in edits:
        text = pattern.sub(replacement, text)
    return text
