"""The findings of wieting2019 on encoding speed, as claims on our times."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from tandem.reporting.claims import Claim, Finding, interval_verdict, joint_claim
from tandem.reporting.table1_claims import LARGER, PAPER, SECTION, SP
from tandem.statistics.correlation import LEVEL, Interval

HUNDREDS = 100.0
"""The least that "hundreds of times faster" means."""


def table4_claims(
    timed: Mapping[str, Any], labels: Mapping[str, str], baselines: Collection[str], scale: str
) -> list[Claim]:
    """Test the findings on every device.

    Args:
        timed: what `speed_run.measure_models` returned.
        labels: headings of the encoders by name.
        baselines: names of the encoders that others made.
        scale: name of the scale.
    """
    claims = []
    for device in dict.fromkeys(entry["device"] for entry in timed["speeds"]):
        speeds = {entry["name"]: entry for entry in timed["speeds"] if entry["device"] == device}
        own = {labels[name]: speeds[name] for name in speeds if name not in baselines}
        others = {labels[name]: speeds[name] for name in speeds if name in baselines}
        if SP not in own:
            continue
        slower = {label: own[label] for label in LARGER if label in own}
        finding = "SP encodes new sentences faster than {}"
        place = f"{SECTION}, second observation"
        claims += _compare("faster", finding, place, own[SP], slower, 1.0, device, scale)
        finding = "SP encodes sentences hundreds of times faster than {}"
        place = 'section "Encoding Speed" and Table 4'
        claims += _compare("hundreds", finding, place, own[SP], others, HUNDREDS, device, scale)
    return claims


def _compare(
    name: str,
    statement: str,
    place: str,
    sp: Mapping[str, Any],
    others: Mapping[str, Mapping[str, Any]],
    bound: float,
    device: str,
    scale: str,
) -> list[Claim]:
    """One claim for each other encoder, and one that all hold."""
    parts = []
    size = next(iter(sp["passes"]))
    for label, other in others.items():
        interval = _ratio(sp["passes"][size], other["passes"][size])
        parts.append(
            Claim(
                claim=f"table4.{name}.{device}.{label.lower().replace(' ', '-')}",
                statement=statement.format(label),
                paper=PAPER,
                place=place,
                test=f"sentences per second in batches of {size}, words seen: SP over {label}, "
                f"said to be above {bound:g}; t interval of the logarithm over paired passes",
                statistic=interval.estimate,
                ci_low=interval.low,
                ci_high=interval.high,
                unit="ratio",
                published=None,
                verdict=interval_verdict(interval.low - bound, interval.high - bound),
                n=len(sp["passes"][size]),
                seeds="",
                scale=scale,
            )
        )
    everywhere = Finding(statement.format(" and ".join(others)), PAPER, place)
    joint = f"table4.{name}.{device}.all"
    return [*parts, joint_claim(joint, everywhere, parts)] if len(parts) > 1 else parts


def _ratio(one: Sequence[float], other: Sequence[float]) -> Interval:
    """Estimate the ratio of rates that took turns: the t interval of the mean logarithm."""
    logs = np.log(np.divide(one, other))
    half = stats.t.ppf((1 + LEVEL) / 2, len(logs) - 1) * stats.sem(logs)
    mean, low, high = np.exp([logs.mean(), logs.mean() - half, logs.mean() + half]).tolist()
    return Interval(mean, low, high)
