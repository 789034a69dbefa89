"""Figures of Table 1 and of training: drawn without a display, the same bytes for the same input.

Colours are Okabe and Ito's, which colour-blind readers can tell apart; every series also has its
own marker or line style, so that the figures survive a black-and-white printer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from tandem.io import atomic_path
from tandem.reporting.results import Experiment, Setting

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", ":", "-.")

STYLE = {
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
"""What would date a file or name a version."""

DPI = 200


def save(figure: Figure, paths: Iterable[str | Path]) -> None:
    """Write a figure to each path, in the format of its ending: .pdf, .png or .svg."""
    for path in map(Path, paths):
        with matplotlib.rc_context(STYLE), atomic_path(path) as temporary:
            figure.savefig(
                temporary, format=path.suffix[1:], dpi=DPI, metadata=METADATA[path.suffix]
            )


def table1_figure(table: pd.DataFrame, settings: Sequence[Setting]) -> Figure:
    """Draw Table 1: a row of dots with 95% intervals for each encoder, a series for each setting.

    Args:
        table: from `table1.table1`.
        settings: the series, in order.
    """
    encoders = list(table["encoder"].unique())
    shown = [s for s in settings if (table["setting"] == s.name).any()]
    with matplotlib.rc_context(STYLE):
        figure = new_figure(6.4, 1.3 + 0.58 * len(encoders))
        axes = figure.subplots()
        for number, setting in enumerate(shown):
            rows = table[table["setting"] == setting.name]
            shift = 0.7 * ((number + 0.5) / len(shown) - 0.5)
            height = [encoders.index(encoder) + shift for encoder in rows["encoder"]]
            _series(axes, rows, height, number, setting.label)
        for line in np.arange(len(encoders) - 1) + 0.5:
            axes.axhline(line, color="0.85", linewidth=0.6)
        axes.set_yticks(range(len(encoders)), encoders)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(encoders) - 0.5, -0.5)
        axes.grid(axis="x", color="0.9", linewidth=0.6)
        axes.set_xlabel("Pearson's r × 100, mean of years, with 95% interval")
        figure.legend(loc="outside upper center", ncols=len(shown), handletextpad=0.3)
    return figure


def learning_curves(
    histories: Mapping[str, Sequence[pd.DataFrame]],
    experiments: Sequence[Experiment],
    settings: Sequence[Setting],
) -> Figure:
    """Draw training loss and validation score over epochs: a column of panels for each encoder.

    Args:
        histories: experiment name to one history per seed, with the columns epoch, loss and
            validation_pearson_x100. A thin line per seed; experiments without one are left out.
        experiments: say which encoder and setting each belongs to.
        settings: the series, in the order (and so the colours) of `table1_figure`.
    """
    trained = [experiment for experiment in experiments if experiment.name in histories]
    encoders = list(dict.fromkeys(experiment.encoder for experiment in trained))
    names = [setting.name for setting in settings]
    rows = {"loss": "training loss", "validation_pearson_x100": "validation, r × 100"}
    with matplotlib.rc_context(STYLE):
        figure = new_figure(0.8 + 1.6 * len(encoders), 4.0)
        panels = figure.subplots(2, len(encoders), squeeze=False, sharex="col", sharey="row")
        for experiment in trained:
            number = names.index(experiment.setting)
            for panel, column in zip(
                panels[:, encoders.index(experiment.encoder)], rows, strict=True
            ):
                _curves(panel, histories[experiment.name], column, number)
        for panel, encoder in zip(panels[0], encoders, strict=True):
            panel.set_title(encoder, fontsize=9)
        for panel, label in zip(panels[:, 0], rows.values(), strict=True):
            panel.set_ylabel(label)
        panels[0, 0].set_ylim(bottom=0)
        figure.supxlabel("epoch", fontsize=9)
        used = sorted({names.index(experiment.setting) for experiment in trained})
        handles = [Line2D([], [], **_line(number), label=settings[number].label) for number in used]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches that no global state knows of."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _series(
    axes: Axes, rows: pd.DataFrame, height: Sequence[float], number: int, label: str
) -> None:
    """Draw the dots and intervals of one setting."""
    mean = rows["mean_pearson_x100"]
    # A bootstrap interval need not hold the estimate; a bar cannot have a negative length
    bars = [mean - rows["mean_low_pearson_x100"], rows["mean_high_pearson_x100"] - mean]
    axes.errorbar(
        mean,
        height,
        xerr=np.clip(bars, 0, None),
        fmt=MARKERS[number % len(MARKERS)],
        color=OKABE_ITO[number % len(OKABE_ITO)],
        markersize=5,
        elinewidth=1.2,
        capsize=2,
        label=label,
    )


def _line(number: int) -> dict[str, str | float]:
    """Colour and dashes of a setting's curves."""
    color, style = OKABE_ITO[number % len(OKABE_ITO)], LINES[number % len(LINES)]
    return {"color": color, "linestyle": style, "linewidth": 1.1}


def _curves(panel: Axes, runs: Sequence[pd.DataFrame], column: str, number: int) -> None:
    """Draw one column of the histories of an experiment's seeds."""
    for run in runs:
        # a line of one point would not be seen
        marker = "o" if run[column].notna().sum() == 1 else None
        panel.plot(run["epoch"], run[column], **_line(number), marker=marker, markersize=3)
    panel.grid(axis="y", color="0.9", linewidth=0.6)
    panel.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=1))
