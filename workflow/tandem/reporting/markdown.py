"""Pieces of Markdown that the tables share."""

from __future__ import annotations

from collections.abc import Sequence


def grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; columns after the first are right-aligned."""
    rule = ["---", *["---:"] * (len(headings) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [headings, rule, *rows])


def quantity(number: int | None) -> str:
    """A count with separators; empty where there is none."""
    return "" if number is None else f"{number:,}"
