"""Table 3 of wieting2019: mining parallel sentences, for every way to score and choose pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tandem.io import read_json
from tandem.reporting.cells import Cell, bold_best, over_seeds
from tandem.reporting.markdown import grid
from tandem.reporting.published import published
from tandem.tasks.mining_counts import f1_draws, read_counts

BESIDE = {
    ("cosine", "training part"): "yang2019.bucc_f1.train.cosine",
    ("yang-9", "training part"): "yang2019.bucc_f1.train.margin_eq9",
    ("yang-10", "training part"): "yang2019.bucc_f1.train.margin_eq10",
    ("yang-9", "test part"): "yang2019.bucc_f1.test.margin_eq9",
    ("yang-10", "test part"): "yang2019.bucc_f1.test.margin_eq10",
}
"""Published rows that stand under ours; Table 3's own cells are not in the text at hand."""

FIGURES = ("precision", "recall", "f1")

Method = tuple[str, str]
"""How pairs are scored, and which are proposed."""


@dataclass(frozen=True)
class Mined:
    """An experiment's mining: the score files of its seeds, and the F1 of each method."""

    experiment: str
    encoder: str
    task: str
    pairs: int
    files: tuple[dict[str, Any], ...]
    f1: dict[Method, Cell]

    def mean(self, method: Method, part: str, figure: str) -> float:
        """Mean over seeds of a figure of one part of the task."""
        return float(np.mean([_of(file, method)[part][figure] for file in self.files]))

    def threshold(self, method: Method) -> float:
        """Mean over seeds of the threshold that the training part chose."""
        return float(np.mean([_of(file, method)["threshold"] for file in self.files]))


def read_mined(
    experiments: Iterable[dict[str, Any]],
    files: Iterable[str | Path],
    resamples: int,
    seed: int,
) -> list[Mined]:
    """Read the mining of the experiments, in their order.

    Args:
        experiments: name, encoder (heading of its row) and pairs of each.
        files: `mining.json` of all their seeds; the counts lie beside, in `.npz`.
        resamples: bootstrap draws.
        seed: of the draws.
    """
    stored: dict[str, list[tuple[dict[str, Any], Path]]] = {}
    for file in map(Path, files):
        scores = read_json(file)
        stored.setdefault(scores["experiment"], []).append((scores, file))
    mined = []
    for entry in experiments:
        found = sorted(stored[entry["name"]], key=lambda item: item[0]["seed"])
        scores = tuple(item[0] for item in found)
        counts = [read_counts(file.with_suffix(".npz")) for _, file in found]
        draws = f1_draws(counts, resamples, seed)  # (seeds, methods, resamples)
        items = int((counts[0].gold + counts[0].proposed.sum(axis=0) > 0).sum())
        cells = {}
        for place, method in enumerate(_methods(scores[0])):
            means = [_of(one, method)["test"]["f1"] for one in scores]
            cells[method] = over_seeds(entry["name"], means, draws[:, place], items, seed)
        name, encoder, pairs = (entry[key] for key in ("name", "encoder", "pairs"))
        mined.append(Mined(name, encoder, scores[0]["mining"], pairs, scores, cells))
    return mined


def table3(mined: Sequence[Mined]) -> pd.DataFrame:
    """One line for each experiment and method.

    Returns:
        Columns task, experiment, encoder, pairs, neighbours, score, retrieval, threshold;
        training_<figure>_x100 and test_<figure>_x100 for precision, recall and F1, means over
        seeds, with the 95% interval of the test part's F1; seed_count.
    """
    return pd.DataFrame([_line(one, method) for one in mined for method in one.f1])


def markdown(mined: Sequence[Mined]) -> str:
    """Lay out F1 by task, a grid of methods for each encoder; then thresholds' parts and sizes."""
    tasks = list(dict.fromkeys(one.task for one in mined))
    parts = [
        "# Table 3: mining parallel sentences",
        "F1 x 100 of the pairs found in the test part, at the score that gives the best F1 on the "
        "training part, applied unchanged; averaged over seeds. In brackets, the 95% interval by "
        "bootstrap over source sentences and seeds. Best of each column in bold. Scores: the "
        "cosine; the margin as distance and ratio (Artetxe and Schwenk, 2019), whose `absolute` "
        "is the cosine; yang-9 and yang-10, equations 9 and 10 of yang2019.",
    ]
    for encoder in dict.fromkeys(one.encoder for one in mined):
        parts += [f"## {encoder}", _grid([one for one in mined if one.encoder == encoder], tasks)]
    return "\n\n".join(
        [
            *parts,
            "## What was searched",
            _sizes(mined),
            "## Published",
            "For orientation only: the published task, other encoders and training text. "
            "The text of wieting2019 that Tandem quotes from does not print its Table 3.",
            _published(tasks),
        ]
    ) + "\n"


def _methods(file: dict[str, Any]) -> list[Method]:
    return [(entry["score"], entry["retrieval"]) for entry in file["methods"]]


def _of(file: dict[str, Any], method: Method) -> dict[str, Any]:
    """The figures of one method in a score file."""
    return file["methods"][_methods(file).index(method)]


def _line(one: Mined, method: Method) -> dict[str, object]:
    """One line of the table."""
    bounds = one.f1[method].interval
    figures = {
        f"{part}_{figure}_x100": one.mean(method, part, figure)
        for part in ("training", "test")
        for figure in FIGURES
    }
    return {
        "task": one.task,
        "experiment": one.experiment,
        "encoder": one.encoder,
        "pairs": one.pairs,
        "neighbours": one.files[0]["neighbours"],
        "score": method[0],
        "retrieval": method[1],
        "threshold": one.threshold(method),
        **figures,
        "test_f1_low_x100": bounds.low,
        "test_f1_high_x100": bounds.high,
        "seed_count": len(one.files),
    }


def _grid(mined: Sequence[Mined], tasks: Sequence[str]) -> str:
    """Methods by task."""
    by_task = {one.task: one for one in mined}
    shown = [task for task in tasks if task in by_task]
    methods = list(mined[0].f1)
    columns = [bold_best([by_task[task].f1[method] for method in methods]) for task in shown]
    rows = [
        [f"{score}, {retrieval}", *(column[place] for column in columns)]
        for place, (score, retrieval) in enumerate(methods)
    ]
    return grid(["Score, retrieval", *shown], rows)


def _sizes(mined: Sequence[Mined]) -> str:
    """Sentences and hidden pairs of each task."""
    rows = []
    for one in {one.task: one for one in mined}.values():
        sizes, gold = one.files[0]["sentences"], one.files[0]["methods"][0]
        numbers = [*sizes[:2], gold["training"]["gold"], *sizes[2:], gold["test"]["gold"]]
        rows.append([one.task, *(f"{number:,}" for number in numbers)])
    names = ["sentences", "English sentences", "pairs hidden"]
    return grid(["Task", *(f"{part}: {n}" for part in ("training", "test") for n in names)], rows)


def _published(tasks: Sequence[str]) -> str:
    """The published rows, with their places."""
    rows = []
    for (score, part), key in BESIDE.items():
        entry = published()[key]
        figures = [f"{entry.values[task]:.1f}" if task in entry.values else "" for task in tasks]
        rows.append([f"*{score}, {part}*", f"*{entry.paper}, {entry.place}*", *figures])
    return grid(["", "Printed in", *tasks], rows)
