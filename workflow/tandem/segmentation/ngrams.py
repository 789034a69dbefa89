"""Words with their character n-grams, hashed: the input of yang2019, section 4.2.

A word is a begin mark, the first entry of every vocabulary, the word's own entry or, if it is not
among the most frequent, that of its bucket, and the entries of its n-grams' buckets. Chinese text
has no spaces between words: where the scheme asks for it, jieba's dictionary finds them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from tandem.segmentation.ragged import Ragged, from_rows
from tandem.segmentation.scheme import Segmentation

BEGIN = "<word>"
_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")


def vocabulary(scheme: Segmentation, words: Sequence[str]) -> list[str]:
    """Return all entries: the mark, the words, and the buckets under names that no token has."""
    unknown = (f"<oov {number}>" for number in range(scheme.oov_buckets))
    grams = (f"<ngram {number}>" for number in range(scheme.ngram_buckets))
    return [BEGIN, *words, *unknown, *grams]


def words_of(scheme: Segmentation, token: str) -> list[str]:
    """Return the words of a token: itself, unless it is Chinese and the scheme divides that."""
    return _divide()(token) if scheme.chinese_words and _HAN.search(token) else [token]


@cache
def _divide() -> Callable[[str], list[str]]:
    # a dictionary of its own: what a program adds to rjieba's shared one changes no ids
    from rjieba import Jieba

    cut: Callable[[str], list[str]] = Jieba().cut
    return cut


def entries(scheme: Segmentation, ids: Mapping[str, int], tokens: Sequence[str]) -> Ragged:
    """Return the entries of each token: those of its words, one word after the other."""
    return from_rows(
        [entry for word in words_of(scheme, token) for entry in _of_word(scheme, ids, word)]
        for token in tokens
    )


def _of_word(scheme: Segmentation, ids: Mapping[str, int], word: str) -> list[int]:
    unknown, grams = ids["<oov 0>"], ids["<ngram 0>"]
    own = ids.get(word)
    if own is None:
        own = unknown + bucket(word, scheme.oov_buckets)
    found = (grams + bucket(gram, scheme.ngram_buckets) for gram in ngrams(word, scheme))
    return [ids[BEGIN], own, *found]


def bucket(text: str, buckets: int) -> int:
    """Return the place that a text is hashed to, the same everywhere and always."""
    return zlib.crc32(text.encode()) % buckets


def ngrams(word: str, scheme: Segmentation) -> list[str]:
    """Return the n-grams of a word, the short ones first."""
    shortest, longest = scheme.ngrams
    sizes = range(shortest, min(longest, len(word)) + 1)
    return [word[start : start + n] for n in sizes for start in range(len(word) - n + 1)]
