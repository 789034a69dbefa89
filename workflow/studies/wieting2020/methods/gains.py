"""Differences of two figures as lines of a table, which claims are tested on."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

from tandem.statistics.inference import Estimate, difference, over_seeds

if TYPE_CHECKING:
    from tandem.reporting.scores import Cell


def estimate_of(line: Mapping[str, Any]) -> Estimate:
    """Return the difference that a line holds."""
    return Estimate(float(line["value"]), float(line["error"]), float(line["freedom"]))


def gain(
    figure: str,
    sides: Mapping[str, Cell],
    untrained: Container[str] = (),
    same_models: bool = False,
) -> dict[str, Any]:
    """Return the first side minus the second, on the same items; of the same models seed by seed.

    Keys: better, worse, figure, unit, value, error, freedom (of Student's t), items, seeds, and
    single, the sides of one seed, whose spread over seeds is not known; `untrained` ones have none.
    """
    (better, first), (worse, second) = sides.items()
    estimate = over_seeds(first - second) if same_models else difference(first, second)
    trained = {name: len(cell.seeds) for name, cell in sides.items() if name not in untrained}
    return {
        "better": better, "worse": worse, "figure": figure, "unit": first.metric,
        "value": estimate.value, "error": estimate.error, "freedom": estimate.freedom,
        "items": first.items,
        "seeds": " and ".join(str(trained.get(name, 0)) for name in sides),
        "single": " ".join(name for name, count in trained.items() if count == 1),
    }  # fmt: skip
