"""Table 5: predictors of a language's gain on STS, laid out as in the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import PositiveInt

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2019.methods.settings import FEWEST, PERMUTATIONS, THRESHOLD

if TYPE_CHECKING:
    import pandas as pd

    from tandem.reporting.published import Published

QUOTED = {
    (False, "low", "syntactic"): "wieting2019.language.syntactic_low",
    (False, "high", "syntactic"): "wieting2019.language.syntactic_high",
    (True, "all", "overlap_types"): "wieting2019.marker.overlap",
    (True, "all", "featural"): "wieting2019.marker.distance",
    (True, "all", "syntactic"): "wieting2019.marker.syntactic",
}
"""The figures that the paper's text prints: (marked, cluster, predictor) to the entry."""

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
    "gain": "Gain over the untrained encoder",
    "sharing": "What sharing pieces with English gains: plain minus marked",
}
"""Names of the responses, in headings."""

CLUSTERS = {"all": "All", "Latin": "Latin script", "low": "Overlap <", "high": "Overlap ≥"}
"""Names of the clusters; a threshold follows the last two."""

HELD = {"script": "Script held", "family": "Family held", "both": "Both held"}
"""Headings of the columns with something held fixed."""

SIGNIFICANT = 0.05
"""Corrected p-value under which a correlation is set in bold."""

MARKED = "every non-English piece marked, so that no parameter is shared"
"""Name of the ablation in headings."""


class Table5(Table):
    """Rank correlations of overlap and distances with the points of Figure 1."""

    points: str = "figure1"
    """The table of kind figure1 whose points are correlated."""
    labels: dict[str, str]
    """Headings of the panels."""
    permutations: PositiveInt = PERMUTATIONS
    """Number of random permutations behind each p-value with something held fixed."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name what the points are computed from, since their CSV is rounded."""
        return plan.study.tables[self.points].inputs(plan)

    def figures(self, name: str) -> list[str]:
        """Return none: Figure 1 has the points."""
        return []

    def build(self, material: Material) -> Report:
        """Correlate; the columns are `correlations.COLUMNS` with published_x100, published_place.

        Frames for claims: points, with the cluster of the paper's threshold; and settings, a line
        for each panel, marker and cluster that there is.
        """
        from wieting2019.methods.correlations import Draws, correlations
        from wieting2019.methods.points import measured_points

        points, notes = measured_points(material.files)
        scores = material.scores
        draws = Draws(scores.resamples, self.permutations, scores.seed)
        table = quote(correlations(points, draws), material.published)
        return Report(table, self.markdown(table, notes, material.published), evidence(points))

    def markdown(
        self, table: pd.DataFrame, notes: Mapping[str, str], register: Mapping[str, Published]
    ) -> str:
        """Lay the table out: predictors down, clusters across; a note on each panel."""
        from tandem.reporting.writer import page

        quoted = table["published_x100"].notna()
        parts = [
            "# Table 5: what predicts how much a language gains on STS",
            "Spearman's rho x 100 over languages, its 95% interval and p-value; bold where p, "
            f"corrected for the number of predictors (Holm), is under {SIGNIFICANT}. Families of "
            "languages (Indo-European by branches) are resampled for both, since kin are no "
            f"independent sample. No figure where there are under {FEWEST} languages or one side "
            "is constant. Languages are divided by script, and by the SP overlap (types) that "
            "heads a column: the paper's threshold where enough languages stand on either side, "
            "and the one that divides our overlaps best (2-means). A distance is 1 - cosine of "
            "URIEL's vectors of a language and of English.",
            'The tables headed "held" correlate ranks less their mean in each script, family or '
            "both; p is of permuting the gains within these alone, which gives no interval. What "
            "is left there is not owed to script or kinship; languages alone in theirs are left "
            "out.",
            _sources(table[quoted], register),
        ]
        for (panel, marked), setting in table.groupby(["panel", "marked"], sort=False):
            title = self.labels.get(str(panel), str(panel))
            parts.append(f"## {title}; {MARKED}" if marked else f"## {title}")
            parts.append("" if marked else notes[str(panel)])
            for response, rows in setting.groupby("response", sort=False):
                free = rows["held"] == ""
                parts += [f"### {RESPONSES[str(response)]}", _grid(rows[free]), _grid(rows[~free])]
                if response == "sharing":
                    parts.append(settled(rows))
        return page(*parts)


def quote(table: pd.DataFrame, register: Mapping[str, Published]) -> pd.DataFrame:
    """Put the paper's figures beside ours, where the paper's threshold gives us a figure."""
    keys = zip(table["marked"], table["cluster"], table["predictor"], strict=True)
    shown = (table["response"] == "gain") & (table["split"] != "data") & (table["held"] == "")
    shown &= table["rho_x100"].notna()
    names = [QUOTED.get(key) if show else None for key, show in zip(keys, shown, strict=True)]
    entries = [register[name] if name else None for name in names]
    places: list[Any] = [f"{entry.paper}, {entry.place}" if entry else None for entry in entries]
    return table.assign(
        published_x100=[entry.values["rho"] if entry else float("nan") for entry in entries],
        published_place=places,
    )


def evidence(points: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what claims are tested on; see `Table5.build`."""
    import pandas as pd

    from wieting2019.methods.correlations import clusters
    from wieting2019.methods.points import SETTING

    low = points["overlap_types"] < THRESHOLD
    clustered = points.assign(cluster=low.map({True: "low", False: "high"}))
    settings = [
        {"panel": panel, "marked": marked, "cluster": cluster.name}
        for (panel, marked), group in points.groupby(SETTING, sort=False)
        for cluster in clusters(group)
        if cluster.split in ("", "paper")
    ]
    return {"points": clustered, "settings": pd.DataFrame(settings)}


def settled(rows: pd.DataFrame) -> str:
    """Say whether overlap predicts what sharing gains, also within a script and a family."""
    overlap = rows[(rows["predictor"] == "overlap_types") & (rows["split"] == "")]
    by_held = overlap.set_index("held")
    rho, p = by_held["rho_x100"], by_held["p"]
    if p.isna().any():
        return ""
    if p[""] >= SIGNIFICANT:
        return "Overlap (types) does not predict, at a p of 0.05, what sharing gains."
    held = [name for name in ("script", "family", "both") if p[name] >= SIGNIFICANT]
    if not held:
        return (
            "Overlap (types) predicts what sharing gains, and still does with script and family "
            "held: it stands for neither."
        )
    left = ", ".join(f"{rho[name]:.0f} with {name} held" for name in held)
    return (
        f"Overlap (types) predicts what sharing gains (rho x 100 of {rho['']:.0f}). Of that is "
        f"left {left}, where p is 0.05 or more: there it is open whether overlap stands for script "
        "or kinship."
    )


def _grid(rows: pd.DataFrame) -> str:
    """Return a grid: a row for each predictor, a column for each cluster or what is held fixed."""
    from tandem.reporting.writer import grid

    groups = [group for _, group in rows.groupby(["split", "cluster", "held"], sort=False)]
    columns = [group for group in groups if group["rho_x100"].notna().any()]
    lines = []
    for predictor, label in PREDICTORS.items():
        cells = [_cell(column[column["predictor"] == predictor].iloc[0]) for column in columns]
        if any(cells):
            lines.append([label, *cells])
    return grid(["Predictor", *map(_heading, columns)], lines) if lines else ""


def _heading(column: pd.DataFrame) -> str:
    """Name a cluster, with its threshold and numbers of languages and of families."""
    first = column.iloc[0]
    name = HELD.get(first["held"], CLUSTERS[first["cluster"]])
    if first["split"] in ("paper", "data"):
        name += f" {first['threshold']:.2f}"
    return f"{name} ({first['n']} languages, {first['families']} families)"


def _cell(row: pd.Series) -> str:
    """Write a correlation with its interval and p-value, and the paper's figure if there is one."""
    from tandem.reporting.writer import p_value

    if row.isna()["rho_x100"]:
        return ""
    bold = "**" if row["p_holm"] < SIGNIFICANT else ""
    text = f"{bold}{row['rho_x100']:.0f}{bold}"
    if not row.isna()["low"]:
        text += f" [{row['low']:.0f}, {row['high']:.0f}]"
    text += f", p {p_value(row['p'])}"
    return text if row.isna()["published_x100"] else f"{text}; paper {row['published_x100']:.1f}"


def _sources(quoted: pd.DataFrame, register: Mapping[str, Published]) -> str:
    """Say where the published figures in the table were read."""
    if quoted.empty:
        return ""
    entries = [register[name] for name in QUOTED.values()]
    lines = ", ".join(str(line) for line in sorted({entry.line for entry in entries}))
    first = entries[0]
    return (
        f'Figures after "paper" are {first.paper}\'s, {first.place} ({first.text}, lines {lines}),'
        " from other corpora; that text does not print the other cells of its Table 5."
    )
