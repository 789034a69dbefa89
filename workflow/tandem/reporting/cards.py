"""What a model's card says of its scores."""

from __future__ import annotations

from tandem.encoders.card import Score
from tandem.reporting.scores import METRICS, Scores


def card_scores(scores: Scores, experiment: str) -> list[Score]:
    """Return every figure of an experiment, with its interval."""
    found = []
    for task in scores.tasks:
        for unit in scores.units(experiment, task):
            cell = scores.cell(experiment, task, unit)
            assert cell is not None
            bounds, metric = cell.interval, METRICS.get(cell.metric, cell.metric)
            found.append(Score(f"{task}, {unit}", metric, cell.estimate, bounds.low, bounds.high))
    return found
