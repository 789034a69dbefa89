"""Figures: the dot plot with intervals, and the style that all figures share.

Drawn without a display, the same bytes for the same input. Colours are Okabe and Ito's, which
colour-blind readers can tell apart; every series also has its own marker or line style, so that the
figures survive a black-and-white printer.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from tandem.files.atomic import atomic_path
from tandem.reporting.scores import METRICS

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", ":", "-.")

STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # text stays text
    "svg.fonttype": "none",
    "svg.hashsalt": "tandem",  # element names do not change from run to run
}
METADATA: dict[str, dict[str, str | None]] = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
}
"""Entries left out because they would date a file or name a version."""

DPI = 200
WIDTH = 6.4
_LEGEND_CHARACTERS = 75  # of labels that fit beside each other in this width
_HANDLE = 4  # characters that the marker before a label takes


@dataclass(frozen=True)
class Dots:
    """One panel of dots: rows from top to bottom, a series for each label.

    `series` holds (rows, 3) numbers, estimate and the bounds of its interval; a row of NaN is not
    drawn, and bounds that are NaN give a dot alone. `limit` is a value to mark and its name.
    Panels of the same quantity (`xlabel`) and `group` share its axis where they stand in columns.
    """

    xlabel: str
    rows: Sequence[str]
    series: Mapping[str, np.ndarray]
    title: str = ""
    log: bool = False
    limit: tuple[float, str] | None = None
    group: str = ""


@dataclass(frozen=True)
class Curves:
    """One panel of curves over a quantity, by default on a logarithmic axis.

    `series` holds for each label (points, 4) numbers: place, estimate, bounds of its interval.
    """

    xlabel: str
    ylabel: str
    series: Mapping[str, np.ndarray]
    title: str = ""
    log: bool = True


def save(figure: Figure, paths: Iterable[str | Path]) -> None:
    """Write a figure to each path, in the format of its ending: .pdf, .png or .svg."""
    with matplotlib.rc_context(STYLE):
        _fit_texts(figure)
    for path in map(Path, paths):
        form, metadata = path.suffix[1:], METADATA[path.suffix]
        with matplotlib.rc_context(STYLE), atomic_path(path) as temporary:
            figure.savefig(temporary, format=form, dpi=DPI, metadata=metadata)


def _fit_texts(figure: Figure) -> None:
    """Break labels and titles of panels into lines that fit the figure, or their column of it."""
    figure.draw_without_rendering()  # where everything is
    right = figure.bbox.width
    for axes in figure.axes:
        place, beside = axes.get_window_extent(), axes.get_subplotspec()
        middle = (place.x0 + place.x1) / 2
        room = 2 * min(middle, right - middle)
        if beside is not None and beside.get_gridspec().ncols > 1:
            room = min(room, 1.1 * place.width)
        for text in (axes.xaxis.label, axes.title):
            words, width = text.get_text(), text.get_window_extent().width
            if width > room:
                text.set_text(textwrap.fill(words, max(int(len(words) * room / width), 1)))


def new_figure(width: float, height: float) -> Figure:
    """Return a figure of this size in inches that no global state knows of."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def bounds(frame: pd.DataFrame, name: str, metric: str) -> np.ndarray:
    """Return a figure's columns, (rows, 3): estimate, low, high, as `writer.columns` names them."""
    names = [f"{name}_{metric}", f"{name}_low_{metric}", f"{name}_high_{metric}"]
    return frame[names].to_numpy(float)


def panels_of(frame: pd.DataFrame) -> list[Dots]:
    """Return a panel for each metric: a row for each measured column, a series for each line.

    Series are named by the first column of the frame.
    """
    measured: dict[str, list[str]] = {}
    for column in frame.columns:
        matched = re.fullmatch(r"(.+)_low_(.+)", column)
        if matched and frame[column].notna().any():
            measured.setdefault(matched[2], []).append(matched[1])
    panels = []
    for metric, names in measured.items():
        values = np.stack([bounds(frame, name, metric) for name in names])  # (columns, lines, 3)
        series = {str(label): values[:, line] for line, label in enumerate(frame.iloc[:, 0])}
        panels.append(Dots(f"{METRICS.get(metric, metric)}, with 95% interval", names, series))
    return panels


def dot_plot(panels: Sequence[Dots], columns: int = 1) -> Figure:
    """Draw panels of dots with their intervals, row by row, and one legend for all.

    Those that stand beside each other, in `columns`, share row labels; the last row of panels need
    not be full.
    """
    labels = list(dict.fromkeys(label for panel in panels for label in panel.series))
    rows = [len(panel.rows) for panel in panels[::columns]]
    row_height = 0.1 + 0.12 * len(labels)
    with matplotlib.rc_context(STYLE):
        width = max(WIDTH, 1.2 + 1.7 * columns)
        figure = new_figure(width, 0.7 + sum(0.6 + row_height * count for count in rows))
        places = figure.subplots(len(rows), columns, squeeze=False, height_ratios=rows).ravel()
        axes = places[: len(panels)]
        for unused in places[len(panels) :]:
            unused.remove()
        first: dict[tuple[str, str], Axes] = {}
        for place, (panel, dots) in enumerate(zip(axes, panels, strict=True)):
            like = first.setdefault((dots.xlabel, dots.group), panel)
            if columns > 1 and like is not panel:
                panel.sharex(like)
            _draw(panel, dots, labels)
            panel.tick_params(labelleft=place % columns == 0)
        _legend(figure, axes, labels)
    return figure


def line_plot(panels: Sequence[Curves]) -> Figure:
    """Draw panels of curves, three beside each other at most, and one legend for all.

    Intervals are bars.
    """
    labels = list(dict.fromkeys(label for panel in panels for label in panel.series))
    rows = math.ceil(len(panels) / 3)
    columns = math.ceil(len(panels) / rows)
    with matplotlib.rc_context(STYLE):
        figure = new_figure(max(WIDTH, 2.7 * columns), 0.5 + 2.6 * rows)
        places = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in places[len(panels) :]:
            axes.remove()
        for axes, panel in zip(places[: len(panels)], panels, strict=True):
            for label, points in panel.series.items():
                number = labels.index(label)
                place, estimate, low, high = points[np.argsort(points[:, 0])].T
                axes.errorbar(
                    place, estimate, yerr=bars(estimate, low, high),
                    linestyle=LINES[number % len(LINES)], **_look(number),
                    markersize=4, linewidth=1.2, elinewidth=0.9, capsize=2, label=label,
                )  # fmt: skip
            if panel.log:
                logarithmic(axes)
            axes.grid(color="0.9", linewidth=0.6)
            axes.set(xlabel=panel.xlabel, ylabel=panel.ylabel)
            axes.set_title(panel.title, fontsize=9)
        _legend(figure, places[: len(panels)], labels)
    return figure


def _look(number: int) -> dict[str, Any]:
    """Return colour and marker of a series, hollow where the colours have come round again."""
    again, place = divmod(number, len(OKABE_ITO))
    face = {"markerfacecolor": "white"} if again else {}
    return {"color": OKABE_ITO[place], "marker": MARKERS[place], **face}


def bars(estimate: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
    """Return the lengths of the bars of intervals, (2, points); None where there is no interval."""
    # a bootstrap interval need not hold the estimate; a bar cannot have a negative length
    lengths = np.nan_to_num(np.clip([estimate - low, high - estimate], 0, None))
    return lengths if lengths.any() else None


def _legend(figure: Figure, panels: Iterable[Axes], labels: Iterable[str]) -> None:
    """Write one legend over all panels, in as many columns as are not too wide.

    The labels come first, in their order, then what else the panels mark.
    """
    handles: dict[str, Any] = dict.fromkeys(labels)
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles[label] = handles.get(label) or handle
    most = int(_LEGEND_CHARACTERS * figure.get_figwidth() / WIDTH)
    figure.legend(
        list(handles.values()), [textwrap.fill(label, most - _HANDLE) for label in handles],
        loc="outside upper center", ncols=_legend_columns(list(handles), most), handletextpad=0.4,
    )  # fmt: skip


def _legend_columns(labels: Sequence[str], most: int) -> int:
    """Return how many columns of labels stand beside each other in so many characters."""
    for columns in range(len(labels), 1, -1):
        widths = [max(map(len, part)) + _HANDLE for part in np.array_split(labels, columns)]
        if sum(widths) <= most:
            return columns
    return 1


def logarithmic(axes: Axes) -> None:
    """Make the horizontal axis logarithmic, with plain numbers: 0.3, 1, 3, 10, 30, 3k.

    Call it when the data are drawn.
    """
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes.xaxis.set_major_formatter(EngFormatter(sep="") if axes.get_xlim()[0] >= 1 else "{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())  # would overlap within a decade


def _draw(panel: Axes, dots: Dots, labels: Sequence[str]) -> None:
    """Draw one panel; `labels` are all series of the figure, so that colours agree."""
    shown = [label for label in labels if label in dots.series]
    for place, label in enumerate(shown):
        number, values = labels.index(label), dots.series[label]
        kept = np.flatnonzero(np.isfinite(values[:, 0]))
        estimate, low, high = values[kept].T
        panel.errorbar(
            estimate, kept + 0.7 * ((place + 0.5) / len(shown) - 0.5),
            xerr=bars(estimate, low, high), linestyle="none", **_look(number),
            markersize=4.5, elinewidth=1.1, capsize=2, label=label,
        )  # fmt: skip
    for line in np.arange(len(dots.rows) - 1) + 0.5:
        panel.axhline(line, color="0.85", linewidth=0.6)
    if dots.limit:
        value, name = dots.limit
        panel.axvline(value, color="0.4", linestyle="--", linewidth=0.8, label=name)
    if dots.log:
        logarithmic(panel)
    panel.set_yticks(range(len(dots.rows)), dots.rows)
    panel.tick_params(axis="y", length=0)
    panel.set_ylim(len(dots.rows) - 0.5, -0.5)
    panel.grid(axis="x", color="0.9", linewidth=0.6)
    panel.set_title(dots.title, fontsize=9)
    panel.set_xlabel(dots.xlabel)
