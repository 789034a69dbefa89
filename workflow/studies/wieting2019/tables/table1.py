"""Table 1: back-translated text against bitext, for every encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from tandem.tasks.sts_data import Index, read_index
from tandem.tasks.task import MEAN

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Table1(Table):
    """STS scores of each encoder, by what it was trained on: every year and their mean."""

    encoders: list[str]
    """Rows."""
    settings: list[str]
    """Columns: what the encoders are trained on."""
    also: list[str] = []
    """Experiments beside the product of encoders and settings, shown in the years' table, not in
    the paper's layout."""
    task: str = "sts"
    """The task they are scored on: STS by years."""

    def experiments(self, plan: Outline) -> list[str]:
        """Name the experiments, those of `also` last."""
        names = plan.experiments(self.encoders, self.settings)
        for name in self.also:
            encoder, _, setting = name.partition(".")
            names += plan.experiments([encoder], [setting])
        return names

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name scores, models (for their parameters), the STS folder."""
        names = self.experiments(plan)
        return {
            "scores": plan.scores(names, self.task),
            "models": plan.models(names),
            "sts": [plan.path("corpora", "sts")],
        }

    def build(self, material: Material) -> Report:
        """Make a row for each encoder and setting.

        Columns: experiment, encoder, setting, pairs, english_sentences, epochs (0: untrained),
        parameters (of the first seed: vocabularies differ a little), a column
        sts<year>_pearson_x100 per year (mean over seeds), mean_pearson_x100 and its 95% interval
        (over pairs and seeds), sd_over_seeds_pearson_x100 (of the mean; empty for one seed),
        seed_count, seeds.
        """
        import pandas as pd

        models = {folder.parent.name: folder for folder in reversed(material.files["models"])}
        names = self.experiments(material.plan)
        frame = pd.DataFrame([self._row(name, models[name], material) for name in names])
        named = frame.assign(name=frame["experiment"].str.split(".").str[0], label=frame["encoder"])
        lines = named[["name", "label", "setting", "experiment"]]
        frames = {
            "encoders": lines[~lines["experiment"].isin(self.also)].drop_duplicates("name"),
            "also": lines[lines["experiment"].isin(self.also)],
        }
        return Report(frame, self._markdown(names, frame, material), frames)

    def _row(self, name: str, model: Path, material: Material) -> dict[str, object]:
        """Make one row of the table."""
        import numpy as np

        from tandem.reporting.writer import columns

        about, cell = material.plan.described(name), material.scores.cell(name, self.task, MEAN)
        assert cell is not None  # its folder of scores is an input
        years = {}
        for unit in material.scores.units(name, self.task):
            if unit != MEAN:
                values = material.scores.values(name, self.task, unit)
                years[f"sts{unit}_pearson_x100"] = np.mean(list(values.values()))
        sd = np.std(cell.values, ddof=1) if len(cell.values) > 1 else np.nan
        return {
            "experiment": name,
            **{key: about[key] for key in ("encoder", "setting", "pairs", "english_sentences")},
            "epochs": material.plan.epochs(name),
            "parameters": count_parameters(model / "model.safetensors"),
            **years,
            **columns(MEAN, "pearson_x100", cell),
            "sd_over_seeds_pearson_x100": sd,
            "seed_count": len(cell.seeds),
            "seeds": " ".join(map(str, cell.seeds)),
        }

    def _markdown(self, names: Sequence[str], frame: pd.DataFrame, material: Material) -> str:
        """Lay the table out as the paper does, then show every year, and what it averages."""
        from tandem.reporting.writer import over_seeds_note, page

        tasks = material.scores.details(names[0], self.task)[0]["tasks"]
        return page(
            "# Table 1: back-translated text and bitext",
            "Pearson's r x 100 with human scores: mean of the years, each the mean of its tasks "
            f"({over_seeds_note(frame['seed_count'])}). In brackets, the 95% interval over "
            "sentence pairs and seeds. Best of each column in bold.",
            self._means(frame, material),
            "## Every year",
            _years(frame, material),
            "The text of wieting2019 that Tandem quotes from does not print the cells of its "
            "Table 1.",
            "## What each year averages",
            _tasks(tasks, read_index(material.files["sts"][0])),
        )

    def _means(self, frame: pd.DataFrame, material: Material) -> str:
        """Return a grid of the means: rows are encoders, columns settings."""
        from tandem.reporting.writer import beside, grid

        settings = [name for name in self.settings if (frame["setting"] == name).any()]
        cells, heads = [], []
        for encoder in self.encoders:
            names = [f"{encoder}.{setting}" for setting in settings]
            cells.append([material.scores.cell(name, self.task, MEAN) for name in names])
            marks = dict.fromkeys(_fewer(name, material) for name in names)
            heads.append([material.plan.described(names[0])["encoder"] + "".join(marks)])
        headings = ["Encoder"]
        for setting in settings:
            rows = frame[frame["setting"] == setting]
            label = material.plan.setting(rows["experiment"].iloc[0]).label
            pairs, english = (
                " / ".join(f"{count:,}" for count in sorted(rows[column].unique()))
                for column in ("pairs", "english_sentences")
            )
            trained = bool(rows["pairs"].any())
            headings.append(label + f" ({pairs} pairs, {english} English sentences)" * trained)
        return grid(headings, beside(heads, cells))

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a row for each encoder, a series for each setting."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        frame = frame[~frame["experiment"].isin(self.also)]
        marks = frame["experiment"].map(lambda name: _fewer(name, material))  # none where untrained
        marks = marks.groupby(frame["encoder"]).transform("max")
        frame = frame.assign(encoder=frame["encoder"] + marks)
        encoders, series = list(frame["encoder"].unique()), {}
        for setting in (name for name in self.settings if (frame["setting"] == name).any()):
            rows = frame[frame["setting"] == setting].set_index("encoder").reindex(encoders)
            label = material.plan.setting(rows["experiment"].dropna().iloc[0]).label
            series[label] = bounds(rows, MEAN, "pearson_x100")
        label = "Pearson's r × 100, mean of years, with 95% interval"
        return dot_plot([Dots(label, encoders, series)])


def _fewer(experiment: str, material: Material) -> str:
    """Return the mark of an experiment that is trained for fewer epochs than in the paper."""
    epochs = material.plan.epochs(experiment)
    return f", fewer epochs ({epochs})" * material.plan.fewer_epochs(experiment)


def count_parameters(weights: Path) -> int:
    """Count the numbers held in a safetensors file, reading its header only."""
    from math import prod

    from safetensors import safe_open

    with safe_open(weights, framework="numpy") as tensors:
        names = tensors.keys()
        return sum(prod(tensors.get_slice(name).get_shape()) for name in names)


def _years(frame: pd.DataFrame, material: Material) -> str:
    """Return a grid of every row of the table with its years."""
    from tandem.reporting.writer import grid

    years = [c.removesuffix("_pearson_x100") for c in frame.columns if c.startswith("sts")]
    rows = [
        [
            row["encoder"] + _fewer(row["experiment"], material),
            material.plan.setting(row["experiment"]).label,
            f"{row['parameters']:,}",
        ]
        + [f"{row[f'{name}_pearson_x100']:.1f}" for name in [*years, MEAN]]
        + [str(row["seed_count"])]
        for _, row in frame.iterrows()
    ]
    headings = [name.removeprefix("sts") for name in years]
    return grid(["Encoder", "Trained on", "Parameters", *headings, "Mean", "Seeds"], rows)


def _tasks(tasks: Sequence[Mapping[str, Any]], index: Index) -> str:
    """List for each year its tasks, how many of their published pairs it has, and missing tasks."""
    lines = []
    for year in dict.fromkeys(task["year"] for task in tasks):
        parts = []
        for name, pairs in ((t["task"], t["pairs"]) for t in tasks if t["year"] == year):
            of = index.tasks[name]["of"]
            count = f"{pairs:,} of {of:,}" if of else f"{pairs:,}"
            parts.append(f"{name.removeprefix(f'{year}.')} ({count} pairs)")
        absent = [
            f"{entry['task']} ({entry['of']:,} pairs: {entry['why']})"
            for entry in index.missing
            if int(entry["year"]) == year
        ]
        share = f"{len(parts)} of {len(parts) + len(absent)} tasks"
        lines.append(f"- {year}, {share}: {', '.join(parts)}.")
        lines[-1] += f" Not scored: {'; '.join(absent)}." if absent else ""
    return "\n".join(lines)
