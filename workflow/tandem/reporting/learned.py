"""Whether encoders have learned what their training gives: a guard for claims between them.

A training writes a validation score for each epoch, and for the encoder before the first. An
encoder has not begun to learn if none is above that first score. It has not stopped improving if
the last quarter of its epochs made more than `MOST` of all that it gained, and more than `noise`,
what few validation items change by chance: what it would score in the end is then not known, and a
claim about it is not comparable. Without validation scores nobody
can tell. A table names the histories among its inputs and bars experiments in its report:

    files |= learned.inputs(plan, names)
    Report(..., barred=learned.barred(material, names))
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tandem.errors import InputError

if TYPE_CHECKING:
    from tandem.reporting.outline import Outline
    from tandem.reporting.table import Material

MOST = 0.02
"""Share of the gain over the untrained encoder that the last epochs may have made."""
LAST = 0.25
"""Which epochs are the last: this share of them, at least one."""
HISTORY = "history.csv"
_SCORE = "validation"


def inputs(plan: Outline, names: Iterable[str]) -> dict[str, list[str]]:
    """Name the models whose histories tell, of all seeds of those that are trained."""
    every = (path for name in _trained(plan, names) for path in _models(plan, name))
    return {"models": list(dict.fromkeys(every))}


def barred(material: Material, names: Iterable[str], noise: float = 0.0) -> dict[str, str]:
    """Return why claims about experiments are not comparable, by experiment: those that are left.

    `noise` is in units of the validation score. The material's `models` are what `inputs` names for
    the same experiments.
    """
    plan, names = material.plan, list(names)
    places = dict(zip(inputs(plan, names)["models"], material.files["models"], strict=True))
    reasons = {
        name: shortfall([validation(places[path] / HISTORY) for path in _models(plan, name)], noise)
        for name in _trained(plan, names)
    }
    return {name: reason for name, reason in reasons.items() if reason}


def note(reasons: Mapping[str, str]) -> str:
    """Return what stands under a table; empty where nothing is barred."""
    listed = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
    return f"Claims are not comparable about these. {listed}." if listed else ""


def shortfall(curves: Sequence[Sequence[float]], noise: float = 0.0) -> str:
    """Say what keeps an experiment from being compared, from its seeds' scores; empty: nothing.

    Args:
        curves: of each seed, the score of the untrained encoder, then that of each epoch.
        noise: what the last epochs may gain, whatever their share, on average over the seeds.
    """
    if any(len(curve) < 2 for curve in curves):
        return "it has no validation scores that say whether it has learned"
    for curve in curves:
        if max(curve[1:]) <= curve[0]:
            best = f"best validation score {max(curve[1:]):.1f}, untrained {curve[0]:.1f}"
            return f"has not begun to learn ({best})"
    late, gained = (sum(map(of, curves)) / len(curves) for of in (late_share, late_gain))
    if late > MOST and gained > noise:
        return (
            f"has not stopped improving ({late:.1%} of what it gained came in the last "
            f"{LAST:.0%} of its epochs, of at most {MOST:.0%})"
        )
    return ""


def late_share(curve: Sequence[float]) -> float:
    """Return the share of the gain of the best epoch that the last ones made."""
    return late_gain(curve) / (max(curve) - curve[0])


def late_gain(curve: Sequence[float]) -> float:
    """Return what the last epochs added to the best score before them."""
    last = max(1, math.ceil(LAST * (len(curve) - 1)))
    return max(curve) - max(curve[:-last])


def validation(path: Path) -> list[float]:
    """Read the scores of a history: of the untrained encoder, then of each epoch; none: empty.

    Raises:
        InputError: the history lacks a score that others have.
    """
    with open(path, encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    columns = [name for name in (lines[0] if lines else {}) if name.startswith(_SCORE)]
    scores = [line[column] for line in lines for column in columns]
    if not any(scores):
        return []
    if not all(scores):
        raise InputError(path, scores.index("") + 2, "no validation score", "Train it again")
    return list(map(float, scores))


def _trained(plan: Outline, names: Iterable[str]) -> list[str]:
    """Return the experiments, each once, that are trained."""
    return [
        name
        for name in dict.fromkeys(names)
        if not plan.pretrained(name) and plan.setting(name).trained
    ]


def _models(plan: Outline, name: str) -> list[str]:
    return plan.models([plan.whole(name)], plan.seeds(name))
