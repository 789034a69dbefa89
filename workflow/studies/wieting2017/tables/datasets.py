"""Every text as training data, unfiltered: Table 4 of wieting2017."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tandem.files.io import read_json
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2017.methods import results
from wieting2017.methods.settings import UNFILTERED, Experiment

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Datasets(Table):
    """Encoders trained on equally many pairs of each text."""

    experiment: Experiment
    """The filtering experiments, which all tables of the study are about."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all trainings, the BLEU of the translators, the translated texts."""
        translators = self.translators(plan)
        return {
            "conditions": results.inputs(plan, self.experiment),
            "bleu": [plan.path("scores", name, "bleu.json") for name in translators.values()],
            "texts": [plan.path("texts", text) for text in translators],
        }

    def translators(self, plan: Outline) -> dict[str, str]:
        """Name the translator of each text that has one."""
        corpora = plan.study.backtranslations
        texts = self.experiment.compared.items()
        return {n: corpora[t.backtranslation].translator for n, t in texts if t.backtranslation}

    def build(self, material: Material) -> Report:
        """Make a row for each text and encoder.

        Columns: text, encoder, label, bleu (of the translator on its test split), met_percent (the
        share of references that the translator was trained on; empty if unknown), pairs,
        learning_rate (the best on the development task), seed_count, development_pearson_x100, and
        the mean of the test years with its 95% interval over seeds, and that of each further task
        (empty where its data is absent).
        """
        import pandas as pd

        trainings = results.load(material.files["conditions"], "chosen")
        trainings = trainings[trainings["filter"] == UNFILTERED]
        frame = pd.DataFrame(self._rows(trainings, material))
        frames = {"datasets": frame, "runs": trainings}
        return Report(frame.drop(columns="key"), self._markdown(frame), frames)

    def _rows(self, trainings: pd.DataFrame, material: Material) -> Iterator[dict[str, Any]]:
        """Yield a row for each text and encoder, from all trainings without a filter."""
        from tandem.reporting.writer import columns
        from tandem.statistics.inference import sample_mean

        translated = list(self.translators(material.plan))
        bleu = {
            name: read_json(file)["bleu"]
            for name, file in zip(translated, material.files["bleu"], strict=True)
        }
        met = {
            name: 100 * read_json(file)["met_share"]
            for name, folder in zip(translated, material.files["texts"], strict=True)
            if (file := folder / "about.json").exists()
        }
        for (text, encoder), runs in trainings.groupby(["text", "encoder"], sort=False):
            row: dict[str, Any] = {"text": text}
            row |= {"encoder": self.experiment.encoders[str(encoder)].label, "key": encoder}
            row |= {"bleu": bleu.get(str(text)), "met_percent": met.get(str(text))}
            row |= {"label": self.experiment.texts[str(text)].label, "pairs": runs["size"].iloc[0]}
            row["learning_rate"] = runs["learning_rate"].iloc[0]
            row |= {"seed_count": len(runs), "development_pearson_x100": runs["development"].mean()}
            row |= columns("mean", results.METRIC, sample_mean(runs["test"].to_numpy()))
            for task in self.experiment.further:
                scored = task in runs and runs[task].notna().all()
                mean = sample_mean(runs[task].to_numpy()) if scored else None
                row |= columns(task, results.METRIC, mean)
            yield row

    def _markdown(self, frame: pd.DataFrame) -> str:
        """Lay out a row for each text, a column for each encoder; then the further tasks."""
        import pandas as pd

        from tandem.reporting.writer import grid, page, with_interval

        lines = []
        for label, rows in frame.groupby("label", sort=False):
            cells = {
                row["encoder"]: with_interval(row, "mean", results.METRIC)
                for _, row in rows.iterrows()
            }
            quality = rows[["bleu", "met_percent"]].iloc[0]
            shown = ["" if pd.isna(value) else f"{value:.1f}" for value in quality]
            lines.append([str(label), *shown, *(cells.get(name, "") for name in self._labels())])
        headings = ["Training text", "BLEU of the translator", "Met (%)", *self._labels()]
        start = self.experiment.start or self.experiment.baseline or "what the seed draws"
        note = (
            "Pearson's r x 100, mean of STS 2012 to 2015, of encoders trained on "
            f"{self.experiment.size:,} pairs of each text; in brackets, the 95% t interval over "
            f"seeds. Word vectors start from {start}; "
            "learning rates are chosen on STS 2016, with one seed. Met: of the references, those "
            "that the translator was trained on."
        )
        further = "\n\n".join(self._further(frame, task) for task in self.experiment.further)
        return page("# Texts as training data", note, grid(headings, lines), further)

    def _further(self, frame: pd.DataFrame, task: str) -> str:
        """Return the section of a further task; empty where its data is absent."""
        from tandem.reporting.writer import grid, page, with_interval

        scored = frame.dropna(subset=f"{task}_{results.METRIC}")
        if scored.empty:
            return ""
        lines = []
        for label, rows in scored.groupby("label", sort=False):
            cells = {
                row["encoder"]: with_interval(row, task, results.METRIC)
                for _, row in rows.iterrows()
            }
            lines.append([str(label), *(cells.get(name, "") for name in self._labels())])
        return page(f"## The task {task}", grid(["Training text", *self._labels()], lines))

    def _labels(self) -> list[str]:
        return [encoder.label for encoder in self.experiment.encoders.values()]

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a row for each text, a series for each encoder."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        series = {
            str(label): bounds(rows, "mean", results.METRIC)
            for label, rows in frame.groupby("encoder", sort=False)
        }
        labels = list(dict.fromkeys(frame["label"]))
        return dot_plot([Dots("Pearson's r × 100, STS 2012–2015", labels, series)])
