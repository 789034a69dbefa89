"""The text and the scores of a model, for its card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tandem.corpora.origins import Origin
from tandem.exporting.card import Card, Score
from tandem.reporting.scores import METRICS, Scores
from tandem.tasks.task import TASKS


def card_of(
    name: str,
    experiment: str,
    corpora: Iterable[Sequence[str]],
    files: Iterable[Path],
    tasks: Mapping[str, Any],
    bootstrap: Mapping[str, int],
) -> Card:
    """Return the card of a model called `name` of an experiment, from its score files.

    `corpora` are its text, each as an `Origin`, `tasks` those of the study, by name, as plain
    values; `bootstrap` has `resamples` and `seed`.
    """
    kinds = {task: TASKS.parse(values) for task, values in tasks.items()}
    texts = [Origin(*corpus) for corpus in corpora]
    return Card(name, texts, card_scores(Scores(files, kinds, **bootstrap), experiment))


def card_scores(scores: Scores, experiment: str) -> list[Score]:
    """Return every figure of an experiment, with its interval."""
    figures = []
    for task in scores.tasks:
        for unit in scores.units(experiment, task):
            cell = scores.cell(experiment, task, unit)
            assert cell is not None
            bounds, metric = cell.interval, METRICS.get(cell.metric, cell.metric)
            figures.append(Score(f"{task}, {unit}", metric, cell.estimate, bounds.low, bounds.high))
    return figures
