"""Learning curves: training loss and validation score after every epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Names, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Training(Table):
    """Learning curves: loss and validation score after each epoch, a line for each seed."""

    encoders: Names
    """Encoders; each is a column of the figure."""
    settings: list[str]
    """What they are trained on; each is a series. Untrained encoders are left out."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the models, which hold their histories."""
        names = plan.experiments(self.encoders, self.settings)
        return {"models": plan.models([name for name in names if plan.setting(name).trained])}

    def build(self, material: Material) -> Report:
        """Join the histories of all seeds, and say which epoch each kept best."""
        import pandas as pd

        from tandem.reporting.writer import grid, page

        frames, rows = [], []
        for folder in material.files["models"]:  # .../<experiment>/seed<k>
            name, seed = folder.parent.name, folder.name.removeprefix("seed")
            run = pd.read_csv(folder / "history.csv")
            run.columns = ["epoch", "loss", "validation"]
            description = material.plan.described(name)
            about = {"experiment": name, "encoder": description["encoder"], "seed": int(seed),
                     "setting": material.plan.setting(name).label}  # fmt: skip
            frames.append(run.assign(**about)[[*about, *run.columns]])
            trained = run[run["epoch"] > 0]
            best = trained.iloc[int(trained["validation"].argmax())]
            rows.append([name, seed, f"{best['epoch']:.0f}", f"{best['validation']:.1f}"])
        text = page(
            "# Training",
            "The highest validation score of each run, and its epoch, which is the one that was "
            "kept. The random start is never kept.",
            grid(["Experiment", "Seed", "Epoch", "Validation"], rows),
        )
        return Report(pd.concat(frames, ignore_index=True), text)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw loss above and validation score below, a column of panels for each encoder.

        One epoch makes no curve: encoders with only one are named, not drawn.
        """
        import matplotlib
        from matplotlib.lines import Line2D

        from tandem.reporting.plots import STYLE, new_figure

        epochs = frame.groupby(["encoder", "setting", "seed"])["loss"].transform("count")
        every, frame = list(frame["encoder"].unique()), frame[epochs > 1]
        if frame.empty:
            return _without_curves(every)
        encoders, settings = (list(frame[c].unique()) for c in ("encoder", "setting"))
        with matplotlib.rc_context(STYLE):
            drawn = new_figure(0.8 + 1.6 * len(encoders), 4.0)
            panels = drawn.subplots(2, len(encoders), squeeze=False, sharex="col", sharey="row")
            for (encoder, setting, _), run in frame.groupby(["encoder", "setting", "seed"]):
                for panel, column in zip(
                    panels[:, encoders.index(encoder)], ("loss", "validation"), strict=True
                ):
                    _curve(panel, run["epoch"], run[column], settings.index(setting))
            for panel, encoder in zip(panels[0], encoders, strict=True):
                panel.set_title(encoder, fontsize=9)
            panels[0, 0].set_ylabel("training loss")
            panels[0, 0].set_ylim(bottom=0)
            panels[1, 0].set_ylabel("validation score")
            short = [encoder for encoder in every if encoder not in encoders]
            note = f". One epoch, not drawn: {', '.join(short)}" if short else ""
            drawn.supxlabel(f"epoch (0: the random start); a line for each seed{note}", fontsize=9)
            handles = [Line2D([], [], label=s, **_line(n)) for n, s in enumerate(settings)]
            drawn.legend(handles=handles, loc="outside upper center", ncols=len(handles))
        return drawn


def _without_curves(encoders: list[str]) -> Figure:
    """Return a figure that says why it shows nothing."""
    import matplotlib

    from tandem.reporting.plots import STYLE, new_figure

    with matplotlib.rc_context(STYLE):
        drawn = new_figure(4.0, 1.0)
        message = f"One epoch, no curve: {', '.join(encoders)}"
        drawn.text(0.5, 0.5, message, ha="center", va="center")
    return drawn


def _line(number: int) -> dict[str, Any]:
    """Colour and dashes of a setting's curves."""
    from tandem.reporting.plots import LINES, OKABE_ITO

    color, style = OKABE_ITO[number % len(OKABE_ITO)], LINES[number % len(LINES)]
    return {"color": color, "linestyle": style, "linewidth": 1.1}


def _curve(panel: Axes, epochs: pd.Series, values: pd.Series, number: int) -> None:
    from matplotlib.ticker import MaxNLocator

    panel.plot(epochs, values, **_line(number))
    panel.grid(axis="y", color="0.9", linewidth=0.6)
    panel.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=1))
