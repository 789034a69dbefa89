"""How the output of translators differs from what people wrote: section 5 of wieting2017."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from typing import TYPE_CHECKING, Any

from tandem.files.io import read_json
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report
from wieting2017.methods.table import ExperimentTable, excerpt

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.figure import Figure

    from wieting2017.methods.settings import Experiment
    from wieting2017.methods.texts import Candidate
    from wieting2017.methods.usage import Words


class MachineText(ExperimentTable):
    """Length, vocabulary, rare words, repetition and entropy of references and translations."""

    blocks: int = 20
    """Parts of a text, over which intervals are computed."""
    examples: int = 10
    """Pairs that are shown, of all texts together."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the texts, and the accuracies of the classifiers."""
        names = self.filtered(plan)
        return {
            "texts": [plan.path("texts", name) for name in names],
            "classifiers": [plan.path("scores/pairs", f"{name}.json") for name in names],
        }

    def build(self, material: Material) -> Report:
        """Make a row for each text and statistic.

        Columns: text, statistic, unit; of references and of translations the mean, and how much
        higher that of translations is, in percent of that of references, each with its 95% t
        interval over blocks of pairs. The frame `usage` has a line for each block and side.
        """
        import pandas as pd

        from tandem.text.tokens import tokens
        from wieting2017.methods import texts, usage

        experiment = self.experiment(material.plan)
        names = self.filtered(material.plan)
        rows: list[dict[str, Any]] = []
        shown: list[list[str]] = []
        for number, (name, folder) in enumerate(zip(names, material.files["texts"], strict=True)):
            label, pairs = experiment.texts[name].label, texts.read(folder)
            references, translations = ([tokens(p.sides[k]) for p in pairs] for k in (0, 1))
            apart = [tokens(reference) for reference, _ in texts.read_apart(folder)]
            frequent = usage.frequent_words(apart)
            measured = _measured(references, translations, frequent, self.blocks)
            rows += [{"key": name, "text": label, **row} for row in measured]
            count = self.examples // len(names) + (number < self.examples % len(names))
            chosen = _telling(pairs, references, translations, frequent, count)
            shown += [
                [label, excerpt(pair.reference), excerpt(pair.paraphrase), why]
                for pair, why in chosen
            ]
        accuracies = _accuracies(names, material.files["classifiers"])
        usage_lines = [
            {"text": row["key"], "statistic": row["name"], "side": side, "block": block,
             "value": value}
            for row in rows for side in SIDES for block, value in enumerate(row["blocks"][side])
        ]  # fmt: skip
        return Report(
            pd.DataFrame(rows).drop(columns=["key", "name", "blocks"]),
            self._markdown(experiment, rows, accuracies, shown),
            {"usage": pd.DataFrame(usage_lines)},
        )

    def _markdown(
        self,
        experiment: Experiment,
        rows: Sequence[Mapping[str, Any]],
        accuracies: pd.DataFrame,
        shown: Sequence[Sequence[str]],
    ) -> str:
        """Lay out the statistics, the accuracies of classifiers, and examples."""
        from tandem.reporting.writer import grid, page, with_interval
        from wieting2017.methods import usage

        note = (
            f"References and their back-translations: {experiment.candidates:,} pairs of each "
            f"text, in {self.blocks} blocks; vocabulary and entropies are of equally many words or "
            f"n-grams of a block. Rare is what is not among the {usage.FREQUENT:,} most frequent "
            "words of references held apart; repeated, what stood in its sentence before. More: of "
            "translations, in percent of the references' figure, with the 95% t interval over "
            "blocks."
        )
        lines = [
            [row["text"], f"{row['statistic']} ({row['unit']})",
             f"{row['reference_mean']:.2f}", f"{row['translation_mean']:.2f}",
             with_interval(row, "more", "percent", "+")]
            for row in rows
        ]  # fmt: skip
        heads = ["Text", "Statistic", "References", "Translations", "More (%)"]
        return page(
            "# How translations differ from references", note, grid(heads, lines),
            "## Told apart", _accuracy_note(accuracies), _accuracy_grid(accuracies, experiment),
            "## Examples", "Of each text, pairs whose translation repeats the most, or has "
            "lost the most rare words.",
            grid(["Text", "Reference", "Translation", "What is seen"], shown),
        )  # fmt: skip

    def figures(self, name: str) -> list[str]:
        """Name the figure of all statistics, and that of lengths."""
        return [f"figures/{name}", f"figures/{name}{LENGTHS_END}"]

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a row for each statistic, a series for each text; or lengths, a panel for each."""
        from tandem.reporting.plots import Dots, bounds, dot_plot
        from wieting2017.methods import usage

        ranges = [label for label, _ in usage.length_names().values()]
        panels = []
        if figure.endswith(LENGTHS_END):
            for text, shares in frame.groupby("text", sort=False):
                placed = shares.set_index("statistic").reindex(ranges)
                series = {f"{side}s": placed[_columns(side)].to_numpy(float) for side in SIDES}
                xlabel = "% of sentences, with 95% interval"
                panels.append(Dots(xlabel, ranges, series, str(text)))
            return dot_plot(panels)
        frame = frame[~frame["statistic"].isin(ranges)]
        rows = list(dict.fromkeys(frame["statistic"]))
        series = {}
        for text, statistics in frame.groupby("text", sort=False):
            more = bounds(statistics.set_index("statistic").reindex(rows), "more", "percent")
            series[str(text)] = 1 + more / 100
        xlabel = "translations / references, with 95% interval"
        return dot_plot([Dots(xlabel, rows, series, log=True, limit=(1.0, "references"))])


def _measured(
    references: Sequence[Words],
    translations: Sequence[Words],
    frequent: frozenset[str],
    blocks: int,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each statistic of a text, then for each range of lengths."""
    import numpy as np

    from tandem.reporting.writer import columns
    from tandem.statistics.inference import sample_mean
    from wieting2017.methods import usage

    statistics = partial(usage.measure, frequent=frequent)
    for names, measure in (
        (usage.STATISTICS, statistics), (usage.length_names(), usage.length_shares)
    ):  # fmt: skip
        measurements = usage.in_blocks(references, translations, blocks, measure)
        for place, (name, (label, unit)) in enumerate(names.items()):
            values = dict(zip(SIDES, measurements[:, place].T, strict=True))
            row: dict[str, Any] = {"name": name, "statistic": label, "unit": unit, "blocks": values}
            for side in SIDES:
                interval = sample_mean(values[side]).interval
                row |= dict(zip(_columns(side), astuple(interval), strict=True))
            # one denominator for all blocks: a block without any repetition has no ratio
            whole = values["reference"].mean() or np.nan
            relative = 100 * (values["translation"] - values["reference"]) / whole
            yield row | columns("more", "percent", sample_mean(relative))


def _telling(
    pairs: Sequence[Candidate],
    references: Sequence[Words],
    translations: Sequence[Words],
    frequent: frozenset[str],
    count: int,
) -> Iterator[tuple[Candidate, str]]:
    """Yield pairs that show a difference, each with a note of it.

    In turn, the translation repeats the most words, or has lost the most rare words.
    """
    repeated = [len(words) - len(set(words)) for words in translations]
    rare, left = (
        [sum(word not in frequent for word in words) for words in side]
        for side in (references, translations)
    )
    lost = [before - after for before, after in zip(rare, left, strict=True)]
    kinds = [(repeated, "{} words repeated"), (lost, "{} rare words fewer")]
    # of equal counts the first pair
    orders = [sorted(range(len(pairs)), key=[-n for n in c].__getitem__) for c, _ in kinds]
    for number in range(count):
        counts, note = kinds[number % 2]
        place = orders[number % 2][number // 2]
        yield pairs[place], note.format(counts[place])


def _columns(side: str) -> list[str]:
    return [f"{side}_mean", f"{side}_low", f"{side}_high"]


SIDES = ("reference", "translation")
LENGTHS_END = "-lengths"


def _accuracy_note(accuracies: pd.DataFrame) -> str:
    if accuracies.empty:
        return ""
    return (
        "Accuracy of classifiers that tell references from translations, on sentences held out for "
        "it, in percent; guessing the more frequent kind beside it."
    )


def _accuracies(names: Sequence[str], files: Sequence[Path]) -> pd.DataFrame:
    """Return two lines for each text and classifier: its accuracy, and that of guessing."""
    import pandas as pd

    return pd.DataFrame([
        {"text": name, "classifier": kind, "guess": guess, "accuracy_percent": 100 * shares[key]}
        for name, file in zip(names, files, strict=True)
        for kind, shares in read_json(file).items()
        for guess, key in (("classifier", "accuracy"), ("majority", "majority"))
    ])  # fmt: skip


def _accuracy_grid(accuracies: pd.DataFrame, experiment: Experiment) -> str:
    from tandem.reporting.writer import grid

    if accuracies.empty:
        return ""
    kinds = list(dict.fromkeys(accuracies["classifier"]))
    wide = accuracies.set_index(["text", "classifier", "guess"])["accuracy_percent"]
    rows = [
        [experiment.texts[text].label,
         *(f"{wide[text, kind, 'classifier']:.1f} ({wide[text, kind, 'majority']:.1f})"
           for kind in kinds)]
        for text in dict.fromkeys(accuracies["text"])
    ]  # fmt: skip
    return grid(["Text", *kinds], rows)
