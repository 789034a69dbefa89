"""Cleaning: which sentence pairs are worth keeping, and counts of what each filter removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tandem.corpora.text import collapse, exact_key, word_count
from tandem.io import MAX_LINE_BYTES

Pair = tuple[str, str]

FILTERS = ("empty", "short", "long", "ratio", "copy", "markup", "held out", "duplicate")
"""The filters in the order they are applied; a pair is counted under the first that removes it."""

MAX_CHARACTERS = MAX_LINE_BYTES // 4
"""Longest side kept, whatever its words: no line of a bitext may be one that is refused later."""

_BRACES = r"\{(?:[^{}]|\{[^{}]*\})*\}"  # {name}, and ICU's {n, plural, one {..} other {..}}
_MARKUP = re.compile(
    rf"{_BRACES}|https?://\S+|www\.\S+|\S+@\S+\.\S+|</?[A-Za-z][^<>]*>|%\(\w+\)[a-z]|%[0-9$.]*[sdf]\b"
)
_SIGNS = ("{", "<", "%", "@", "://", "www.")  # a text without any cannot match: far cheaper to see


@dataclass(frozen=True)
class Cleaning:
    """What a pair must satisfy; each bound is kept by both sides.

    Attributes:
        min_words: least words in a side (see `tandem.corpora.text.word_count`).
        max_words: most words in a side.
        max_ratio: most characters in the longer side per character of the shorter.
        copies: keep pairs whose sides are the same but for case and white space.
        max_markup: largest share of a side's characters that may be placeholders ({name}, %s),
            HTML tags, addresses and URLs.
        duplicates: keep exact repetitions of a pair.
    """

    min_words: int
    max_words: int
    max_ratio: float
    max_markup: float
    copies: bool = False
    duplicates: bool = False


def clean(pairs: Iterable[Pair], cleaning: Cleaning) -> tuple[list[Pair], dict[str, Any]]:
    """Return the pairs kept, in order, and the counts that `cleaning.json` holds."""
    removed: Counter[str] = Counter()
    kept = list(filter_pairs(pairs, cleaning, removed))
    if not cleaning.duplicates:
        keys = np.array([pair_key(*pair) for pair in kept], dtype=np.uint64)
        first = first_occurrences(keys)
        removed["duplicate"] = len(kept) - int(first.sum())
        kept = [pair for pair, new in zip(kept, first, strict=True) if new]
    return kept, report(len(kept), removed)


def filter_pairs(
    pairs: Iterable[Pair], cleaning: Cleaning, removed: Counter[str]
) -> Iterator[Pair]:
    """Yield, white space collapsed, the pairs that pass every filter that sees one pair at a time.

    `removed` is counted up per filter as the iteration goes on.
    """
    for left, right in pairs:
        left, right = collapse(left), collapse(right)
        reason = _reason(left, right, cleaning)
        if reason:
            removed[reason] += 1
        else:
            yield left, right


def _reason(left: str, right: str, cleaning: Cleaning) -> str | None:
    """Name the first filter that removes a pair, or None."""
    if not left or not right:
        return "empty"
    if max(len(left), len(right)) > MAX_CHARACTERS:
        return "long"
    words = word_count(left), word_count(right)
    if min(words) < cleaning.min_words:
        return "short"
    if max(words) > cleaning.max_words:
        return "long"
    if max(len(left), len(right)) > cleaning.max_ratio * min(len(left), len(right)):
        return "ratio"
    if not cleaning.copies and left.casefold() == right.casefold():
        return "copy"
    if max(markup_share(left), markup_share(right)) > cleaning.max_markup:
        return "markup"
    return None


def markup_share(text: str) -> float:
    """Return the share of a text's characters that are placeholders, tags, addresses or URLs."""
    if not any(sign in text for sign in _SIGNS):
        return 0.0
    return sum(len(match.group()) for match in _MARKUP.finditer(text)) / max(len(text), 1)


def pair_key(left: str, right: str) -> int:
    """Return 64 bits that stand for the exact pair."""
    return exact_key(f"{left}\t{right}")


def first_occurrences(keys: np.ndarray) -> np.ndarray:
    """Return a mask, shape (n,), of the positions that hold a key for the first time.

    Args:
        keys: shape (n,), uint64.
    """
    first = np.zeros(len(keys), dtype=bool)
    first[np.unique(keys, return_index=True)[1]] = True
    return first


def report(kept: int, removed: Counter[str]) -> dict[str, Any]:
    """Return the counts as written to `cleaning.json`."""
    counts = {name: removed[name] for name in FILTERS}
    return {"read": kept + sum(counts.values()), "kept": kept, "removed": counts}
