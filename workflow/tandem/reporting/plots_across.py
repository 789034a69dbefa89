"""Figures of Tables 2 to 4."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tandem.reporting.plots import LINES, MARKERS, OKABE_ITO, STYLE, new_figure

_SUFFIXES = {"_pearson_x100": "Pearson's r × 100", "_p_at_1_x100": "P@1 × 100"}


def table2_figure(table: pd.DataFrame) -> Figure:
    """Draw Table 2: a row of dots for each track and each direction of retrieval.

    Args:
        table: from `table2.table2`.
    """
    groups = {label: _columns(table, suffix) for suffix, label in _SUFFIXES.items()}
    groups = {label: columns for label, columns in groups.items() if columns}
    heights = [len(columns) for columns in groups.values()]
    with matplotlib.rc_context(STYLE):
        figure = new_figure(6.4, 1.4 + 0.5 * sum(heights))
        panels = figure.subplots(len(groups), squeeze=False, height_ratios=heights)[:, 0]
        for panel, (label, columns) in zip(panels, groups.items(), strict=True):
            _dots(panel, table, columns)
            panel.set_xlabel(f"{label}, with 95% interval")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=min(3, len(names)))
    return figure


def table3_figure(table: pd.DataFrame) -> Figure:
    """Draw Table 3: F1 by retrieval, a line for each score, a panel for each task and encoder.

    Args:
        table: from `table3.table3`.
    """
    tasks, encoders = list(table["task"].unique()), list(table["encoder"].unique())
    scores = list(table["score"].unique())
    with matplotlib.rc_context(STYLE):
        figure = new_figure(max(4.2, 1.0 + 1.7 * len(tasks)), 1.2 + 2.2 * len(encoders))
        panels = figure.subplots(len(encoders), len(tasks), squeeze=False, sharey=True)
        for (row, column), panel in np.ndenumerate(panels):
            chosen = table[(table["task"] == tasks[column]) & (table["encoder"] == encoders[row])]
            _scores(panel, chosen, scores)
            panel.set_title(f"{encoders[row]}, {tasks[column]}", fontsize=9)
        for panel in panels[:, 0]:
            panel.set_ylabel("F1 × 100, test part")
            panel.set_ylim(bottom=0)
        handles, names = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=min(3, len(names)))
    return figure


def table4_figure(table: pd.DataFrame) -> Figure:
    """Draw Table 4: sentences per second in the first pass and at the best batch size, log scale.

    Args:
        table: from `table4.table4`.
    """
    ordered = table.sort_values("best_per_s", kind="stable")
    devices = list(table["device"].unique())
    with matplotlib.rc_context(STYLE):
        figure = new_figure(6.4, 1.0 + 0.4 * len(table))
        axes = figure.subplots()
        names = [f"{row['encoder']} ({row['device']})" for _, row in ordered.iterrows()]
        # points, not bars: the length of a bar means nothing on a logarithmic axis
        for place, (_, row) in enumerate(ordered.iterrows()):
            number, rate = devices.index(row["device"]), row["best_per_s"]
            style = {"marker": MARKERS[number], "color": OKABE_ITO[number], "markersize": 6}
            axes.plot(row["first_per_s"], place, markerfacecolor="white", **style)
            axes.plot(rate, place, **style)
            right = max(rate, row["first_per_s"]), place
            axes.annotate(f"{rate:,.0f}", right, (7, 0), textcoords="offset points", va="center")
        signs = ["hollow: first pass"]
        limit = table["sentencepiece_per_s"].max()
        if limit > 0:  # NaN where it was not measured
            axes.axvline(limit, color="0.4", linestyle="--", linewidth=0.8)
            signs.append("dashed: SentencePiece alone")
        axes.set_title("; ".join(signs), loc="right", fontsize="small")
        axes.set_yticks(range(len(names)), names)
        axes.set_xscale("log")
        slowest = table[["first_per_s", "best_per_s"]].min(axis=None)
        ends = np.log10([slowest, ordered["best_per_s"].max() * 4])
        axes.set_xlim(*10.0 ** np.array([np.floor(ends[0]), np.ceil(ends[1])]))
        axes.grid(axis="x", color="0.9", linewidth=0.6)
        axes.set_xlabel("sentences per second from raw text, best batch size")
    return figure


def _columns(table: pd.DataFrame, suffix: str) -> list[str]:
    """Columns that hold figures of one kind, without their bounds and without empty ones."""
    names = [c.removesuffix(suffix) for c in table.columns if c.endswith(suffix)]
    names = [name for name in names if not name.endswith(("_low", "_high"))]
    return [f"{name}{suffix}" for name in names if table[f"{name}{suffix}"].notna().any()]


def _dots(panel: Axes, table: pd.DataFrame, columns: Sequence[str]) -> None:
    """Draw a series for each row of the table over the columns, top to bottom."""
    names = []
    for number, (_, row) in enumerate(table.iterrows()):
        shift = 0.7 * ((number + 0.5) / len(table) - 0.5)
        names = [next(column.removesuffix(s) for s in _SUFFIXES if column.endswith(s))
                 for column in columns]  # fmt: skip
        unit = columns[0].removeprefix(names[0])
        means = np.array([row[column] for column in columns], float)
        bounds = [[row[f"{n}_{b}{unit}"] for n in names] for b in ("low", "high")]
        low, high = np.array(bounds, float)
        # a bootstrap interval need not hold the estimate; a bar cannot have a negative length
        bars = np.clip([means - low, high - means], 0, None)
        panel.errorbar(
            means,
            np.arange(len(columns)) + shift,
            xerr=bars,
            fmt=MARKERS[number % len(MARKERS)],
            color=OKABE_ITO[number % len(OKABE_ITO)],
            markersize=4,
            elinewidth=1.0,
            label=row["row"],
        )
    panel.set_yticks(range(len(columns)), names)
    panel.tick_params(axis="y", length=0)
    panel.set_ylim(len(columns) - 0.5, -0.5)
    panel.grid(axis="x", color="0.9", linewidth=0.6)


def _scores(panel: Axes, rows: pd.DataFrame, scores: Sequence[str]) -> None:
    """Draw a line for each score over the retrievals."""
    retrievals = list(rows["retrieval"].unique())
    for number, score in enumerate(scores):
        chosen = rows[rows["score"] == score]
        means = chosen["test_f1_x100"].to_numpy()
        low, high = (chosen[f"test_f1_{bound}_x100"].to_numpy() for bound in ("low", "high"))
        shift = 0.5 * ((number + 0.5) / len(scores) - 0.5)
        panel.errorbar(
            [retrievals.index(retrieval) + shift for retrieval in chosen["retrieval"]],
            means,
            yerr=np.clip([means - low, high - means], 0, None),
            fmt=MARKERS[number % len(MARKERS)],
            linestyle=LINES[number % len(LINES)],
            color=OKABE_ITO[number % len(OKABE_ITO)],
            markersize=3.5,
            linewidth=0.8,
            elinewidth=0.8,
            label=score,
        )
    panel.set_xticks(range(len(retrievals)), retrievals, rotation=40, ha="right")
    panel.grid(axis="y", color="0.9", linewidth=0.6)
