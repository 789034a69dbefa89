"""Table 2 of wieting2019: similarity across languages, and retrieval beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tandem.io import read_json
from tandem.reporting.cells import Cell, bold_best, over_seeds
from tandem.reporting.markdown import grid, quantity
from tandem.reporting.published import published
from tandem.tasks.hits import hit_draws, read_hits
from tandem.tasks.pair_scores import PairScores, bootstrap_means, mean_of_years, read_pairs
from tandem.tasks.sts import Index

BESIDE = ("wieting2020.sts2017.laser", "wieting2020.sts2017.bgt")
"""Published rows that stand under ours: the nearest printed, since Table 2's own cells are not."""

PUBLISHED_TRACKS = {"ar-ar": "ar-ar", "ar-en": "en-ar", "es-es": "es-es", "tr-en": "en-tr"}
"""Our column to theirs; wieting2020 prints one figure for the two halves of track 4."""


ANY = "*"
"""Stands for every language in the experiments of a row."""


@dataclass(frozen=True)
class Row:
    """One row: an encoder trained, or left untrained, for each of several languages.

    `experiments` maps a language to the experiment behind it; `pairs` is 0 for an untrained
    encoder, and None, as are `dimension` and `vocabulary`, for one that others made.
    """

    label: str
    experiments: dict[str, str]
    encoder: str = ""
    pairs: int | None = None
    dimension: int | None = None
    vocabulary: int | None = None

    def experiment(self, language: str) -> str:
        """Return the experiment behind a column of this language."""
        return self.experiments.get(language) or self.experiments[ANY]


@dataclass(frozen=True)
class Track:
    """A column: its heading, its STS task, and the language whose experiment it scores."""

    label: str
    task: str
    language: str


Cells = dict[tuple[str, str], Cell]
"""(label of a row, label of a track or direction) to the figure there."""


def rows_of(
    rows: Iterable[Mapping[str, Any]],
    learned: Mapping[str, Mapping[str, Any]],
    baselines: Iterable[Mapping[str, str]],
) -> list[Row]:
    """Return the rows of the table: Tandem's encoders, then those that others made.

    Args:
        rows: label and experiments (by language) of each.
        learned: by experiment, its encoder's heading, pairs, dimension and vocabulary.
        baselines: name and label of each; one of them serves every language.
    """
    ours = [
        Row(row["label"], dict(row["experiments"]), **learned[min(row["experiments"].values())])
        for row in rows
    ]
    return ours + [Row(one["label"], {ANY: f"baseline.{one['name']}"}) for one in baselines]


def absent(tracks: Sequence[Track], index: Index) -> list[str]:
    """Say of each track that is not at hand why."""
    why = {f"{entry['year']}.{entry['task']}": entry["why"] for entry in index.missing}
    return [f"{track.label}: {why[track.task]}" for track in tracks if track.task in why]


def track_cells(
    rows: Sequence[Row],
    tracks: Sequence[Track],
    files: Iterable[str | Path],
    resamples: int,
    seed: int,
) -> Cells:
    """Read Pearson's r x 100 of every row on every track that was scored.

    Args:
        rows: of the table.
        tracks: its columns.
        files: `sts2017.json` of all seeds of all experiments; the pairs lie beside, in `.npz`.
        resamples: bootstrap draws.
        seed: of the draws.
    """
    found: dict[str, list[PairScores]] = {}
    for file in map(Path, files):
        name = read_json(file)["experiment"]
        found.setdefault(name, []).append(read_pairs(file.with_suffix(".npz")))
    cells: Cells = {}
    for track in tracks:
        for row in rows:
            name = row.experiment(track.language)
            pairs = [_only(scored, track.task) for scored in found[name]]
            if None in pairs:
                continue
            draws = 100 * bootstrap_means(pairs, resamples, seed).T
            means = [100 * mean_of_years(one) for one in pairs]
            cells[row.label, track.label] = over_seeds(
                name, means, draws, len(pairs[0].gold[0]), seed
            )
    return cells


def retrieval_cells(
    rows: Sequence[Row], files: Iterable[str | Path], resamples: int, seed: int
) -> Cells:
    """Read P@1 x 100 of every row in both directions of each of its experiments' corpora.

    Args:
        rows: of the table.
        files: `retrieval*.json` of all seeds of all experiments; the hits lie beside, in `.npz`.
        resamples: bootstrap draws.
        seed: of the draws.
    """
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    for file in map(Path, files):
        name = read_json(file)["experiment"]
        for direction, hits in read_hits(file.with_suffix(".npz")).items():
            found.setdefault((name, direction), []).append(hits)
    cells: Cells = {}
    for row in rows:
        for (name, direction), seeds in found.items():
            if name in row.experiments.values():
                draws = 100 * hit_draws(seeds, resamples, seed)
                means = [100 * float(hits.mean()) for hits in seeds]
                cells[row.label, direction] = over_seeds(name, means, draws, len(seeds[0]), seed)
    return cells


def directions(cells: Cells) -> list[str]:
    """Return the directions of retrieval in the order of the files: en-es, es-en, ..."""
    return list(dict.fromkeys(direction for _, direction in cells))


def table2(
    rows: Sequence[Row], tracks: Sequence[Track], similar: Cells, found: Cells
) -> pd.DataFrame:
    """One line per row.

    Args:
        rows: of the table.
        tracks: in the order of the columns; those not scored stay empty.
        similar: from `track_cells`.
        found: from `retrieval_cells`.

    Returns:
        Columns row, experiments, pairs, dimension, vocabulary, seed_count; for each track
        `<label>_pearson_x100` and the bounds of its 95% interval; for each direction of retrieval
        `<from>-<to>_p_at_1_x100` and likewise.
    """
    lines = []
    for row in rows:
        own = [cell for (label, _), cell in {**similar, **found}.items() if label == row.label]
        line: dict[str, object] = {
            "row": row.label,
            "experiments": " ".join(dict.fromkeys(row.experiments.values())),
            "pairs": row.pairs,
            "dimension": row.dimension,
            "vocabulary": row.vocabulary,
            "seed_count": max((cell.seeds for cell in own), default=0),
        }
        for track in tracks:
            cell = similar.get((row.label, track.label))
            line |= _figures(f"{track.label}", "pearson_x100", cell)
        for direction in directions(found):
            line |= _figures(direction, "p_at_1_x100", found.get((row.label, direction)))
        lines.append(line)
    whole = {"pairs": "Int64", "dimension": "Int64", "vocabulary": "Int64"}
    return pd.DataFrame(lines).astype(whole)


def markdown(
    rows: Sequence[Row], tracks: Sequence[Track], similar: Cells, found: Cells, index: Index
) -> str:
    """Lay the table out as the paper does, retrieval beneath, and say which columns are empty."""
    columns = [track.label for track in tracks]
    ways = directions(found)
    sizes = sorted({cell.items for cell in found.values()})
    return "\n\n".join(
        [
            "# Table 2: similarity across languages",
            "Pearson's r x 100 with human scores on the tracks of STS 2017, averaged over seeds; "
            "in brackets, the 95% interval by bootstrap over sentence pairs and seeds. Best of "
            "each column in bold. Each row is an encoder for each language beside English"
            f"{_who_scores(tracks)}.",
            grid(["", "Pairs", "Dim.", "Vocab. at most", *columns], _lines(rows, columns, similar)),
            _empty(tracks, index),
            "## Retrieval",
            f"P@1 x 100 on {' or '.join(f'{n:,}' for n in sizes)} held-out sentences of each "
            "bitext: how often the nearest sentence of the other language is the translation.",
            grid(["", "Pairs", "Dim.", "Vocab. at most", *ways], _lines(rows, ways, found)),
            "## Published",
            "For orientation only: other encoders and training text. The text of wieting2019 "
            "that Tandem quotes from does not print the cells of its Table 2.",
            _published(columns),
        ]
    ) + "\n"


def _only(scored: PairScores, task: str) -> PairScores | None:
    """Keep one task of what was scored."""
    if task not in scored.tasks:
        return None
    place = scored.tasks.index(task)
    parts = (scored.tasks, scored.years, scored.gold, scored.cosine)
    return PairScores(*((part[place],) for part in parts))


def _figures(column: str, unit: str, cell: Cell | None) -> dict[str, float]:
    """The three columns of a figure; empty where it was not measured."""
    names = [f"{column}_{unit}", f"{column}_low_{unit}", f"{column}_high_{unit}"]
    if cell is None:
        return dict.fromkeys(names, np.nan)
    bounds = cell.interval
    return dict(zip(names, (bounds.estimate, bounds.low, bounds.high), strict=True))


def _lines(rows: Sequence[Row], columns: Sequence[str], cells: Cells) -> list[list[str]]:
    """The rows of one half of the table."""
    shown = [bold_best([cells.get((row.label, column)) for row in rows]) for column in columns]
    numbers = [[quantity(n) for n in (r.pairs, r.dimension, r.vocabulary)] for r in rows]
    return [
        [row.label, *numbers[place], *(column[place] for column in shown)]
        for place, row in enumerate(rows)
    ]


def _who_scores(tracks: Sequence[Track]) -> str:
    """Say which language's encoder each track scores, where the track's name leaves it open."""
    names = [
        f"{track.label} scores that of {track.language}"
        for track in tracks
        if track.language not in track.label.split("-")
    ]
    return "".join(f"; {name}" for name in names)


def _empty(tracks: Sequence[Track], index: Index) -> str:
    """Say which columns are empty and how to fill them."""
    lines = [f"- {reason}" for reason in absent(tracks, index)]
    if not lines:
        return "Every track was at hand."
    return "Empty columns, and why:\n\n" + "\n".join(lines) + (
        "\n\nTo fill them, set `mirror` in the configuration to a folder that holds the archives "
        "as `<host>/<path>`, or register your own copies as `kind: local` and name them under "
        "`sts`; then delete `results/corpora/downloads/` of the two archives and run again."
    )


def _published(columns: Sequence[str]) -> str:
    """The published rows, with their places."""
    rows = []
    for entry in (published()[key] for key in BESIDE):
        figures = [entry.values.get(PUBLISHED_TRACKS.get(column, "")) for column in columns]
        place = f"*{entry.paper}, {entry.place}*"
        shown = ("" if figure is None else f"{figure:.1f}" for figure in figures)
        rows.append([f"*{entry.about}*", place, *shown])
    return grid(["", "Printed in", *columns], rows)
