"""Writing tables: CSV columns, Markdown grids and pages, files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.files.atomic import atomic_path
from tandem.reporting.published import Published

if TYPE_CHECKING:
    import pandas as pd

    from tandem.reporting.scores import Cell
    from tandem.statistics.inference import Estimate


def columns(name: str, metric: str, cell: Cell | Estimate | None) -> dict[str, float | None]:
    """Return the CSV columns of a figure and the bounds of its 95% interval; None if it is missing.

    They are `<name>_<metric>`, `<name>_low_<metric>` and `<name>_high_<metric>`.
    """
    names = [f"{name}_{metric}", f"{name}_low_{metric}", f"{name}_high_{metric}"]
    if cell is None:
        return dict.fromkeys(names)
    bounds = cell.interval
    return dict(zip(names, (bounds.estimate, bounds.low, bounds.high), strict=True))


def grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a Markdown table; columns after the first are right-aligned."""
    rule = ["---", *["---:"] * (len(headings) - 1)]
    lines = [[cell.replace("|", "\\|") for cell in row] for row in [headings, rule, *rows]]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def beside(
    heads: Sequence[Sequence[str]], cells: Sequence[Sequence[Cell | None]]
) -> list[list[str]]:
    """Return the rows of a grid: the head of each, then its figures with their intervals.

    The best of each column is in bold; a figure that is missing is "".
    """
    from tandem.reporting.scores import LOWER

    shown = []
    for column in zip(*cells, strict=True):
        estimates = {cell.estimate: cell.metric for cell in column if cell}
        choose = min if {*estimates.values()} <= LOWER else max
        best = choose(estimates) if len(estimates) > 1 else None
        shown.append([_figure(cell, best) for cell in column])
    return [[*head, *(column[row] for column in shown)] for row, head in enumerate(heads)]


def quoted(entries: Sequence[Published], names: Sequence[str]) -> list[list[str]]:
    """Return published rows: what, where, and the figures of these names, all in italics."""
    rows = []
    for entry in entries:
        figures = [f"*{entry.values[n]:.1f}*" if n in entry.values else "" for n in names]
        rows.append([f"*{entry.about}*", f"*{entry.paper}, {entry.place}*", *figures])
    return rows


def quantity(number: float | None, form: str = ",.0f") -> str:
    """Write a number with separators, or in this form; empty where there is none."""
    return "" if number is None or math.isnan(number) else format(number, form)


def with_interval(
    values: Mapping[str, Any] | pd.Series, name: str, unit: str, sign: str = ""
) -> str:
    """Write a figure of a row and its interval, from the columns that `columns` names.

    Empty for NaN or None, and without brackets if the interval is one. With "+" every sign is
    shown.
    """
    estimate, low, high = (values[f"{name}{part}_{unit}"] for part in ("", "_low", "_high"))
    if estimate is None or math.isnan(estimate):
        return ""
    alone = low is None or math.isnan(low)
    return f"{estimate:{sign}.1f}" + ("" if alone else f" [{low:.1f}, {high:.1f}]")


def p_value(p: float | None) -> str:
    """Write a p-value to three decimals, a smaller one as < 0.001; empty where there is none."""
    return "< 0.001" if p is not None and p < 0.001 else quantity(p, ".3f")


def page(*parts: str) -> str:
    """Join the parts of a page, leaving out empty ones."""
    return "\n\n".join(part for part in parts if part) + "\n"


def over_seeds_note(counts: Iterable[int]) -> str:
    """Say over how many seeds figures are averaged."""
    numbers = sorted(set(counts))
    return f"averaged over {' or '.join(map(str, numbers))} seed{'s' * (numbers != [1])}"


def write_frame(path: str | Path, frame: pd.DataFrame) -> None:
    """Write a table as CSV: figures to four decimals, empty where there is none."""
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.4f", lineterminator="\n")


def _figure(cell: Cell | None, best: float | None) -> str:
    if cell is None:
        return ""
    bounds, mark = cell.interval, "**" * (cell.estimate == best)
    return f"{mark}{bounds.estimate:.1f}{mark} [{bounds.low:.1f}, {bounds.high:.1f}]"
