"""Retrieval in every language: the joint encoder beside one trained on that language alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.corpora.collection import read_parts
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

METRIC = "p_at_1_x100"
SINGLE = "Sources of one language"
"""The heading of those that have a part in one language only."""
WAYS = {"into": "{pivot}-{language}", "from": "{language}-{pivot}"}
"""From the pivot's sentences into the language, and back."""


class ByLanguage(Table):
    """P@1 between each language and the pivot, for each source, jointly trained and alone."""

    title: str = "Retrieval in every language"
    """Heading of the table."""
    joint: str
    """The experiment with all languages."""
    alone: str
    """How the experiments with one language are called, before `-<language>`; the study may have
    one for some languages only."""
    task: str = "retrieval"
    """The retrieval task, of a collection."""
    scripts: dict[str, list[str]] = {}
    """Languages by their script, for the table and its claims; others are Latin."""

    def experiments(self, plan: Outline) -> dict[str, str]:
        """Name the experiments by language; the joint one has the empty name."""
        encoder, _, start = f"{self.alone}-".partition(".")
        alone = {
            name.removeprefix(start): f"{encoder}.{name}"
            for name in plan.study.settings
            if name.startswith(start)
        }
        return {"": self.joint, **alone}

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores, and the collection, which has the numbers of pairs."""
        corpus = plan.setting(self.joint).corpus
        names = self.experiments(plan).values()
        return {
            "scores": plan.scores(names, self.task),
            "collection": [plan.path("corpora", corpus)],
        }

    def build(self, material: Material) -> Report:
        """Make a line for each source and language.

        Columns: source, language, script, pairs (of this language and source, to train on),
        sentences (searched); then `joint_<way>_p_at_1_x100`, `alone_<way>_p_at_1_x100` and the
        difference, `gain_<way>_p_at_1_x100`, each with its 95% interval, where a way is `from` the
        language or `into` it.
        """
        import pandas as pd

        corpus = material.files["collection"][0]
        setting = material.plan.setting(self.joint)
        pivot = material.plan.study.collections[setting.corpus].pivot
        rows = []
        for part, sizes in read_parts(corpus).items():
            if part.left == pivot and not part.monolingual:
                row = self._row(part.source, part.right, pivot, material)
                if row is not None:
                    rows.append(row | {"pairs": sizes["train"]})
        order = ["source", "language", "script", "pairs", "sentences"]
        frame = pd.DataFrame(rows)
        frame = frame[[*order, *(column for column in frame if column not in order)]]
        compared = frame[frame["alone_from_p_at_1_x100"].notna()]
        return Report(frame, self._markdown(frame), {"languages": compared})

    def _row(
        self, source: str, language: str, pivot: str, material: Material
    ) -> dict[str, Any] | None:
        """Make a line, or None where the joint encoder was not scored."""
        from tandem.reporting.writer import columns
        from tandem.statistics.inference import difference

        names = self.experiments(material.plan)
        script = next((name for name, codes in self.scripts.items() if language in codes), "Latin")
        row: dict[str, Any] = {"source": source, "language": language, "script": script}
        for way, form in WAYS.items():
            unit = f"{source}.{form.format(pivot=pivot, language=language)}"
            joint = material.scores.cell(names[""], self.task, unit)
            if joint is None:
                return None
            alone = None
            if language in names:
                alone = material.scores.cell(names[language], self.task, unit)
            row["sentences"] = joint.items
            row |= columns(f"joint_{way}", METRIC, joint)
            row |= columns(f"alone_{way}", METRIC, alone)
            row |= columns(f"gain_{way}", METRIC, alone and difference(joint, alone))
        return row

    def _markdown(self, frame: pd.DataFrame) -> str:
        """Lay out a grid for each group of sources, the weakest language first."""
        from tandem.reporting.writer import grid, page, with_interval

        parts = [
            f"# {self.title}",
            "P@1 × 100: how often the nearest of the held-out sentences of a corpus is the "
            "translation, from the language to English and from English to the language; in "
            "brackets its 95% interval. *Alone*: an encoder trained on the text of that language "
            "and English only, all its sources. The weakest language first.",
        ]
        headings = ["Language", "Script", "Training pairs", "Sentences"]
        for way in ("to English", "from English"):
            headings += [f"Joint, {way}", "Alone", "Gain"]
        for title, rows in _groups(frame):
            lines = []
            for _, row in rows.sort_values("joint_from_p_at_1_x100", kind="stable").iterrows():
                counts = (f"{row['pairs']:,}", f"{row['sentences']:,}")
                figures = [
                    with_interval(row, f"{kind}_{way}", METRIC)
                    for way in ("from", "into")
                    for kind in ("joint", "alone", "gain")
                ]
                lines.append([row["name"], row["script"], *counts, *figures])
            means = [] if title == SINGLE else [_means(rows)]
            parts += [f"## {title}", *means, grid(headings, lines)]
        return page(*parts)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a panel for each group of sources, a row for each language, the best first."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        panels = []
        for title, rows in _groups(frame):
            ordered = rows.sort_values("joint_from_p_at_1_x100", ascending=False, kind="stable")
            series = {
                "all languages together": bounds(ordered, "joint_from", METRIC),
                "the language alone": bounds(ordered, "alone_from", METRIC),
            }
            label = "P@1 × 100, to English, with 95% interval"
            panels.append(Dots(label, list(ordered["name"]), series, title))
        return dot_plot(panels)


def _groups(frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Group rows by source and name them by language; sources of one language are one group."""
    single = frame.groupby("source")["language"].transform("size") == 1
    with_source = frame["language"] + ", " + frame["source"]
    named = frame.assign(name=frame["language"].where(~single, with_source))
    groups = [(str(source), rows) for source, rows in named[~single].groupby("source", sort=False)]
    return [*groups, (SINGLE, named[single])] if single.any() else groups


def _means(rows: pd.DataFrame) -> str:
    """Write the means over languages, and in how many the joint encoder is ahead."""
    both = rows.dropna(subset=["alone_from_p_at_1_x100"])
    sentences = [f"Joint, mean of {len(rows)} languages: {_mean(rows, 'joint')}."]
    if len(both):
        sentences.append(
            f"Of the {len(both)} that were also trained alone: joint {_mean(both, 'joint')}, alone "
            f"{_mean(both, 'alone')}; joint ahead in {(both['gain_from_p_at_1_x100'] > 0).sum()} "
            f"to English and {(both['gain_into_p_at_1_x100'] > 0).sum()} from English."
        )
    return " ".join(sentences)


def _mean(rows: pd.DataFrame, kind: str) -> str:
    ways = (rows[f"{kind}_{way}_p_at_1_x100"].mean() for way in ("from", "into"))
    return "{:.1f} to and {:.1f} from English".format(*ways)
