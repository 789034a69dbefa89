"""Cleaning: which sentence pairs are worth keeping, and counts of what each filter removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tandem.files.io import MAX_LINE_BYTES
from tandem.filtering.filter import Filter
from tandem.text import Pair
from tandem.text.spelling import collapse

MAX_CHARACTERS = MAX_LINE_BYTES // 4
"""Longest side kept, in characters, so that no line of a bitext exceeds MAX_LINE_BYTES."""


LARGE_SHARE = 0.2
"""Share of the pairs above which a filter that removes them is shown with examples."""
_EXAMPLES = 3
"""Pairs that a filter removed which are remembered, the first ones."""


class Removed(Counter[str]):
    """How many pairs were removed, by reason, and some of them."""

    def __init__(self) -> None:
        super().__init__()
        self.examples: dict[str, list[Pair]] = {}

    def add(self, reason: str, pair: Pair) -> None:
        """Count a pair; it is remembered if it is among the first."""
        self[reason] += 1
        if self[reason] <= _EXAMPLES:
            self.examples.setdefault(reason, []).append(pair)


def filter_pairs(
    pairs: Iterable[Pair], cleaning: Mapping[str, Filter], removed: Counter[str]
) -> Iterator[Pair]:
    """Yield, white space collapsed, the pairs that pass every filter.

    `removed` counts the others during the iteration, by the first filter that removes them.
    """
    for left, right in pairs:
        left, right = collapse(left), collapse(right)
        refused = refusal(left, right, cleaning)
        if refused is None:
            yield left, right
        else:
            removed[refused] += 1


def refusal(left: str, right: str, cleaning: Mapping[str, Filter]) -> str | None:
    """Name the first reason to remove a pair, or None: it is kept."""
    if reason := unfit(left, right):
        return reason
    return next((name for name, kind in cleaning.items() if not kind.keeps(left, right)), None)


def unfit(left: str, right: str) -> str | None:
    """Name why a pair is removed before any filter sees it, or None."""
    if not left or not right:
        return "empty"
    if len(left) > MAX_CHARACTERS or len(right) > MAX_CHARACTERS:
        return "oversized"
    return None


def report(kept: int, removed: Counter[str], cleaning: Iterable[str]) -> dict[str, Any]:
    """Return the counts as written to `cleaning.json`; a pair has the first reason that applies.

    With `Removed`, `examples` has some pairs of each filter that removed over a fifth of all.
    """
    reasons = ("empty", "oversized", *cleaning, "held out", "duplicate")
    counts = {name: removed[name] for name in reasons}
    read = kept + sum(counts.values())
    counted = {"read": read, "kept": kept, "removed": counts}
    named = removed.examples if isinstance(removed, Removed) else {}
    many = {n: named[n] for n in cleaning if n in named and counts[n] > LARGE_SHARE * read}
    return counted | ({"examples": many} if many else {})
