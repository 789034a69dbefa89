"""The points of Figure 1 and Table 5: one row for each language in each setting.

A setting is a panel (which corpus, and so which languages and sentences) with or without the marker
that keeps the two languages' parameters apart.
"""

from __future__ import annotations

import pandas as pd

from tandem.corpora.languages import Register
from tandem.errors import TandemError
from tandem.languages.distance import DISTANCES

OVERLAPS = ("overlap_types", "overlap_tokens")
"""SentencePiece overlap with English: by types, as the paper has it, and by tokens."""

SETTING = ["panel", "marked"]
"""The columns that tell settings apart: corpus, and whether non-English pieces were marked."""

COLUMNS = (
    *SETTING, "language", "name", "script", "script_group", "family",
    "seeds", "score", "score_sd", "random", "gain", "gain_sd",
    *OVERLAPS, *DISTANCES, "observed",
)  # fmt: skip
"""The columns of the points; scores in Pearson's r x 100, overlaps and distances in [0, 1]."""


def language_points(
    runs: pd.DataFrame, overlaps: pd.DataFrame, distances: pd.DataFrame, register: Register
) -> pd.DataFrame:
    """Join what was measured of each language, the mean over seeds beside its standard deviation.

    Args:
        runs: one row for each trained model: panel, marked, language, seed, score (mean of STS
            2012-2016) and random (the same of the model before training).
        overlaps: panel, language, overlap_types and overlap_tokens, measured before marking.
        distances: as `tandem.languages.distance.english_distances` returns them.
        register: of the languages.

    Returns:
        COLUMNS, sorted by setting and language. `gain` is score - random, taken seed by seed. The
        standard deviations (n - 1) are NaN with one seed.

    Raises:
        TandemError: when a run stands twice, or a language's overlap or distance is missing.
    """
    key = [*SETTING, "language"]
    if runs.duplicated([*key, "seed"]).any():
        twice = runs[runs.duplicated([*key, "seed"])].iloc[0]
        raise TandemError(
            f"two runs of {twice['language']} (panel {twice['panel']}, seed {twice['seed']}): "
            "remove one, or the scores of one experiment are read twice"
        )
    grouped = runs.assign(gain=runs["score"] - runs["random"]).groupby(key, sort=True)
    points = grouped.agg(
        seeds=("seed", "size"),
        score=("score", "mean"),
        score_sd=("score", "std"),
        random=("random", "mean"),
        gain=("gain", "mean"),
        gain_sd=("gain", "std"),
    ).reset_index()
    points = points.merge(overlaps, on=["panel", "language"], how="left", validate="m:1")
    points = points.merge(distances, on="language", how="left", validate="m:1")
    for column in (*OVERLAPS, *DISTANCES):
        absent = points.loc[points[column].isna(), "language"]
        if len(absent):
            raise TandemError(
                f"no {column} of {', '.join(sorted(set(absent)))}: measure it for every language "
                "that was trained"
            )
    entries = [register[code] for code in points["language"]]
    for field in ("name", "script", "script_group", "family"):
        points[field] = [getattr(entry, field) for entry in entries]
    return points[list(COLUMNS)]
