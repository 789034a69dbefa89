"""Pieces of Markdown that the tables share."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.reporting.cells import Cell


def grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; columns after the first are right-aligned."""
    rule = ["---", *["---:"] * (len(headings) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [headings, rule, *rows])


def bold_best(cells: Sequence[Cell | None]) -> list[str]:
    """A column of figures with their intervals, the best in bold; empty where there is none."""
    best = max((cell.estimate for cell in cells if cell), default=None)
    several = len({cell.estimate for cell in cells if cell}) > 1
    return ["" if cell is None else _figure(cell, several and cell.estimate == best)
            for cell in cells]  # fmt: skip


def quantity(number: int | None) -> str:
    """A count with separators; empty where there is none."""
    return "" if number is None else f"{number:,}"


def _figure(cell: Cell, best: bool) -> str:
    bounds, mark = cell.interval, "**" * best
    return f"{mark}{bounds.estimate:.1f}{mark} [{bounds.low:.1f}, {bounds.high:.1f}]"
