"""The speed of encoders and their scores, in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.files.io import read_json
from tandem.registry import ConfigurationError, not_among
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from tandem.reporting.tables.speed import UNSEEN, Speed, device_kind, read_once

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class SpeedAndScore(Table):
    """Sentences per second of encoders, beside a figure of a task."""

    title: str
    """Heading of the table."""
    speed: str
    """The table of kind speed with the encoders and their times."""
    task: str
    """The task."""
    unit: str
    """Which of its figures."""
    label: str
    """The figure's name in the table and the picture."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the times, and the scores of the encoders that are timed.

        Raises:
            ConfigurationError: no table of times has this name.
        """
        table = plan.study.tables.get(self.speed)
        if not isinstance(table, Speed):
            speeds = [name for name, t in plan.study.tables.items() if isinstance(t, Speed)]
            raise ConfigurationError(f"no table of kind speed {not_among(self.speed, speeds)}")
        names = [*table.experiments(plan), *plan.experiments(table.baselines, [table.setting])]
        return table.inputs(plan) | {"scores": plan.scores(names, self.task)}

    def build(self, material: Material) -> Report:
        """Make a line for each encoder and device, fastest first.

        Columns: encoder, experiment, device (with the name of a card), unseen_per_s (sentences per
        second of text read once), unseen_slowest_per_s and unseen_fastest_per_s (of the slowest and
        the fastest part), seed_count, and the score with its 95% interval.
        """
        import pandas as pd

        from tandem.reporting.writer import beside, columns, grid, over_seeds_note, page

        # a baseline is timed under its own name, and scored beside a setting
        scored = [folder.parent.name for folder in material.files["scores"]]
        names = {name: name for name in scored} | {name.split(".")[0]: name for name in scored}
        metric, rows, cells = material.scores.metric(self.task), [], []
        timed = read_json(material.files["speeds"][0])["speeds"]
        for entry in sorted(timed, key=lambda entry: -read_once(entry)["unseen_per_s"]):
            name = names[entry["name"]]
            cell = material.scores.cell(name, self.task, self.unit)
            row = {"encoder": material.plan.described(name)["encoder"], "experiment": name}
            row |= {"device": entry["device"], **read_once(entry)}
            row["seed_count"] = len(cell.seeds) if cell else 0
            rows.append(row | columns(self.label, metric, cell))
            cells.append([cell])
        averaged = over_seeds_note([len(cell.seeds) for (cell,) in cells if cell])
        heads = [[row["encoder"], row["device"], f"{row['unseen_per_s']:,.0f}"] for row in rows]
        text = page(
            f"# {self.title}",
            "Sentences per second from raw text, on text that the encoder has not read before, and "
            f"{self.label}, with its 95% interval, {averaged}. Best score in bold.",
            grid(["Encoder", "Device", "Sentences per second", self.label], beside(heads, cells)),
        )
        return Report(pd.DataFrame(rows), text)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a named point for each encoder and device: the score over the speed."""
        import matplotlib

        from tandem.reporting.plots import (
            MARKERS,
            OKABE_ITO,
            STYLE,
            WIDTH,
            bars,
            bounds,
            logarithmic,
            new_figure,
        )
        from tandem.reporting.scores import METRICS

        metric = material.scores.metric(self.task)
        frame = frame[frame[f"{self.label}_{metric}"].notna()]
        scores = bounds(frame, self.label, metric)
        speeds = frame[[*UNSEEN]]
        devices, names = sorted(frame["device"].unique()), list(frame["encoder"])
        if len(devices) > 1:
            names = [f"{r['encoder']} ({device_kind(r['device'])})" for _, r in frame.iterrows()]
        with matplotlib.rc_context(STYLE):
            drawn = new_figure(WIDTH, 3.4)
            axes = drawn.subplots()
            for x, y, device in zip(speeds.to_numpy(float), scores, frame["device"], strict=True):
                number = devices.index(device)
                axes.errorbar(
                    x[0],
                    y[0],
                    xerr=bars(*x[:, None]),
                    yerr=bars(*y[:, None]),
                    fmt=MARKERS[number],
                    color=OKABE_ITO[number],
                    markersize=5,
                    elinewidth=1.1,
                    capsize=2,
                )
            logarithmic(axes)
            axes.margins(x=0.2, y=0.15)
            axes.grid(color="0.9", linewidth=0.6)
            axes.set_xlabel("sentences per second from raw text, read once")
            axes.set_ylabel(f"{self.label}, {METRICS[metric]}")
            _name(axes, names, speeds.to_numpy(float), scores)
        return drawn


def _name(axes: Axes, names: list[str], speeds: np.ndarray, scores: np.ndarray) -> None:
    """Write a name beside each point, clear of the bars; speeds and scores are (points, 3)."""
    import numpy as np
    import textalloc

    axes.set(xlim=axes.get_xlim(), ylim=axes.get_ylim())  # a name must not move the points
    x, y = speeds[:, 0], scores[:, 0]
    # the ends of the horizontal bars, then of the vertical ones
    ends_x = [*speeds[:, 1:], *np.column_stack([x, x])]
    ends_y = [*np.column_stack([y, y]), *scores[:, 1:]]
    textalloc.allocate(
        axes, x, y, names, x_scatter=x, y_scatter=y, x_lines=ends_x, y_lines=ends_y,
        textsize=9, min_distance=0.015, max_distance=0.2,
        nbr_candidates=500, linecolor="0.5", linewidth=0.5,
    )  # fmt: skip
