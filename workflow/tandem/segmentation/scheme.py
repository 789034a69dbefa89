"""How text becomes ids: the settings of a segmentation."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from tandem.registry import Settings

Unit = Literal["sentencepiece", "words", "trigrams", "words-and-ngrams"]


class Segmentation(Settings):
    """How text becomes ids (wieting2019, section 3.1)."""

    kind: Unit = "sentencepiece"
    """What sentences are divided into: SentencePieces (unigram), words, character trigrams, or
    words with their character n-grams (yang2019, section 4.2), for a transformer."""
    size: PositiveInt = 4000
    """Most SentencePieces to learn, or number of the most frequent words or trigrams to keep. The
    paper has 20,000 pieces, learned from far more text, and 200,000 words or trigrams."""
    separate: bool = False
    """Learn one SentencePiece model for each language rather than one for all; pieces with
    the same spelling still share an id."""
    marked: tuple[str, ...] = ()
    """Languages all of whose tokens get a marker, so that they share no id with another language
    (wieting2019, section 4.2)."""
    character_coverage: Annotated[float, Field(ge=0.98, le=1)] = 1.0
    """Share of the text's characters that SentencePiece covers; other characters are unknown."""
    sample: PositiveInt = 5_000_000
    """Most lines of each side that SentencePiece learns from."""
    oov_buckets: PositiveInt = 10_000
    """With n-grams: entries that words beyond the most frequent are hashed to; the paper's number,
    as in what follows."""
    ngram_buckets: PositiveInt = 200_000
    """Entries that n-grams are hashed to."""
    ngrams: tuple[PositiveInt, PositiveInt] = (3, 6)
    """Characters of the shortest and of the longest n-gram; 1 and 4 for Chinese in the paper."""
    chinese_words: bool = False
    """With n-grams: find the words of Chinese text by jieba's dictionary (the extra `chinese`);
    otherwise what stands between two marks is one word."""
    threads: PositiveInt = 1
    """Threads of SentencePiece's trainer: they change the last digits of what is learned."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        shortest, longest = self.ngrams
        if shortest > longest:
            raise ValueError(f"ngrams: the shortest, {shortest}, is longer than {longest}")
        if self.marked and self.kind == "words-and-ngrams":
            raise ValueError("marked: hashed n-grams are of no language; leave it out")
        if self.chinese_words and self.kind != "words-and-ngrams":
            raise ValueError("chinese_words: only words-and-ngrams has it; leave it out")
        return self

    def token_mark(self, language: str) -> str:
        """Return what the tokens of a language begin with in the vocabulary, if it is marked."""
        return f"<{language}>" if language in self.marked else ""


def language_of(side: str) -> str:
    """Return the language of a side of a bitext: `en-bt` (back-translated English) is `en`."""
    return side.removesuffix("-bt")
