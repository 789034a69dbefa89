"""Table 1: back-translated text against bitext, for every encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tandem.errors import TandemError
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Names, Report, Table
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.kinds.sts import Sts
from tandem.tasks.sts_data import read_index
from tandem.tasks.task import MEAN
from wieting2019.methods.coverage import share_read
from wieting2019.methods.table1_page import (
    count_parameters,
    fewer,
    megabatch,
    megabatches,
    year_tasks,
    years,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

WORDS_READ = (
    " *Words read*: the share of the words and marks of the first grid's tasks of which an encoder "
    "has something in its vocabulary; it leaves out the others."
)


class Table1(Table):
    """STS scores of each encoder, by what it was trained on: every year and their mean."""

    encoders: Names
    """Rows."""
    settings: list[str]
    """Columns: what the encoders are trained on."""
    also: list[str] = []
    """Experiments beside the product of encoders and settings, shown in the years' table, not in
    the paper's layout."""
    task: str = "sts"
    """The task they are scored on: STS by years."""
    means: dict[str, str] = {
        "common": "the 12 tasks of STS 2012 to 2016 that every machine has",
        "every": "all 23 tasks, with those of the STS Companion",
    }
    """Means of the task, in the paper's layout, and what each averages; those that were scored are
    shown, and the first, which every machine has, is drawn."""
    covered: str | None = "covered"
    """The task of covered pairs, which is shown beside, with how much of the text each encoder
    reads; null: neither."""

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
        inputs = {
            "scores": plan.scores(names, self.task),
            "models": plan.models(names),
            "sts": [plan.path("corpora", "sts")],
        }
        if self.covered:
            inputs["scores_covered"] = plan.scores(self._in_layout(names), self.covered)
        return inputs

    def _in_layout(self, names: Sequence[str]) -> list[str]:
        """Leave out what is shown by years alone."""
        return [name for name in names if name not in self.also]

    def build(self, material: Material) -> Report:
        """Make a row for each encoder and setting.

        Columns: experiment, encoder, setting, pairs, english_sentences, epochs (0: untrained),
        parameters (of the first seed: vocabularies differ a little), megabatch (batches of the
        largest that training reaches, of an objective that has them), a column
        sts<year>_pearson_x100 per year (mean over seeds), mean_pearson_x100 (of all tasks that were
        scored) and its 95% interval (over pairs and seeds), likewise for each of `means`; where
        covered pairs are scored, covered_<mean>_pearson_x100 with its interval, their number as
        covered_<mean>_pairs (of the first seed), and <mean>_coverage_x100, the share of tokens that
        the encoder of the first seed reads; sd_over_seeds_pearson_x100 (of the mean; empty for one
        seed), seed_count, seeds.

        Frames for claims: `encoders`, a line for each; `covered`, the same, none where no covered
        pairs are scored; and `also`.
        """
        import pandas as pd

        models = {folder.parent.name: folder for folder in reversed(material.files["models"])}
        names = self.experiments(material.plan)
        frame = pd.DataFrame([self._row(name, models[name], material) for name in names])
        named = frame.assign(name=frame["experiment"].str.split(".").str[0], label=frame["encoder"])
        lines = named[["name", "label", "setting", "experiment"]]
        encoders = lines[~lines["experiment"].isin(self.also)].drop_duplicates("name")
        frames = {
            "encoders": encoders,
            "covered": encoders if self.covered else encoders[:0],
            "also": lines[lines["experiment"].isin(self.also)],
        }
        return Report(frame, self._markdown(names, frame, material), frames)

    def _scored(self, material: Material) -> list[str]:
        """Name the means that were scored, in order.

        Raises:
            TandemError: the first was not, which every machine has.
        """
        units = material.scores.units(self.experiments(material.plan)[0], self.task)
        first = next(iter(self.means))
        if first not in units:
            problem = f"tables.{material.name}: {self.task} has no mean {first!r}"
            remedy = "Correct `means`, or `subsets` of the task, whose tasks must all be there"
            raise TandemError(f"{problem}. {remedy}")
        return [name for name in self.means if name in units]

    def _row(self, name: str, model: Path, material: Material) -> dict[str, object]:
        """Make one row of the table."""
        import numpy as np

        from tandem.reporting.writer import columns

        about, cell = material.plan.described(name), material.scores.cell(name, self.task, MEAN)
        assert cell is not None  # its folder of scores is an input
        by_year = {}
        for unit in material.scores.units(name, self.task):
            if unit.isdigit():
                values = material.scores.values(name, self.task, unit)
                by_year[f"sts{unit}_pearson_x100"] = np.mean(list(values.values()))
        sd = np.std(cell.values, ddof=1) if len(cell.values) > 1 else np.nan
        return {
            "experiment": name,
            **{key: about[key] for key in ("encoder", "setting", "pairs", "english_sentences")},
            "epochs": material.plan.epochs(name),
            "megabatch": megabatch(model),
            "parameters": count_parameters(model / "model.safetensors"),
            **by_year,
            **columns(MEAN, "pearson_x100", cell),
            **self._means_of(name, model, material),
            "sd_over_seeds_pearson_x100": sd,
            "seed_count": len(cell.seeds),
            "seeds": " ".join(map(str, cell.seeds)),
        }

    def _means_of(self, name: str, model: Path, material: Material) -> dict[str, object]:
        """Return the columns of the means, of covered pairs and of coverage."""
        from tandem.reporting.writer import columns

        row: dict[str, object] = {}
        for unit in (unit for unit in self._scored(material) if unit != MEAN):
            cell = material.scores.cell(name, self.task, unit)
            row |= columns(unit, "pearson_x100", cell)
        if self.covered:
            segmenter = Segmenter.load(model / "segmenter")
            folder = material.files["sts"][0]
            for unit in self._scored(material):
                cell = material.scores.cell(name, self.covered, unit)
                row |= columns(f"covered_{unit}", "pearson_x100", cell)
                row[f"covered_{unit}_pairs"] = cell.items if cell else None
                tasks = self._tasks(unit, name, material)
                share = share_read(segmenter, folder, read_index(folder), tasks)
                row[f"{unit}_coverage_x100"] = share
        return row

    def _tasks(self, unit: str, experiment: str, material: Material) -> list[str]:
        """Name the tasks that a mean averages."""
        scored = [t["task"] for t in material.scores.details(experiment, self.task)[0]["tasks"]]
        task = material.scores.tasks[self.task]
        return task.subsets.get(unit, scored) if isinstance(task, Sts) else scored

    def _markdown(self, names: Sequence[str], frame: pd.DataFrame, material: Material) -> str:
        """Lay the table out as the paper does, then show every year, and what it averages."""
        from tandem.reporting.writer import over_seeds_note, page

        tasks = material.scores.details(names[0], self.task)[0]["tasks"]
        first, *others = self.means
        scored = self._scored(material)
        parts = [
            "# Table 1: back-translated text and bitext",
            f"Pearson's r x 100 with human scores on {self.means[first]}: mean of the years, each "
            f"the mean of its tasks ({over_seeds_note(frame['seed_count'])}). In brackets, the 95% "
            "interval over sentence pairs and seeds. Best of each column in bold.",
            self._grid(self.task, first, frame, material),
        ]
        for unit in others:
            parts.append(f"## On {self.means[unit]}")
            parts.append(
                self._grid(self.task, unit, frame, material)
                if unit in scored
                else "Not scored: some of these could not be downloaded (see the end). No verdict "
                "is about them."
            )
        return page(
            *parts,
            *self._covered(scored, frame, material),
            "## Every year",
            f"Every task that was scored.{WORDS_READ * bool(self.covered)}",
            years(frame, material),
            "The text of wieting2019 that Tandem quotes from does not print the cells of its "
            "Table 1.",
            *megabatches(frame, material),
            "## What each year averages",
            year_tasks(tasks, read_index(material.files["sts"][0])),
        )

    def _covered(self, scored: list[str], frame: pd.DataFrame, material: Material) -> list[str]:
        """Show covered pairs, and how much of the text each encoder reads."""
        if not self.covered:
            return []
        parts = [
            "## Pairs without unknown words",
            "The same encoders on the pairs all of whose words WORD's vocabulary has, which it "
            "learned from the training text of the column, for each seed its own. What it lacks it "
            "does not read, so that a lead over WORD may be one of vocabulary. These pairs are "
            "few: r is that of all of them together, scores and cosines less their means in the "
            "task, and is not comparable with the means above.",
        ]
        for unit in scored:
            rows = frame[~frame["experiment"].isin(self.also)]
            counts = rows.groupby("setting", sort=False)[f"covered_{unit}_pairs"].first()
            labels = [material.plan.setting(f"{self.encoders[0]}.{s}").label for s in counts.index]
            sizes = zip(labels, counts, strict=True)
            numbers = ", ".join(f"{label} {count:,.0f}" for label, count in sizes)
            parts.append(f"On {self.means[unit]}; pairs of the first seed: {numbers}.")
            parts.append(self._grid(self.covered, unit, frame, material))
        return parts

    def _grid(self, task: str, unit: str, frame: pd.DataFrame, material: Material) -> str:
        """Return a grid of one figure: rows are encoders, columns settings."""
        from tandem.reporting.writer import beside, grid

        settings = [name for name in self.settings if (frame["setting"] == name).any()]
        cells, heads = [], []
        for encoder in self.encoders:
            names = [f"{encoder}.{setting}" for setting in settings]
            cells.append([material.scores.cell(name, task, unit) for name in names])
            marks = dict.fromkeys(fewer(name, material) for name in names)
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

        shown = next(iter(self.means))
        frame = frame[~frame["experiment"].isin(self.also)]
        marks = frame["experiment"].map(lambda name: fewer(name, material))  # none where untrained
        marks = marks.groupby(frame["encoder"]).transform("max")
        frame = frame.assign(encoder=frame["encoder"] + marks)
        encoders, series = list(frame["encoder"].unique()), {}
        for setting in (name for name in self.settings if (frame["setting"] == name).any()):
            rows = frame[frame["setting"] == setting].set_index("encoder").reindex(encoders)
            label = material.plan.setting(rows["experiment"].dropna().iloc[0]).label
            series[label] = bounds(rows, shown, "pearson_x100")
        label = f"Pearson's r × 100 on {self.means[shown]}, with 95% interval"
        return dot_plot([Dots(label, encoders, series)])
