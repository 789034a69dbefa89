"""Every text as training data, unfiltered: Table 4 of wieting2017."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.files.io import read_json
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2017.methods import results
from wieting2017.methods.settings import UNFILTERED, UNTRAINED, Experiment

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Datasets(Table):
    """Encoders trained on equally many pairs of each text."""

    experiment: Experiment
    """The filtering experiments, which all tables of the study are about."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all trainings and of none, the BLEU of translators, the texts."""
        compared = self.experiment.compared
        return {
            **results.inputs(plan, [*compared, UNTRAINED], self.experiment),
            "bleu": [
                plan.path("scores", name, "bleu.json") for name in self.translators(plan).values()
            ],
            "texts": [plan.path("texts", text) for text in compared],
        }

    def translators(self, plan: Outline) -> dict[str, str]:
        """Name the translator of each text that has one."""
        corpora = plan.study.backtranslations
        texts = self.experiment.compared.items()
        return {n: corpora[t.backtranslation].translator for n, t in texts if t.backtranslation}

    def build(self, material: Material) -> Report:
        """Make a row for each text and encoder, and one for each encoder without training.

        Columns: text, encoder, label, source (back-translated, people, control or untrained), bleu
        (of the translator on its test split), met_percent (the share of references that the
        translator was trained on; empty if unknown), repeated_percent and
        reference_repeated_percent (of the 2-grams of paraphrases and of references, those that
        stood in their sentence before), pairs, learning_rate (the best on the development task),
        seed_count, development_pearson_x100, the mean of the test years with its 95% interval over
        seeds and items, that of each further task (empty where its data is absent), and the gain of
        the test years over random pairs of the same text and over no training, likewise. The frame
        `runs` has a line for each training; `controlled` the rows of texts that are also paired at
        random, `random` the name of that control.
        """
        import pandas as pd

        trainings = results.load(material, self.experiment, "chosen")
        trainings = trainings[trainings["filter"] == UNFILTERED]
        texts = self._texts(material)
        rows = [
            self._row(str(text), str(encoder), runs, trainings) | texts.get(str(text), {})
            for (text, encoder), runs in trainings.groupby(["text", "encoder"], sort=False)
        ]
        frame = pd.DataFrame(rows)
        frames = {
            "datasets": frame,
            "runs": trainings,
            "controlled": frame.dropna(subset=["random"]) if rows else frame,
        }
        return Report(frame.drop(columns=["key", "random"]), self._markdown(frame), frames)

    def _texts(self, material: Material) -> dict[str, dict[str, Any]]:
        """Return what is told of each text itself: its translator, what it repeats."""
        from tandem.text.tokens import tokens
        from wieting2017.methods import texts
        from wieting2017.methods.usage import repeated_share

        bleu = [read_json(file)["bleu"] for file in material.files["bleu"]]
        told: dict[str, dict[str, Any]] = {}
        for name, folder in zip(self.experiment.compared, material.files["texts"], strict=True):
            pairs, about = texts.read(folder), folder / "about.json"
            references, others = ([tokens(pair.sides[k]) for pair in pairs] for k in (0, 1))
            met = 100 * read_json(about)["met_share"] if about.exists() else None
            told[name] = {
                "met_percent": met,
                "repeated_percent": 100 * repeated_share(others, 2),
                "reference_repeated_percent": 100 * repeated_share(references, 2),
            }
        for name, value in zip(self.translators(material.plan), bleu, strict=True):
            told[name]["bleu"] = value
        return told

    def _row(
        self, text: str, encoder: str, runs: pd.DataFrame, trainings: pd.DataFrame
    ) -> dict[str, Any]:
        """Return what the trainings on a text scored, without what is told of the text itself."""
        from tandem.reporting.writer import columns
        from tandem.statistics.inference import over_seeds

        entry = self.experiment.texts.get(text)
        control = self.experiment.random_pairs(text)
        row: dict[str, Any] = {"text": text, "encoder": self.experiment.encoders[encoder].label}
        row |= {"key": encoder, "random": control, "label": entry.label if entry else "untrained"}
        row |= {"source": entry.source if entry else UNTRAINED, "bleu": None, "met_percent": None}
        row |= {"repeated_percent": None, "reference_repeated_percent": None}
        row |= {"pairs": runs["size"].iloc[0], "learning_rate": runs["learning_rate"].iloc[0]}
        row |= {"seed_count": len(runs), "development_pearson_x100": runs["development"].mean()}
        row |= columns("mean", results.METRIC, over_seeds(results.figures(runs)))
        for task in self.experiment.further:
            scored = runs[task].notna().all()
            mean = over_seeds(results.figures(runs, task)) if scored else None
            row |= columns(task, results.METRIC, mean)
        alike = trainings[trainings["encoder"] == encoder]
        for name, floor in (("over_random", control), ("over_untrained", UNTRAINED)):
            lower = alike[alike["text"] == floor]
            compared = len(lower) > 0 and floor != text
            gain = over_seeds(results.gain(runs, lower)) if compared else None
            row |= columns(name, results.METRIC, gain)
        return row

    def _markdown(self, frame: pd.DataFrame) -> str:
        """Lay out a row for each text, columns for each encoder; then the further tasks."""
        from tandem.reporting.writer import grid, page, quantity, with_interval

        names = [encoder.label for encoder in self.experiment.encoders.values()]
        lines = []
        for label, rows in frame.groupby("label", sort=False):
            cells = {row["encoder"]: row for _, row in rows.iterrows()}
            first = rows.iloc[0]
            told = [quantity(first["bleu"], ".1f"), quantity(first["met_percent"], ".1f")]
            if first["source"] in ("back-translated", "people"):
                shares = (first["reference_repeated_percent"], first["repeated_percent"])
                told.append(" → ".join(f"{share:.1f}" for share in shares))
            line = [str(label), *told, *[""] * (3 - len(told))]
            for name, sign in (("mean", ""), ("over_random", "+"), ("over_untrained", "+")):
                line += [with_interval(cells[n], name, results.METRIC, sign) if n in cells else ""
                         for n in names]  # fmt: skip
            lines.append(line)
        headings = ["Training text", "BLEU", "Met (%)", "Repeated (%)", *names]
        headings += [f"{name}, over random" for name in names]
        headings += [f"{name}, over untrained" for name in names]
        further = "\n\n".join(self._further(frame, task) for task in self.experiment.further)
        return page("# Texts as training data", self._note(), grid(headings, lines), further)

    def _note(self) -> str:
        """Say what the table shows."""
        start = self.experiment.start or self.experiment.baseline or "what the seed draws"
        weighed = [
            f"{encoder.label}'s times a / (a + p), a = {encoder.frequent:g}, p the share of the "
            "word in the study's text"
            for encoder in self.experiment.encoders.values() if encoder.frequent
        ]  # fmt: skip
        return (
            "Pearson's r x 100, mean of STS 2012 to 2015, of encoders trained on "
            f"{self.experiment.size:,} pairs of each text; in brackets, the 95% t interval over "
            f"seeds and items. Word vectors start from {', '.join([start, *weighed])}; untrained "
            "is that start. Learning rates are chosen on STS 2016, with all seeds, by one rule for "
            "all texts. Over random: the gain over random pairs of the same references; over "
            "untrained: over the start. BLEU is the translator's; met, of the references, those "
            "that it was trained on; repeated, of the 2-grams of references → of paraphrases, "
            "those that stood in their sentence before."
        )

    def _further(self, frame: pd.DataFrame, task: str) -> str:
        """Return the section of a further task; empty where its data is absent."""
        from tandem.reporting.writer import grid, page, with_interval

        scored = frame.dropna(subset=f"{task}_{results.METRIC}")
        if scored.empty:
            return ""
        names = [encoder.label for encoder in self.experiment.encoders.values()]
        lines = []
        for label, rows in scored.groupby("label", sort=False):
            cells = {
                row["encoder"]: with_interval(row, task, results.METRIC)
                for _, row in rows.iterrows()
            }
            lines.append([str(label), *(cells.get(name, "") for name in names)])
        return page(f"## The task {task}", grid(["Training text", *names], lines))

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a row for each text, a series for each encoder."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        series = {
            str(label): bounds(rows, "mean", results.METRIC)
            for label, rows in frame.groupby("encoder", sort=False)
        }
        labels = list(dict.fromkeys(frame["label"]))
        return dot_plot([Dots("Pearson's r × 100, STS 2012–2015", labels, series)])
