"""Scores of batches of languages, as tables, and what a reader must know of each panel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from tandem.corpora.languages import Register
from tandem.errors import TandemError
from tandem.io import read_json
from tandem.languages.distance import english_distances, read_uriel
from tandem.reporting.language_points import language_points

RUN = ("marked", "seed", "score", "random", "epoch")
"""What is read of each encoder's scores."""


def read_batches(files: Iterable[str | Path]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read score files of batches, any order.

    Returns:
        runs: panel, language and the columns of RUN, one row for each encoder.
        overlaps: panel, language, overlap_types and overlap_tokens.

    Raises:
        TandemError: when they hold no language.
    """
    runs, overlaps = [], []
    for batch in map(read_json, files):
        for entry in batch["languages"]:
            where = {"panel": batch["panel"], "language": entry["language"]}
            runs += [where | {name: run[name] for name in RUN} for run in entry["runs"]]
            measured = entry["overlap"]
            types, tokens = measured["types"], measured["tokens"]
            overlaps.append(where | {"overlap_types": types, "overlap_tokens": tokens})
    if not runs:
        raise TandemError("no batch holds a language: lower `least` or `pairs` of the panels")
    return pd.DataFrame(runs), pd.DataFrame(overlaps)


def measured_points(
    runs: pd.DataFrame, overlaps: pd.DataFrame, uriel: str | Path, register: Register
) -> pd.DataFrame:
    """Return the points of Figure 1 (see `language_points`), distances read from lang2vec's wheel.

    Args:
        runs: as `read_batches` returns them.
        overlaps: likewise.
        uriel: the wheel.
        register: of the languages.
    """
    languages = [register[code] for code in sorted(set(runs["language"]))]
    vectors = read_uriel(uriel, [language.uriel for language in languages])
    return language_points(runs, overlaps, english_distances(vectors, languages), register)


def panel_notes(texts: Mapping[str, str | Path], runs: pd.DataFrame) -> dict[str, str]:
    """Describe each panel, given its folder of text: see `panel_note`."""
    return {
        name: panel_note(read_json(Path(folder) / "panel.json"), runs[runs["panel"] == name])
        for name, folder in texts.items()
    }


def panel_note(panel: Mapping[str, Any], runs: pd.DataFrame) -> str:
    """Say how far a panel is a paired comparison, and what its untrained encoders score.

    Args:
        panel: content of `panel.json`.
        runs: the panel's rows of `read_batches`.
    """
    english = (
        f"{len(panel['languages'])} languages with {panel['pairs']:,} pairs each, on "
        f"{panel['english_sentences']:,} English sentences, "
        f"{panel['english_sentences_in_all_languages']:,} of them in all languages; two languages "
        f"share {100 * panel['share_in_another_language']:.0f}% of theirs on average."
    )
    starts = runs.groupby("seed")["random"].agg(["min", "max"])
    texts = [
        f"{low:.2f} (seed {seed})" if low == high else f"{low:.2f} to {high:.2f} (seed {seed})"
        for seed, low, high in starts.itertuples()
    ]
    same = (starts["min"] == starts["max"]).all()
    tail = (
        "the same for every language, so score and gain order the languages alike."
        if same
        else "by language."
    )
    return f"{english} The untrained encoder scores {', '.join(texts)}: {tail}"
