"""A pair of texts: what bitext is made of."""

from __future__ import annotations

Pair = tuple[str, str]
"""A text and its translation, or what passes for it."""
