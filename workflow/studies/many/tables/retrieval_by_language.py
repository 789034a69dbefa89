"""Retrieval in every language of a collection: which sentences find their translation first."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from tandem.reporting.table import Given, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.plan import Plan


class RetrievalByLanguage(Table):
    """P@1 between each language and the pivot, for each source and experiment."""

    encoders: list[str]
    """Encoders; each is scored in every setting."""
    settings: list[str]
    """What they are trained on."""
    task: str = "retrieval"
    """The task, of a collection."""

    def inputs(self, plan: Plan) -> dict[str, list[str]]:
        """Name scores."""
        names = plan.experiments(self.encoders, self.settings)
        return {"scores": plan.scores(names, self.task)}

    def build(self, given: Given) -> Report:
        """Make a line for each source, language and experiment.

        Columns: source, language, experiment, encoder, setting, sentences; from_p_at_1_x100, of
        the language's sentences, and into_p_at_1_x100, of the pivot's, each with its 95% interval;
        seed_count.
        """
        import pandas as pd

        from tandem.reporting.writer import columns

        rows = []
        for name in given.plan.experiments(self.encoders, self.settings):
            known = given.plan.described(name)
            for unit in given.scores.units(name, self.task)[::2]:  # then comes the way back
                source, ways = unit.rsplit(".", 1)
                into = given.scores.cell(name, self.task, unit)
                back = f"{source}.{_turned(ways)}"
                rows.append(
                    {
                        "source": source,
                        "language": _turned(ways).rsplit("-", 1)[0],
                        "experiment": name,
                        **{key: known[key] for key in ("encoder", "setting")},
                        "sentences": into.items,
                        **columns("from", "p_at_1_x100", given.scores.cell(name, self.task, back)),
                        **columns("into", "p_at_1_x100", into),
                        "seed_count": len(into.seeds),
                    }
                )
        frame = pd.DataFrame(rows)
        return Report(frame, self._markdown(frame))

    def _markdown(self, frame: pd.DataFrame) -> str:
        """Lay out a grid for each source: a row for each language, columns for experiments."""
        from tandem.reporting.writer import grid, page

        parts = [
            "# Retrieval in every language",
            "P@1 x 100: how often the nearest of the held-out sentences of a corpus is the "
            "translation, from the language to English and from English to the language.",
        ]
        for source, rows in frame.groupby("source", sort=False):
            parts += [f"## {source}", _means(rows)]
            names = list(rows["experiment"].unique())
            lines = []
            for language, own in rows.groupby("language", sort=False):
                by_name = own.set_index("experiment")
                scores = by_name.reindex(names)[["from_p_at_1_x100", "into_p_at_1_x100"]].to_numpy()
                cells = ["" if isnan(score) else f"{score:.1f}" for score in scores.ravel()]
                lines.append([str(language), f"{own['sentences'].iloc[0]:,}", *cells])
            ways = [f"{name}, {way}" for name in names for way in ("to English", "from English")]
            parts.append(grid(["Language", "Sentences", *ways], lines))
        return page(*parts)

    def plot(self, figure: str, frame: pd.DataFrame, given: Given) -> Figure:
        """Draw a panel for each source, a row for each language, the best first."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        panels = []
        for source, rows in frame.groupby("source", sort=False):
            best = rows.groupby("language")["from_p_at_1_x100"].max()
            languages = list(best.sort_values(ascending=False).index)
            series = {
                f"{own['encoder'].iloc[0]}, {own['setting'].iloc[0]}": bounds(
                    own.set_index("language").reindex(languages), "from", "p_at_1_x100"
                )
                for _, own in rows.groupby("experiment", sort=False)
            }
            label = "P@1 × 100, to English, with 95% interval"
            panels.append(Dots(label, languages, series, str(source)))
        return dot_plot(panels)


def _turned(ways: str) -> str:
    """Turn "en-zh-Hant" into "zh-Hant-en"."""
    first, _, second = ways.partition("-")
    return f"{second}-{first}"


def _means(rows: pd.DataFrame) -> str:
    """Say what the languages have on average."""
    said = [
        f"{name}: mean of {len(own)} languages {own['from_p_at_1_x100'].mean():.1f} to English, "
        f"{own['into_p_at_1_x100'].mean():.1f} from English"
        for name, own in rows.groupby("experiment", sort=False)
    ]
    return "; ".join(said) + "."
