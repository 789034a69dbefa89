"""Words with their character n-grams, hashed: the input of yang2019, section 4.2.

A word becomes a begin mark (the first entry of every vocabulary), the word's own entry or, if it is
not among the most frequent, that of its bucket, and the entries of its n-grams' buckets. Chinese
text has no spaces between words: on request, jieba's dictionary finds them.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import PositiveInt, model_validator

from tandem.errors import TandemError
from tandem.segmentation.kinds.words import count_words
from tandem.segmentation.segmentation import Batches, Encode, Segmentation, Stock, Texts, Vocabulary

if TYPE_CHECKING:
    from tandem.segmentation.ragged import Ragged

BEGIN = "<word>"
_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")


class WordsAndNgrams(Segmentation):
    """Words with their character n-grams, for a transformer (yang2019, section 4.2)."""

    unit: ClassVar[str] = "words and hashed character n-grams"
    writable: ClassVar[bool] = False
    grouped: ClassVar[bool] = True

    oov_buckets: PositiveInt = 10_000
    """Entries that words beyond the most frequent are hashed to; the paper's number, as are those
    below."""
    ngram_buckets: PositiveInt = 200_000
    """Entries that n-grams are hashed to."""
    ngrams: tuple[PositiveInt, PositiveInt] = (3, 6)
    """Characters of the shortest and of the longest n-gram; 1 and 4 for Chinese in the paper."""
    chinese_words: bool = False
    """Find the words of Chinese text by jieba's dictionary (the extra `chinese`); otherwise the
    text between two marks is one word."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        shortest, longest = self.ngrams
        if shortest > longest:
            raise ValueError(f"ngrams: the shortest, {shortest}, is longer than {longest}")
        if self.marked:
            raise ValueError("marked: hashed n-grams are of no language; leave it out")
        return self

    def learn(self, texts: Texts, folder: Path) -> Vocabulary:
        """Count the words; the buckets get names that no token has."""
        frequent = self.most_frequent(texts, self._count)
        unknown = (f"<oov {number}>" for number in range(self.oov_buckets))
        grams = (f"<ngram {number}>" for number in range(self.ngram_buckets))
        return Vocabulary([BEGIN, *frequent.tokens, *unknown, *grams], frequent.models)

    def encoder(self, ids: Mapping[str, int], model: Path | None) -> Encode:
        """Give each token the entries of its words, one word after the other."""
        from tandem.segmentation.lookup import lookup

        return lookup(partial(self._entries, ids))

    def tokenizer(self, ids: Mapping[str, int], model: Path | None) -> Stock:
        """Refuse."""
        raise TandemError("no stock tokeniser hashes n-grams. Train with another segmentation")

    def _count(self, batches: Batches) -> Counter[str]:
        counts: Counter[str] = Counter()
        for token, count in count_words(batches).items():
            for word in self._words(token):
                counts[word] += count
        return counts

    def _words(self, token: str) -> list[str]:
        """Return the words of a token: itself, unless it is Chinese and that is divided."""
        return _divide()(token) if self.chinese_words and _HAN.search(token) else [token]

    def _entries(self, ids: Mapping[str, int], tokens: Sequence[str]) -> Ragged:
        """Return the entries of each token."""
        from tandem.segmentation.ragged import from_rows

        return from_rows(
            [entry for word in self._words(token) for entry in self._of_word(ids, word)]
            for token in tokens
        )

    def _of_word(self, ids: Mapping[str, int], word: str) -> list[int]:
        unknown, grams = ids["<oov 0>"], ids["<ngram 0>"]
        entry = ids[word] if word in ids else unknown + bucket(word, self.oov_buckets)
        buckets = (grams + bucket(gram, self.ngram_buckets) for gram in self._ngrams(word))
        return [ids[BEGIN], entry, *buckets]

    def _ngrams(self, word: str) -> list[str]:
        """Return the n-grams of a word, the short ones first."""
        shortest, longest = self.ngrams
        sizes = range(shortest, min(longest, len(word)) + 1)
        return [word[start : start + n] for n in sizes for start in range(len(word) - n + 1)]


@cache
def _divide() -> Callable[[str], list[str]]:
    # a separate dictionary: words that a program adds to rjieba's shared one change no ids
    from rjieba import Jieba

    cut: Callable[[str], list[str]] = Jieba().cut
    return cut


def bucket(text: str, buckets: int) -> int:
    """Return the bucket that a text is hashed to, the same everywhere and always."""
    return zlib.crc32(text.encode()) % buckets
