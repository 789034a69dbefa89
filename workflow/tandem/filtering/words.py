"""Length in words."""

from __future__ import annotations

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from tandem.corpora.text import word_count
from tandem.filtering import Filter


class WordCount(Filter):
    """Words of each side (see `tandem.corpora.text.word_count`), between two bounds."""

    minimum: int = Field(1, ge=1)
    """Fewest words in a side."""
    maximum: int = Field(100, ge=1)
    """Most words in a side."""

    @model_validator(mode="after")
    def _in_order(self) -> WordCount:
        if self.minimum > self.maximum:
            raise PydanticCustomError("order", "minimum is over maximum")
        return self

    def keeps(self, left: str, right: str) -> bool:
        """Whether both sides keep the bounds."""
        return all(self.minimum <= word_count(text) <= self.maximum for text in (left, right))
