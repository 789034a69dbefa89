"""The lines of an exported model's card that tell what it reaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tandem.encoders.card import CardScore


def card_scores(files: Iterable[Mapping[str, Any]]) -> list[CardScore]:
    """Return the figures of an experiment's score files: STS tasks, their mean, retrieval."""
    scores = []
    for stored in files:
        if "directions" in stored:
            for direction, figures in stored["directions"].items():
                task = f"{direction}, {stored['sentences']:,} held-out sentences"
                scores.append(CardScore(task, "P@1 x 100", figures["p_at_1"]))
            continue
        for task in stored["tasks"]:
            name = f"STS {task['task']}"
            scores.append(CardScore(name, "Pearson's r x 100", task["pearson_x100"]))
        if len(stored["years"]) > 1:
            years = " ".join(stored["years"])
            name = f"STS, mean of the years {years}"
            scores.append(CardScore(name, "Pearson's r x 100", stored["mean_of_years"]))
    return scores
