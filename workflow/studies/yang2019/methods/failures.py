"""What mining by cosine gets wrong (Table 7), sorted by what went wrong where it can be told."""

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
"""What went wrong, by name; the first that holds."""
PARTIAL = 1.5
"""How much longer one side is than its share of the text, in characters, to say much more."""


def sorted_out(found: Candidates, threshold: float, most: int) -> dict[str, Any]:
    """Return false positives and false negatives, with their scores, and how many of each kind.

    False positives are mined pairs that score at least the threshold and are not in the gold list;
    false negatives are gold pairs that are not mined. Those farthest from the threshold come first,
    at most so many of each kind.
    """
    from yang2019.methods.candidates import numbers

    share = _share(found)
    positives, negatives = [], []
    proposed = dict(zip(found.pairs.source.tolist(), range(len(found.pairs)), strict=True))
    for place in np.flatnonzero((found.pairs.score >= threshold) & ~found.gold).tolist():
        row, other = int(found.pairs.source[place]), int(found.pairs.target[place])
        texts = found.texts[0][row], found.texts[1][other]
        apart = abs(np.log(len(texts[0]) / max(len(texts[1]), 1)) - share)
        kind = "numbers" if numbers(texts[0]) != numbers(texts[1]) else "other"
        if kind == "other" and apart > np.log(PARTIAL):
            kind = "partial"
        positives.append(_entry(found, row, other, float(found.pairs.score[place]), kind))
    for row, other in found.wanted:
        listed = proposed.get(row)
        score = None if listed is None else float(found.pairs.score[listed])
        nearest = listed is not None and int(found.pairs.target[listed]) == other
        if nearest and score is not None and score >= threshold:
            continue
        kind = "threshold" if nearest else "neighbour"
        entry = _entry(found, row, other, score if nearest else None, kind)
        if kind == "neighbour" and listed is not None:
            entry["nearer"] = found.texts[1][int(found.pairs.target[listed])]
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


def _share(found: Candidates) -> float:
    """Return the logarithm of the source text's length over that of the English text."""
    sizes = [sum(map(len, side)) / max(len(side), 1) for side in found.texts]
    return float(np.log(sizes[0] / max(sizes[1], 1)))


def _entry(
    found: Candidates, row: int, other: int, score: float | None, kind: str
) -> dict[str, Any]:
    return {
        "kind": kind,
        "cosine": None if score is None else round(score, 4),
        "source_id": found.ids[0][row],
        "source": found.texts[0][row],
        "english_id": found.ids[1][other],
        "english": found.texts[1][other],
    }


def _kept(entries: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Return at most so many of each kind."""
    kept: list[dict[str, Any]] = []
    for kind in KINDS:
        kept += [entry for entry in entries if entry["kind"] == kind][:most]
    return kept
