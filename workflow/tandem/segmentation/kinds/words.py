"""Words, and marks of punctuation, the most frequent of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import ClassVar

from tandem.segmentation.segmentation import Batches, Encode, Segmentation, Stock, Texts, Vocabulary


class Words(Segmentation):
    """The most frequent words of the text, lower-cased; others are left out."""

    unit: ClassVar[str] = "words"

    def learn(self, texts: Texts, folder: Path) -> Vocabulary:
        """Count the words."""
        return self.most_frequent(texts, count_words)

    def encoder(self, ids: Mapping[str, int], model: Path | None) -> Encode:
        """Look each word up."""
        from tandem.segmentation.lookup import lookup
        from tandem.segmentation.ragged import from_rows

        return lookup(lambda words: from_rows([ids[w]] if w in ids else [] for w in words))

    def tokenizer(self, ids: Mapping[str, int], model: Path | None) -> Stock:
        """Return a tokeniser that knows whole words only."""
        from tandem.segmentation.stock_tokenizer import of_words

        return of_words(list(ids)), list(ids)


def count_words(batches: Batches) -> Counter[str]:
    """Count the words in batches of sentences."""
    from tandem.segmentation.trigrams import spelled

    return Counter(chain.from_iterable(map(str.split, spelled(batches))))
