"""Table 5: what predicts the STS score of a language, laid out as in the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pydantic import PositiveInt

from tandem.reporting.table import Given, Report, Table
from wieting2019.languages.settings import FEWEST, THRESHOLD

if TYPE_CHECKING:
    import pandas as pd

    from tandem.plan import Plan
    from tandem.reporting.published import Published

QUOTED = {
    (False, "low", "syntactic"): "wieting2019.language.syntactic_low",
    (False, "high", "syntactic"): "wieting2019.language.syntactic_high",
    (True, "all", "overlap_types"): "wieting2019.marker.overlap",
    (True, "all", "featural"): "wieting2019.marker.distance",
    (True, "all", "syntactic"): "wieting2019.marker.syntactic",
}
"""The figures that the paper's text prints: (marked, cluster, predictor) to their entry."""

PREDICTORS = {
    "overlap_types": "SP overlap, types",
    "overlap_tokens": "SP overlap, tokens",
    "featural": "Distance, featural (all five)",
    "genetic": "Distance, genetic",
    "geographic": "Distance, geographic",
    "syntactic": "Distance, syntactic",
    "phonological": "Distance, phonological",
    "inventory": "Distance, inventory",
}
"""Names of the predictors in the table."""

RESPONSES = {
    "score": ("STS score", "STS score"),
    "gain": ("Gain over the model's own random start", "gain over the random start"),
}
"""Names of the responses, in headings and in claims."""

SIGNIFICANT = 0.05
"""Corrected p-value under which a correlation is set in bold."""

MARKED = "every non-English piece marked, so that no parameter is shared"
"""Name of the ablation in headings."""


class Table5(Table):
    """Rank correlations of overlap and distances with the points of Figure 1."""

    points: str = "figure1"
    """The table of kind figure1 whose points are correlated."""
    labels: dict[str, str]
    """Headings of its panels."""
    permutations: PositiveInt = 10000
    """Number of random permutations behind each p-value."""

    def inputs(self, plan: Plan) -> dict[str, list[str]]:
        """Name what the points are made from, since their CSV is rounded."""
        return plan.study.tables[self.points].inputs(plan)

    def figures(self, name: str) -> list[str]:
        """Return none: Figure 1 has the points."""
        return []

    def build(self, given: Given) -> Report:
        """Correlate; the columns are `correlations.COLUMNS` with published_x100, published_place.

        Frames for claims: points, with the cluster of the paper's threshold; and settings, a line
        for each panel, response, marker and cluster.
        """
        from wieting2019.languages.correlations import Draws, correlations
        from wieting2019.languages.points import measured_points

        points, notes = measured_points(given.files)
        bootstrap = given.plan.study.bootstrap
        found = correlations(points, Draws(bootstrap.resamples, self.permutations, bootstrap.seed))
        table = quote(found, given.published)
        return Report(table, self.markdown(table, notes, given.published), evidence(points))

    def markdown(
        self, table: pd.DataFrame, notes: Mapping[str, str], register: Mapping[str, Published]
    ) -> str:
        """Lay the table out: predictors down, clusters across; a note on each panel."""
        from tandem.reporting.writer import page

        parts = [
            "# Table 5: what predicts the STS score of a language",
            "Spearman's rho x 100 over languages, with its 95% interval (bootstrap over languages) "
            "and the permutation p-value corrected for the number of predictors in the column "
            f"(max-T); bold where that is under {SIGNIFICANT}. No figure where a cluster has under "
            f"{FEWEST} languages or one side is constant. Clusters: languages with less, and with "
            "at least, the SP overlap (types) that heads the column, first the paper's threshold, "
            "then the one that divides our overlaps best (2-means). A distance is 1 - cosine of "
            "URIEL's vectors of a language and of English.",
            _sources(register[entry] for entry in QUOTED.values()),
        ]
        for (panel, marked), setting in table.groupby(["panel", "marked"], sort=False):
            title = self.labels.get(panel, panel)
            parts.append(f"## {title}; {MARKED}" if marked else f"## {title}")
            parts.append("" if marked else notes[panel])
            score, gain = (setting[setting["response"] == name] for name in RESPONSES)
            parts += [f"### {RESPONSES['score'][0]}", *_grids(score)]
            same = ["rho_x100", "low", "high", "p_corrected", "partial_rho_x100"]
            alike = score[same].reset_index(drop=True).equals(gain[same].reset_index(drop=True))
            said = ["All figures are as above: it orders the languages alike."]
            parts += [f"### {RESPONSES['gain'][0]}", *(said if alike else _grids(gain))]
        return page(*parts)


def quote(table: pd.DataFrame, register: Mapping[str, Published]) -> pd.DataFrame:
    """Put the paper's figures beside ours: those of scores, by its own threshold."""
    keys = zip(table["marked"], table["cluster"], table["predictor"], strict=True)
    shown = (table["response"] == "score") & (table["split"] != "data")
    names = [QUOTED.get(key) if one else None for key, one in zip(keys, shown, strict=True)]
    entries = [register[name] if name else None for name in names]
    return table.assign(
        published_x100=[entry.values["rho"] if entry else float("nan") for entry in entries],
        published_place=[f"{entry.paper}, {entry.place}" if entry else None for entry in entries],
    )


def evidence(points: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what claims are tested on; see `Table5.build`.

    The settings' column `printed` names the figure to quote: the paper's are correlations with
    scores, and beside those with gains they would mislead.
    """
    import pandas as pd

    low = points["overlap_types"] < THRESHOLD
    clustered = points.assign(cluster=low.map({True: "low", False: "high"}))
    settings = [
        {"panel": panel, "marked": marked, "response": response, "said": said, "cluster": cluster,
         "printed": "rho" if response == "score" else "none"}
        for panel, marked in points[["panel", "marked"]].drop_duplicates().itertuples(index=False)
        for response, (_, said) in RESPONSES.items()
        for cluster in ("all", "low", "high")
    ]  # fmt: skip
    return {"points": clustered, "settings": pd.DataFrame(settings)}


def _grids(rows: pd.DataFrame) -> list[str]:
    """Return the correlations of a response, and those with the overlap held fixed."""
    partial = _grid(rows, "partial_rho_x100")
    return [_grid(rows, "rho_x100"), "SP overlap (types) held fixed:", partial]


def _grid(rows: pd.DataFrame, statistic: str) -> str:
    """One table: a row for each predictor, a column for each cluster."""
    from tandem.reporting.writer import grid

    columns = [group for _, group in rows.groupby(["split", "cluster"], sort=False)]
    lines = []
    for predictor, label in PREDICTORS.items():
        cells = [
            _cell(column[column["predictor"] == predictor].iloc[0], statistic) for column in columns
        ]
        if any(cells):
            lines.append([label, *cells])
    return grid(["Predictor", *map(_heading, columns)], lines)


def _heading(column: pd.DataFrame) -> str:
    """Name a cluster, with its threshold and number of languages."""
    first = column.iloc[0]
    languages = f"({first['n']} languages)"
    if first["cluster"] == "all":
        return f"All {languages}"
    sign = "<" if first["cluster"] == "low" else "≥"
    return f"{first['cluster'].capitalize()} {sign} {first['threshold']:.2f} {languages}"


def _cell(row: pd.Series, statistic: str) -> str:
    """One correlation with its interval; its p-value and the paper's figure where there is one."""
    if row.isna()[statistic]:
        return ""
    if statistic == "partial_rho_x100":
        return f"{row[statistic]:.1f} [{row['partial_low']:.1f}, {row['partial_high']:.1f}]"
    p, bold = row["p_corrected"], "**" if row["p_corrected"] < SIGNIFICANT else ""
    text = f"{bold}{row[statistic]:.1f}{bold} [{row['low']:.1f}, {row['high']:.1f}]"
    text += ", p < 0.001" if p < 0.001 else f", p {p:.3f}"
    return text if row.isna()["published_x100"] else f"{text}; paper {row['published_x100']:.1f}"


def _sources(entries: Iterable[Published]) -> str:
    """Say which published figures stand in the table and where they were read."""
    entries = list(entries)
    lines = ", ".join(str(line) for line in sorted({entry.line for entry in entries}))
    first = entries[0]
    return (
        f'Figures after "paper" are {first.paper}\'s, {first.place} ({first.text}, lines {lines}),'
        " from other corpora; that text does not print the other cells of its Table 5."
    )
