"""How translations differ from what people wrote: statistics of words, in blocks of sentences.

The paper's abstract names length, repetition and rare words; vocabulary and entropy of n-grams are
measured on equally many n-grams of both sides, since both grow with the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Words = Sequence[str]

FREQUENT = 1000
"""How many words are not rare: the most frequent ones of the references held apart."""
STATISTICS = {
    "length": ("length", "words"),
    "vocabulary": ("vocabulary", "types per 100 words"),
    "rare": ("rare words", "% of words"),
    "repeated-1": ("repeated words", "% of words"),
    "repeated-2": ("repeated 2-grams", "% of 2-grams"),
    "entropy-1": ("entropy of words", "bits"),
    "entropy-2": ("entropy of 2-grams", "bits"),
    "entropy-3": ("entropy of 3-grams", "bits"),
}
"""Name and unit of each statistic."""
LENGTHS = ((1, 5), (6, 10), (11, 15), (16, 20), (21, 30), (31, None))
"""Ranges of tokens in a sentence, both ends included."""


def frequent_words(sentences: Sequence[Words], most: int = FREQUENT) -> frozenset[str]:
    """Return the most frequent words; of equally frequent ones, the first in the alphabet."""
    counts = Counter(chain.from_iterable(sentences))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return frozenset(word for word, _ in ranked[:most])


def ngrams(words: Words, order: int) -> list[tuple[str, ...]]:
    """Return the n-grams of a sentence."""
    return list(zip(*(words[start:] for start in range(order)), strict=False))


def repeated_share(sentences: Sequence[Words], order: int) -> float:
    """Return the share of n-grams that stood in their sentence before, 0 to 1; NaN without any."""
    grams = [ngrams(words, order) for words in sentences]
    total = sum(map(len, grams))
    repeated = total - sum(len(set(sentence)) for sentence in grams)
    return repeated / total if total else float("nan")


def entropy(grams: Sequence[tuple[str, ...]]) -> float:
    """Return the entropy of the distribution of n-grams, in bits."""
    counts = np.array(list(Counter(grams).values()), float)
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def length_names() -> dict[str, tuple[str, str]]:
    """Return the name and unit of the share of sentences in each range of lengths."""
    names = (f"{low} to {high} words" if high else f"over {low - 1} words" for low, high in LENGTHS)
    return {name.replace(" ", "-"): (name, "% of sentences") for name in names}


def length_shares(
    references: Sequence[Words], translations: Sequence[Words]
) -> NDArray[np.float64]:
    """Return the percentage of each side's sentences in each range of lengths, (LENGTHS, 2)."""
    lengths = [np.array(list(map(len, side))) for side in (references, translations)]
    shares = [
        [100 * np.mean((side >= low) & (side <= (high or np.inf))) for side in lengths]
        for low, high in LENGTHS
    ]
    return np.array(shares)


def measure(
    references: Sequence[Words], translations: Sequence[Words], frequent: frozenset[str]
) -> NDArray[np.float64]:
    """Return the statistics of both sides of some pairs, (STATISTICS, 2)."""
    sides = references, translations
    words = [list(chain.from_iterable(side)) for side in sides]
    rows = [
        [float(np.mean([len(sentence) for sentence in side])) for side in sides],
        [100 * len(set(text)) / len(text) for text in _equal(words)],
        [100 * float(np.mean([word not in frequent for word in text])) for text in words],
        *([100 * repeated_share(side, order) for side in sides] for order in (1, 2)),
    ]
    for order in (1, 2, 3):
        grams = [[gram for sentence in side for gram in ngrams(sentence, order)] for side in sides]
        rows.append([entropy(side) for side in _equal(grams)])
    return np.array(rows)


def in_blocks(
    references: Sequence[Words],
    translations: Sequence[Words],
    blocks: int,
    statistics: Callable[[Sequence[Words], Sequence[Words]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return the statistics of consecutive blocks of pairs, (blocks, statistics, 2)."""
    parts = np.array_split(np.arange(len(references)), blocks)
    return np.stack([
        statistics([references[i] for i in part], [translations[i] for i in part]) for part in parts
    ])  # fmt: skip


def _equal(sides: Sequence[Sequence]) -> list[Sequence]:
    fewest = min(map(len, sides))
    return [side[:fewest] for side in sides]
