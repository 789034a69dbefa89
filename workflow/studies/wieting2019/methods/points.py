"""The points of Figure 1 and Table 5: one row for each language in each setting.

A setting is a panel (its languages and sentences), with or without the marker that keeps the two
languages from sharing parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tandem.errors import TandemError
from tandem.files.io import read_json
from wieting2019.methods.distance import DISTANCES, english_distances
from wieting2019.methods.register import Register, read_register

OVERLAPS = ("overlap_types", "overlap_tokens")
"""SentencePiece overlap with English: by types, as the paper has it, and by tokens."""

SETTING = ["panel", "marked"]
"""The columns that identify a setting: panel, and whether non-English pieces were marked."""

COLUMNS = (
    *SETTING, "language", "name", "script", "script_group", "family", "branch",
    "seeds", "score", "score_sd", "random", "gain", "gain_sd", "sharing", "sharing_sd",
    *OVERLAPS, *DISTANCES, "observed",
)  # fmt: skip
"""The columns of the points; scores in Pearson's r x 100, overlaps and distances in [0, 1]."""


def read_scores(files: Iterable[str | Path]) -> pd.DataFrame:
    """Read score files of batches of languages, any order.

    Returns:
        One row for each encoder: panel, language, marked, seed, score (mean of STS 2012-2016),
        random (the same of the encoder before training), and OVERLAPS, measured before marking.

    Raises:
        TandemError: when the files hold no language.
    """
    rows = []
    for batch in map(read_json, files):
        for entry in batch["languages"]:
            where = {"panel": batch["panel"], "language": entry["language"]}
            where |= {f"overlap_{unit}": entry["overlap"][unit] for unit in ("types", "tokens")}
            names = ("marked", "seed", "score", "random")
            rows += [where | {name: run[name] for name in names} for run in entry["runs"]]
    if not rows:
        raise TandemError("no batch holds a language: lower `least` or `pairs` of the panels")
    return pd.DataFrame(rows)


def by_year(file: Path) -> Iterator[dict[str, Any]]:
    """Yield what each encoder of a batch of languages scored, and scored untrained.

    A line for each year of STS and each mean of years. `file` is a score file of a batch.
    """
    batch = read_json(file)
    for entry in batch["languages"]:
        for run in entry["runs"]:
            line = {"experiment": f"{batch['panel']}.{entry['language']}", "marked": run["marked"]}
            line |= {"task": "sts", "seed": run["seed"], "metric": "pearson_x100"}
            for unit, value in run["score_years"].items():
                yield line | {"unit": unit, "value": value, "untrained": run["random_years"][unit]}


def measured_points(files: Mapping[str, Sequence[Path]]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the points (see `language_points`), and a note on each panel (see `panel_note`).

    Args:
        files: runs, the score files; texts, the panels' folders; uriel, lang2vec's wheel; and
            languages, the register.
    """
    runs, register = read_scores(files["runs"]), read_register(files["languages"][0])
    languages = [register[code] for code in sorted(set(runs["language"]))]
    notes = {}
    for folder in files["texts"]:
        panel = folder.parent.name
        notes[panel] = panel_note(read_json(folder / "panel.json"), runs[runs["panel"] == panel])
    return language_points(runs, english_distances(files["uriel"][0], languages), register), notes


def language_points(
    runs: pd.DataFrame, distances: pd.DataFrame, register: Register
) -> pd.DataFrame:
    """Join the scores of each language (mean and standard deviation over seeds) and its distances.

    Args:
        runs: as `read_scores` returns them.
        distances: as `english_distances` returns them, of every language of the runs.
        register: of the languages.

    Returns:
        COLUMNS, sorted by setting and language. `gain` is score - random; `sharing`, the gain from
        sharing pieces with English, is the plain encoder's score - the marked one's. Both are taken
        seed by seed. `sharing` is the same in both rows of a language, NaN where a row is lacking.
        The standard deviations (n - 1) are NaN with one seed.

    Raises:
        TandemError: when a run occurs twice.
    """
    key = [*SETTING, "language"]
    if runs.duplicated([*key, "seed"]).any():
        twice = runs[runs.duplicated([*key, "seed"])].iloc[0]
        raise TandemError(
            f"two runs of {twice['language']} (panel {twice['panel']}, seed {twice['seed']}): "
            "remove one, or the scores of one experiment are read twice"
        )
    pair = ["panel", "language", "seed"]
    plain, marked = (runs[runs["marked"] == which].set_index(pair)["score"] for which in (0, 1))
    gained = (plain - marked).rename("sharing").reset_index()
    runs = runs.assign(gain=runs["score"] - runs["random"]).merge(gained, on=pair, how="left")
    grouped = runs.groupby(key, sort=True)
    points = grouped.agg(
        seeds=("seed", "size"),
        score=("score", "mean"),
        score_sd=("score", "std"),
        random=("random", "mean"),
        gain=("gain", "mean"),
        gain_sd=("gain", "std"),
        sharing=("sharing", "mean"),
        sharing_sd=("sharing", "std"),
        **{name: (name, "first") for name in OVERLAPS},
    ).reset_index()
    points = points.merge(distances, on="language", validate="m:1")
    entries = [register[code] for code in points["language"]]
    for field in ("name", "script", "script_group", "family", "branch"):
        points[field] = [getattr(entry, field) for entry in entries]
    return points[list(COLUMNS)].sort_values(key, ignore_index=True)


def panel_note(panel: Mapping[str, Any], runs: pd.DataFrame) -> str:
    """Say how many sentences the languages of a panel share, and what untrained encoders score.

    Args:
        panel: content of `panel.json`.
        runs: the panel's rows of `read_scores`.
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
        "the same for every language, so gains order the languages as scores do."
        if same
        else "by language."
    )
    return f"{english} The untrained encoder scores {', '.join(texts)}: {tail}"
