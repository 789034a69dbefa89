"""Character trigrams, which reach across words (wieting2019, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from tandem.segmentation.segmentation import Encode, Segmentation, Stock, Texts, Vocabulary


class Trigrams(Segmentation):
    """The most frequent character trigrams of the text; others are left out."""

    unit: ClassVar[str] = "character trigrams"
    writable: ClassVar[bool] = False

    def learn(self, texts: Texts, folder: Path) -> Vocabulary:
        """Count the trigrams."""
        from tandem.segmentation.trigrams import count_trigrams

        return self.most_frequent(texts, count_trigrams)

    def encoder(self, ids: Mapping[str, int], model: Path | None) -> Encode:
        """Look each trigram up."""
        from tandem.segmentation.trigrams import TrigramEncoder

        return TrigramEncoder(_of_three(ids))

    def tokenizer(self, ids: Mapping[str, int], model: Path | None) -> Stock:
        """Return a tokeniser that puts before each character the two before it."""
        from tandem.segmentation.stock_tokenizer import of_trigrams

        units = list(_of_three(ids))
        return of_trigrams(units), units


def _of_three(ids: Mapping[str, int]) -> dict[str, int]:
    """Leave out the marked tokens of other languages, which are longer."""
    return {gram: index for gram, index in ids.items() if len(gram) == 3}
