"""Figure 1: gain on STS against SentencePiece overlap and against language distance.

Wieting et al. (2019), "Does Language Choice Matter?". Colour and shape tell scripts apart, filled
and open markers the clusters of high and low overlap, so that nothing rests on colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import textalloc
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from scipy.stats import t as student

from tandem.errors import TandemError
from tandem.reporting.plots import MARKERS, OKABE_ITO, STYLE, new_figure
from tandem.statistics.bootstrap import LEVEL
from wieting2019.methods.points import SETTING
from wieting2019.methods.settings import THRESHOLD

AXES = {
    "overlap_types": "SentencePiece overlap with English (share of types)",
    "featural": "distance from English (URIEL, featural)",
}
"""The two panels: predictor to the label of its axis."""

LABEL = "language-label"
"""Group id of the labels, by which a reader of the figure object finds them."""

_RESPONSE = "gain over the untrained encoder, mean STS 2012\N{EN DASH}2016 (r × 100)"
_LINE = "0.45"
_BAR = "0.7"
_DOTS = (0, (1, 2))
_START: dict[str, Any] = {"color": "0.25", "linewidth": 0.9, "linestyle": "--"}
"""The line of no gain."""
_MARKER = 5.1
_LETTERS = 7

Looks = Mapping[str, tuple[str, str]]
"""Colour and shape of each group of scripts."""


def figure1(points: pd.DataFrame, correlations: pd.DataFrame, groups: Sequence[str]) -> Figure:
    """Draw the two panels for one setting.

    Error bars are 95% intervals of the mean gain, by Student's t over seeds. The gain is taken over
    the same seed's random start, which all languages share, so the start adds no error to the
    comparison between them. The clusters shown are those of the paper's threshold or, where too few
    languages stand on either side of it, of the threshold that divides the overlaps best.

    Args:
        points: the rows of `language_points` of one panel, plain or marked.
        correlations: of that setting's gains with AXES, to print with the thresholds.
        groups: the groups of scripts in the order of the register, so that a group looks the same
            in every figure.

    Raises:
        TandemError: when the points are of several settings, or of more groups than MARKERS.
    """
    if len(points[SETTING].drop_duplicates()) != 1:
        raise TandemError("Figure 1 shows one setting: choose one panel, plain or marked")
    if len(groups) > len(MARKERS):
        raise TandemError(
            f"{len(groups)} groups of scripts: merge some, figures have {len(MARKERS)} markers"
        )
    rows = correlations[(correlations["response"] == "gain") & (correlations["held"] == "")]
    thresholds = rows.dropna(subset="threshold").groupby("split")["threshold"].first()
    split = next((name for name in ("paper", "data") if name in thresholds), None)
    threshold = thresholds[split] if split else np.nan
    looks = dict(zip(groups, zip(OKABE_ITO, MARKERS, strict=True), strict=False))
    with matplotlib.rc_context(STYLE):
        figure = new_figure(10.0, 6.0)
        first, second = figure.subplots(1, 2, sharey=True)
        panels = {"overlap_types": first, "featural": second}
        for name, axes in panels.items():
            _scatter(axes, points, name, looks, threshold)
            shown = rows[(rows["predictor"] == name) & rows["split"].isin(["", split])]
            axes.set_xlabel(AXES[name])
            axes.set_title(_title(shown), loc="left", size=8)
        first.set_ylabel(_RESPONSE)
        visible = _show_clusters(first, thresholds, threshold)
        _legend(figure, points, looks, threshold, visible)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # the labels are placed for this layout
        for name, axes in panels.items():
            _label(axes, points, name)
    return figure


def half_interval(points: pd.DataFrame) -> np.ndarray:
    """Return half the 95% interval of each mean gain, by Student's t over seeds; 0 for one seed."""
    seeds = points["seeds"].to_numpy(dtype=np.float64)
    several = np.maximum(seeds, 2)
    half = student.ppf((1 + LEVEL) / 2, several - 1) * points["gain_sd"] / np.sqrt(several)
    return np.where(seeds > 1, half, 0.0)


def _scatter(
    axes: Axes, points: pd.DataFrame, predictor: str, looks: Looks, threshold: float
) -> None:
    """Draw points, error bars, and the line of no gain."""
    axes.margins(0.07, 0.08)
    axes.axhline(0, zorder=1, **_START)
    axes.grid(color="0.93", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.errorbar(
        points[predictor], points["gain"], yerr=half_interval(points),
        fmt="none", ecolor=_BAR, elinewidth=0.7, zorder=2,
    )  # fmt: skip
    low = points["overlap_types"] < threshold
    for (group, cluster), members in points.groupby(["script_group", low], sort=False):
        colour, marker = looks[str(group)]
        axes.scatter(
            members[predictor], members["gain"], s=_MARKER**2, marker=marker, linewidths=1.1,
            edgecolors=colour, facecolors="white" if cluster else colour, zorder=3,
        )  # fmt: skip


def _label(axes: Axes, points: pd.DataFrame, predictor: str) -> None:
    """Write each language's code beside its point, clear of the other labels and points.

    The library tries the places around a point in a fixed order, so labels stay where they are.
    """
    axes.set(xlim=axes.get_xlim(), ylim=axes.get_ylim())  # a label must not move the points
    x, y = points[predictor].to_numpy(), points["gain"].to_numpy()
    textalloc.allocate(
        axes, x, y, points["language"].tolist(), x_scatter=x, y_scatter=y,
        scatter_sizes=list(np.full(len(x), _MARKER)), textsize=_LETTERS, min_distance=0.012,
        max_distance=0.15, margin=0.002, nbr_candidates=500, linecolor=_LINE, linewidth=0.4,
        avoid_label_lines_overlap=True, gid=LABEL,
        path_effects=[withStroke(linewidth=1.4, foreground="white")],
    )  # fmt: skip


def _title(rows: pd.DataFrame) -> str:
    """Write rho and n over all languages, with the interval, and beneath them for each cluster."""
    parts = {}
    for _, row in rows.iterrows():
        n = f"n = {row['n']}"
        if np.isnan(row["rho_x100"]):
            parts[row["cluster"]] = f"no figure ({n})"
            continue
        interval = f"95%: {row['low']:.0f} to {row['high']:.0f}, " * (row["cluster"] == "all")
        parts[row["cluster"]] = f"ρ × 100 = {row['rho_x100']:.0f} ({interval}{n})"
    names = {"all": "all languages", "low": "low overlap", "high": "high overlap"}
    lines = [f"{name}: {parts[key]}" for key, name in names.items() if key in parts]
    text = "\n".join(["; ".join(lines[:1]), "; ".join(lines[1:])])
    return text.replace("-", "\N{MINUS SIGN}")


def _show_clusters(axes: Axes, thresholds: pd.Series, threshold: float) -> list[Line2D]:
    """Shade the low-overlap cluster and draw the thresholds; return those in sight, labelled."""
    left, right = axes.get_xlim()
    if not np.isnan(threshold):
        axes.axvspan(min(left, threshold), threshold, color="0.955", zorder=0)
    titles = {"paper": f"threshold {THRESHOLD:g}", "data": "threshold by 2-means"}
    handles = []
    for name, title in titles.items():
        if name in thresholds and left <= thresholds[name] <= right:
            dots = _DOTS if name == "data" else "-"
            look: dict[str, Any] = {"color": _LINE, "linewidth": 0.9, "linestyle": dots}
            axes.axvline(thresholds[name], zorder=1, **look)
            handles.append(Line2D([], [], label=title, **look))
    axes.set_xlim(left, right)
    return handles


def _legend(
    figure: Figure, points: pd.DataFrame, looks: Looks, threshold: float, lines: Sequence[Line2D]
) -> None:
    """Explain scripts, clusters and thresholds above the panels."""
    groups = [group for group in looks if group in set(points["script_group"])]
    entries = [(looks[group][1], looks[group][0], True, group) for group in groups]
    if not np.isnan(threshold):
        entries += [
            ("o", _LINE, True, f"overlap ≥ {threshold:.2g}"),
            ("o", _LINE, False, f"overlap < {threshold:.2g}"),
        ]
    bars = [("|", _BAR, True, "95% interval over seeds")] * bool((points["seeds"] > 1).any())
    start = Line2D([], [], label="untrained encoder, where all start", **_START)
    handles = [*map(_marker, entries), start, *lines, *map(_marker, bars)]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=math.ceil(len(handles) / 3),
        frameon=False, handletextpad=0.3, columnspacing=1.4,
    )  # fmt: skip


def _marker(entry: tuple[str, str, bool, str]) -> Line2D:
    """Return an entry of the legend: shape, colour, whether it is filled, label."""
    shape, colour, filled, label = entry
    return Line2D(
        [], [], linestyle="none", marker=shape, markersize=5, markeredgewidth=1.1, label=label,
        markeredgecolor=colour, markerfacecolor=colour if filled else "white",
    )  # fmt: skip
