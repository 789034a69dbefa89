"""Words with their character n-grams, hashed: the input of yang2019, section 4.2.

A word is a begin mark, the first entry of every vocabulary, the word's own entry or, if it is not
among the most frequent, that of its bucket, and the entries of its n-grams' buckets.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

from tandem.segmentation.ragged import Ragged, from_rows
from tandem.segmentation.scheme import Segmentation

BEGIN = "<word>"


def vocabulary(scheme: Segmentation, words: Sequence[str]) -> list[str]:
    """Return all entries: the mark, the words, and the buckets under names that no token has."""
    unknown = (f"<oov {number}>" for number in range(scheme.oov_buckets))
    grams = (f"<ngram {number}>" for number in range(scheme.ngram_buckets))
    return [BEGIN, *words, *unknown, *grams]


def entries(scheme: Segmentation, ids: Mapping[str, int], words: Sequence[str]) -> Ragged:
    """Return the entries of each word."""
    unknown, grams = ids["<oov 0>"], ids["<ngram 0>"]
    rows = []
    for word in words:
        own = ids.get(word)
        if own is None:
            own = unknown + bucket(word, scheme.oov_buckets)
        found = (grams + bucket(gram, scheme.ngram_buckets) for gram in ngrams(word, scheme))
        rows.append([ids[BEGIN], own, *found])
    return from_rows(rows)


def bucket(text: str, buckets: int) -> int:
    """Return the place that a text is hashed to, the same everywhere and always."""
    return zlib.crc32(text.encode()) % buckets


def ngrams(word: str, scheme: Segmentation) -> list[str]:
    """Return the n-grams of a word, the short ones first."""
    shortest, longest = scheme.ngrams
    sizes = range(shortest, min(longest, len(word)) + 1)
    return [word[start : start + n] for n in sizes for start in range(len(word) - n + 1)]
