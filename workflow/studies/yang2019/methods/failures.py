"""Failures of mining by cosine (Table 7), by kind as far as a rule can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from yang2019.methods.candidates import Candidates

KINDS = {
    "numbers": "the numbers differ",
    "partial": "one says much more than the other",
    "other": "near in meaning, or nothing that can be told by rule",
    "threshold": "found, with a cosine below the threshold",
    "neighbour": "another sentence is nearer",
}
"""Kinds of failure, by name; the first that holds counts."""
PARTIAL = 1.5
"""A side says much more if, in characters, it exceeds its share of the text by this factor."""


def sorted_out(candidates: Candidates, threshold: float, most: int) -> dict[str, Any]:
    """Return false positives and false negatives, with their scores, and how many of each kind.

    False positives are mined pairs that score at least the threshold and are not in the gold list;
    false negatives are gold pairs that are not mined. Those farthest from the threshold come first,
    at most `most` of each kind.
    """
    from yang2019.methods.candidates import numbers

    share = _share(candidates)
    positives, negatives = [], []
    pairs = candidates.pairs
    proposed = dict(zip(pairs.source.tolist(), range(len(pairs)), strict=True))
    for place in np.flatnonzero((pairs.score >= threshold) & ~candidates.gold).tolist():
        row, other = int(pairs.source[place]), int(pairs.target[place])
        texts = candidates.texts[0][row], candidates.texts[1][other]
        apart = abs(np.log(len(texts[0]) / max(len(texts[1]), 1)) - share)
        kind = "numbers" if numbers(texts[0]) != numbers(texts[1]) else "other"
        if kind == "other" and apart > np.log(PARTIAL):
            kind = "partial"
        positives.append(_entry(candidates, row, other, float(pairs.score[place]), kind))
    for row, other in candidates.wanted:
        listed = proposed.get(row)
        score = None if listed is None else float(pairs.score[listed])
        nearest = listed is not None and int(pairs.target[listed]) == other
        if nearest and score is not None and score >= threshold:
            continue
        kind = "threshold" if nearest else "neighbour"
        entry = _entry(candidates, row, other, score if nearest else None, kind)
        if kind == "neighbour" and listed is not None:
            entry["nearer"] = candidates.texts[1][int(pairs.target[listed])]
            entry["nearer_cosine"] = round(score or 0.0, 4)
        negatives.append(entry)
    negatives.sort(key=lambda entry: (entry["cosine"] is None, entry["cosine"] or 0.0))
    return {
        "threshold": round(threshold, 6),
        "false_positives": _kept(positives, most),
        "false_negatives": _kept(negatives, most),
        "counts": {
            f"{side}.{kind}": sum(entry["kind"] == kind for entry in entries)
            for side, entries in (("positives", positives), ("negatives", negatives))
            for kind in KINDS
        },
    }


def _share(candidates: Candidates) -> float:
    """Return the logarithm of the source text's length over that of the English text."""
    sizes = [sum(map(len, side)) / max(len(side), 1) for side in candidates.texts]
    return float(np.log(sizes[0] / max(sizes[1], 1)))


def _entry(
    candidates: Candidates, row: int, other: int, score: float | None, kind: str
) -> dict[str, Any]:
    return {
        "kind": kind,
        "cosine": None if score is None else round(score, 4),
        "source_id": candidates.ids[0][row],
        "source": candidates.texts[0][row],
        "english_id": candidates.ids[1][other],
        "english": candidates.texts[1][other],
    }


def _kept(entries: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Return at most `most` failures of each kind."""
    kept: list[dict[str, Any]] = []
    for kind in KINDS:
        kept += [entry for entry in entries if entry["kind"] == kind][:most]
    return kept
