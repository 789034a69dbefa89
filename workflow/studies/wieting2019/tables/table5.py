"""Table 5 as Markdown, laid out as in the paper: predictors down, clusters across."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from tandem.reporting.language_points import SETTING
from tandem.reporting.table5 import FEWEST, PREDICTORS, PUBLISHED, RESPONSES

from tandem.reporting.published import published

LABELS = {
    "overlap_types": "SP overlap, types",
    "overlap_tokens": "SP overlap, tokens",
    "featural": "Distance, featural (all five)",
    "genetic": "Distance, genetic",
    "geographic": "Distance, geographic",
    "syntactic": "Distance, syntactic",
    "phonological": "Distance, phonological",
    "inventory": "Distance, inventory",
}
"""What a reader calls the predictors."""

RESPONSE_LABELS = {
    "score": "STS score",
    "gain": "Gain over the model's own random start",
}
"""What a reader calls the responses."""

SIGNIFICANT = 0.05
"""Corrected p-value under which a correlation is set in bold."""

MARKED = "every non-English piece marked, so that no parameter is shared"
"""What the ablation is called."""


def setting_label(panel: str, marked: bool) -> str:
    """Name a setting as a heading does."""
    return f"{panel}; {MARKED}" if marked else panel


def markdown(table: pd.DataFrame, panels: Mapping[str, str], notes: Mapping[str, str]) -> str:
    """Lay the table out.

    Args:
        table: from `table5`.
        panels: panel to what a reader calls it.
        notes: panel to a sentence that describes it.
    """
    parts = [
        "# Table 5: what predicts the STS score of a language",
        "Spearman's rho x 100 over languages, with its 95% interval (bootstrap over languages) and "
        "the permutation p-value corrected for the number of predictors in the column (max-T); "
        f"bold where that is under {SIGNIFICANT}. No figure where a cluster has under {FEWEST} "
        "languages or one side is constant. Clusters: languages with less, and with at least, the "
        "SP overlap (types) that heads the column, first the paper's threshold, then the one that "
        "divides our overlaps best (2-means). A distance is 1 - cosine of URIEL's vectors of a "
        "language and of English.",
        _quotes(),
    ]
    for (panel, marked), setting in table.groupby(SETTING, sort=False):
        parts.append(f"## {setting_label(panels[panel], bool(marked))}")
        if not marked:
            parts.append(notes[panel])
        shown = None
        for response in RESPONSES:
            rows = setting[setting["response"] == response]
            parts.append(f"### {RESPONSE_LABELS[response]}")
            if shown is not None and _alike(shown, rows):
                parts.append("All figures are as above: it orders the languages alike.")
                continue
            parts += [_grid(rows, "rho_x100")]
            parts += ["SP overlap (types) held fixed:", _grid(rows, "partial_rho_x100")]
            shown = rows
    return "\n\n".join(parts) + "\n"


def _alike(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Tell whether two responses have the same correlations, interval for interval."""
    columns = ["rho_x100", "low", "high", "p_corrected", "partial_rho_x100"]
    return np.array_equal(first[columns].to_numpy(), second[columns].to_numpy(), equal_nan=True)


def _grid(rows: pd.DataFrame, statistic: str) -> str:
    """One table: a row for each predictor, a column for each cluster."""
    columns = [group for _, group in rows.groupby(["split", "cluster"], sort=False)]
    lines = [["Predictor", *map(_heading, columns)], ["---", *["---"] * len(columns)]]
    for predictor in PREDICTORS:
        cells = [
            _cell(column[column["predictor"] == predictor].iloc[0], statistic) for column in columns
        ]
        if any(cells):
            lines.append([LABELS[predictor], *cells])
    return _lines(lines)


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
    if np.isnan(row[statistic]):
        return ""
    partial = statistic.startswith("partial")
    low, high = (row[f"partial_{side}" if partial else side] for side in ("low", "high"))
    text = f"{row[statistic]:.1f} [{low:.1f}, {high:.1f}]"
    if partial:
        return text
    if row["p_corrected"] < SIGNIFICANT:
        text = f"**{row[statistic]:.1f}** [{low:.1f}, {high:.1f}]"
    p = row["p_corrected"]
    text += ", p < 0.001" if p < 0.001 else f", p {p:.3f}"
    return text if np.isnan(row["published_x100"]) else f"{text}; paper {row['published_x100']:.1f}"


def _quotes() -> str:
    """Say which published figures stand in the table and where they were read."""
    entries = [published()[entry] for entry in PUBLISHED.values()]
    lines = ", ".join(str(line) for line in sorted({entry.line for entry in entries}))
    first = entries[0]
    return (
        f'Figures after "paper" are {first.paper}\'s, {first.place} ({first.text}, lines {lines}),'
        " from other corpora; that text does not print the other cells of its Table 5."
    )


def _lines(cells: Sequence[Sequence[str]]) -> str:
    """Join cells as a Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in cells)
