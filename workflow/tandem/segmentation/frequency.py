"""The most frequent units of training text, for vocabularies of words and trigrams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from tandem.errors import TandemError
from tandem.segmentation.segmentation import Segmentation, Texts, Vocabulary, side_language

LINES = 20_000
"""Lines in memory, tokenised or segmented at a time."""
Batches = Iterable[Sequence[str]]


def batches(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield lines in lists of LINES."""
    stream = iter(lines)
    return iter(lambda: list(islice(stream, LINES)), [])


def most_frequent(
    segmentation: Segmentation, texts: Texts, count: Callable[[Batches], Counter[str]]
) -> Vocabulary:
    """Return the most frequent units of all texts together, the most frequent first.

    Args:
        segmentation: says how many, and how languages are marked.
        texts: training sentences by side.
        count: counts the units in batches of sentences.

    Raises:
        TandemError: the text is empty.
    """
    counts: Counter[str] = Counter()
    for side, lines in texts.items():
        mark = segmentation.token_mark(side_language(side))
        units = count(batches(lines()))
        counts.update({mark + unit: number for unit, number in units.items()})
    if not counts:
        raise TandemError("nothing to learn a segmentation from: the training text is empty")
    # equal counts in the order of their spelling, so that the same text gives the same ids
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    tokens = [unit for unit, _ in ranked[: segmentation.size]]
    return Vocabulary(tokens, dict.fromkeys(sorted(map(side_language, texts))))
