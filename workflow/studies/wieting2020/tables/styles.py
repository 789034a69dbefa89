"""Style transfer, measured: outputs of models beside copies and true verses (section 5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import PositiveInt

from tandem.files.io import read_json, read_lines
from tandem.reporting.compared import Compared, experiment
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2020.methods import standing, transfer
from wieting2020.methods.gains import estimate_of, gain
from wieting2020.methods.styles import Classifier, read_triples

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawing

    from tandem.reporting.scores import Cell

CONTROLS = {"copy": "Source, copied", "style": "Style sentence", "reference": "True verse"}
OTHER = transfer.MANNERS[1]
"""Names the last model where it is given the style of a third version."""
METRICS = {
    "style": "share_x100", "meaning": "cosine_x100", "mismatch": "cosine_x100", "bleu": "bleu"
}  # fmt: skip
HEADINGS = {
    "style": "Wanted version, %", "meaning": "Meaning, cosine × 100",
    "mismatch": "Meaning of another source", "bleu": "BLEU",
}  # fmt: skip
Systems = dict[str, tuple[str, list[list[str]]]]
"""Labels and outputs, of each seed, by name."""


class StyleTransfer(Table):
    """A row for each control and model, the last of which is compared with all others.

    Before it comes a row of its own with another style: the style's verse in a third version. What
    that writes in the wanted version it writes whatever the style says.
    """

    title: str
    """Heading of the table."""
    models: list[Compared]
    """The models that restyle."""
    measured_by: str
    """The experiment whose encoder, of the first seed, measures the meaning: none of the models."""
    seeds: PositiveInt | None = None
    """So many of each model's seeds, the first ones, restyle; null: all."""
    beam: PositiveInt = 5
    """Beginnings of a sentence that are kept."""

    def experiments(self, plan: Outline) -> list[str]:
        """Name the models' experiments."""
        return [experiment(plan, model) for model in self.models]

    def _seeds(self, plan: Outline, name: str) -> list[int]:
        return plan.seeds(name)[: self.seeds]

    def _written(self, plan: Outline) -> list[tuple[str, str]]:
        """Return the experiment of each model, and in which manner it writes."""
        *others, last = ((name, transfer.MANNERS[0]) for name in self.experiments(plan))
        return [*others, (last[0], transfer.MANNERS[1]), last]

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the triples, what the models wrote, and the encoder that measures the meaning."""
        names = self.experiments(plan)
        return {
            "styles": [plan.path("styles")],
            "restyled": [
                transfer.path_of(plan, name, seed, manner)
                for name, manner in self._written(plan)
                for seed in self._seeds(plan, name)
            ],
            **standing.inputs(plan, names),
            "model": plan.models([self.measured_by], plan.seeds(self.measured_by)[:1]),
        }

    def encodes(self) -> list[str]:
        """Name the encoder that measures the meaning."""
        return [self.measured_by]

    def build(self, material: Material) -> Report:
        """Make a line for each control and model.

        Columns: row, system, seed_count; of each figure its 95% interval over verses and seeds,
        `gain_` and the figure, the last model's minus this row's with its interval, and
        `gain_<figure>_p`, the two-sided p-value of that. The frame `gains` has them for claims
        (`methods.gains`).
        """
        import pandas as pd

        from tandem.reporting.writer import beside, columns, grid, page

        systems = self._systems(material)
        cells = self._cells(material, systems)
        *others, last = systems
        gains = {
            (name, unit): gain(
                unit, {last: cells[last][unit], name: cells[name][unit]}, CONTROLS,
                same_models=name == OTHER,
            )
            for name in others
            for unit in METRICS
        }  # fmt: skip
        stands = standing.standings(material, self.experiments(material.plan))
        lines = []
        for name, (label, outputs) in systems.items():
            seeds = 0 if name in CONTROLS else len(outputs)
            line: dict[str, Any] = {"row": label, "system": name, "seed_count": seeds}
            for unit, metric in METRICS.items():
                estimate = estimate_of(gains[name, unit]) if name != last else None
                line |= columns(unit, metric, cells[name][unit])
                line |= columns(f"gain_{unit}", metric, estimate)
                line[f"gain_{unit}_p"] = estimate.p(0) if estimate else None
            lines.append(line)
        marks = [stands[name].mark if name in stands else "" for name in systems]
        heads = [[line["row"] + mark, str(line["seed_count"] or "")]
                 for line, mark in zip(lines, marks, strict=True)]  # fmt: skip
        shown = _unranked(beside(heads, [list(cells[name].values()) for name in systems]))
        headings = list(HEADINGS.values())
        text = page(
            f"# {self.title}", grid(["", "Seeds", *headings], shown), self._legend(material),
            f"## {systems[last][0]} minus each other row",
            grid(["", *headings], list(map(_compared, lines[:-1]))),
            "Differences on the same triples, with 95% intervals over verses and seeds (of one "
            "seed, over verses alone); p is two-sided, by Student's t over them, and not "
            "corrected for the number of tests.", standing.BEGUN_NOTE,
        )  # fmt: skip
        frames = {"gains": pd.DataFrame(gains.values())}
        return Report(pd.DataFrame(lines), text, frames, **standing.withheld(stands))

    def _systems(self, material: Material) -> Systems:
        """Return the controls, then the models, with what they write."""
        triples = read_triples(material.files["styles"][0] / "triples.tsv")
        written = iter(material.files["restyled"])
        controls = transfer.controls(triples)
        systems: Systems = {key: (label, [controls[key]]) for key, label in CONTROLS.items()}
        labels = {experiment(material.plan, model): model.label for model in self.models}
        for name, manner in self._written(material.plan):
            outputs = [list(read_lines(next(written))) for _ in self._seeds(material.plan, name)]
            if manner == transfer.MANNERS[0]:
                systems[name] = labels[name], outputs
            else:
                systems[OTHER] = f"{labels[name]}, style of a third version", outputs
        return systems

    def _cells(self, material: Material, systems: Systems) -> dict[str, dict[str, Cell]]:
        """Score all outputs: by system, and by figure."""
        import numpy as np

        from tandem.encoders.model import SentenceEncoder
        from tandem.reporting.scores import Cell

        folder = material.files["styles"][0]
        triples = read_triples(folder / "triples.tsv")
        classifier = Classifier.load(folder / "classifier.npz")
        encoder = SentenceEncoder.load(material.files["model"][0])
        cells: dict[str, dict[str, Cell]] = {}
        for name, (_, outputs) in systems.items():
            items = [transfer.score(texts, triples, classifier, encoder) for texts in outputs]
            cells[name] = {
                unit: Cell(
                    values=np.array([transfer.estimate(of_seed, unit) for of_seed in items]),
                    draws=transfer.draws(
                        items, unit, material.scores.resamples, material.scores.seed
                    ),
                    items=len({triple.place for triple in triples}),
                    seeds=tuple(range(len(items))),
                    metric=metric,
                )
                for unit, metric in METRICS.items()
            }
        return cells

    def _legend(self, material: Material) -> str:
        """Say what the figures are."""
        folder = material.files["styles"][0]
        about = read_json(folder / "classifier.json")["test"]
        low, high = about["interval_x100"]
        triples = read_triples(folder / "triples.tsv")
        verses = len({triple.place for triple in triples})
        return (
            f"Each of {len(triples):,} triples, of {verses:,} held-out verses, has a source in one "
            "English version and its true verse in another; the style is another verse of the "
            "latter. Wanted version: the share that a classifier of n-grams takes for the version "
            "of the style; of held-out verses it tells "
            f"{about['accuracy_x100']:.1f}% [{low:.1f}, {high:.1f}]. "
            "The source never is in that version, and what is always written in one version is in "
            f"{100 / len(about['taken_for']):.1f}%, which is chance. Meaning: cosine to the source "
            f"by {self.measured_by}, which is none of the models. Meaning of another source: "
            "cosine to the source of another triple, which the output has nothing to do with; what "
            "an output has of its source's meaning is the first minus this. BLEU: to the true "
            "verse, in lower-case tokens. Means over seeds; in brackets, the 95% interval over "
            "verses, each with all its triples, and seeds. Copies and true verses are no models: "
            "the best of a column, in bold, may be theirs."
        )

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Drawing:
        """Draw a panel for each figure, a row for each control and model."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        rows = [str(label) for label in frame["row"]]
        panels = [
            Dots(HEADINGS[unit], rows, {"with 95% interval": bounds(frame, unit, metric)})
            for unit, metric in METRICS.items()
        ]
        return dot_plot(panels, len(panels))


def _unranked(rows: list[list[str]]) -> list[list[str]]:
    """Return rows of a grid without bold type in the control of meaning, of which none is best."""
    place = list(METRICS).index("mismatch") - len(METRICS)
    return [[*row[:place], row[place].replace("**", ""), *row[place + 1 :]] for row in rows]


def _compared(line: dict[str, Any]) -> list[str]:
    """Return the last row's figures minus those of a line, as a grid shows them."""
    from tandem.reporting.writer import p_value, with_interval

    shown = [
        f"{with_interval(line, f'gain_{unit}', metric, '+')}, p {p_value(line[f'gain_{unit}_p'])}"
        for unit, metric in METRICS.items()
    ]
    return [line["row"], *shown]
