"""The kinds of segmentation: how text becomes ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import PositiveInt

from tandem.errors import TandemError
from tandem.registry import Kind, Registry
from tandem.text.batches import batches as text_batches

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from tandem.segmentation.ragged import Ragged

Encode = Callable[[Sequence[str]], "Ragged"]
"""From sentences to the ids of their tokens."""
Texts = Mapping[str, Callable[[], Iterable[str]]]
"""For each side of a bitext, a function that opens its sentences."""
Stock = tuple["Tokenizer", list[str]]
"""A tokeniser of the library `tokenizers`, and its tokens by id."""
Batches = Iterable[Sequence[str]]
ANY = "mul"
"""Stands for any language (ISO 639-2: multiple languages)."""
LINES = 20_000
"""Most lines in memory, tokenised or segmented at a time."""


class Vocabulary(NamedTuple):
    """What a segmentation learns from text.

    Attributes:
        tokens: the token of each id; those of a marked language begin with its mark.
        models: the SentencePiece model of each language, None where the kind has none.
    """

    tokens: list[str]
    models: dict[str, Path | None]


class Segmentation(Kind):
    """How text becomes ids (wieting2019, section 3.1)."""

    unit: ClassVar[str]
    """What an id stands for, in the plural."""
    has_models: ClassVar[bool] = False
    """Whether each language has a SentencePiece model."""
    grouped: ClassVar[bool] = False
    """Whether a word is several ids, the first of which is a mark."""
    any_language: ClassVar[bool] = False
    """Whether it serves any language: its only model is that of ANY."""
    writable: ClassVar[bool] = True
    """Whether its tokens, one after the other, are the text that they were made of."""
    learnable: ClassVar[bool] = True
    """Whether it can be learned from text, rather than come with an encoder."""

    size: PositiveInt = 4000
    """Most SentencePieces to learn, or number of the most frequent words or trigrams to keep. The
    paper has 20,000 pieces, learned from far more text, and 200,000 words or trigrams."""
    marked: tuple[str, ...] = ()
    """Languages all of whose tokens get a marker, so that they share no id with another language
    (wieting2019, section 4.2)."""
    sample: PositiveInt = 5_000_000
    """Most lines of each side that SentencePiece learns from; for a collection, the pairs that any
    vocabulary is learned from."""

    def token_mark(self, language: str) -> str:
        """Return the mark that a language's tokens begin with in the vocabulary, or ""."""
        return f"<{language}>" if language in self.marked else ""

    def unmarked(self, token: str) -> str:
        """Return a token of the vocabulary without the mark of its language."""
        marks = (mark for mark in map(self.token_mark, self.marked) if token.startswith(mark))
        return token.removeprefix(next(marks, ""))

    def most_frequent(self, texts: Texts, count: Callable[[Batches], Counter[str]]) -> Vocabulary:
        """Return the most frequent units of all texts, by what `count` counts in some sentences.

        Raises:
            TandemError: the text is empty.
        """
        counts: Counter[str] = Counter()
        for side, lines in texts.items():
            mark = self.token_mark(side_language(side))
            units = count(batches(lines()))
            counts.update({mark + unit: number for unit, number in units.items()})
        if not counts:
            raise TandemError("nothing to learn a segmentation from: the training text is empty")
        # equal counts in the order of their spelling, so that the same text gives the same ids
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        tokens = [unit for unit, _ in ranked[: self.size]]
        return Vocabulary(tokens, dict.fromkeys(sorted(map(side_language, texts))))

    def learn(self, texts: Texts, folder: Path) -> Vocabulary:
        """Learn a vocabulary from training sentences; models are written into a folder.

        Raises:
            TandemError: there is too little text.
        """
        raise NotImplementedError

    def encoder(self, ids: Mapping[str, int], model: Path | None) -> Encode:
        """Return the function that segments sentences of a language.

        `ids` are those of its tokens, without their mark; `model` is its own, if the kind has any.

        Raises:
            InputError: the model's units are not those tokens.
        """
        raise NotImplementedError

    def tokenizer(self, ids: Mapping[str, int], model: Path | None) -> Stock:
        """Return a tokeniser that does the same.

        Raises:
            TandemError: that library cannot do it.
        """
        raise NotImplementedError


SEGMENTATIONS = Registry("tandem.segmentation.kinds", Segmentation)


def batches(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield lines in lists of LINES, or fewer where they are long."""
    return text_batches(lines, LINES, len)


def side_language(side: str) -> str:
    """Return the language of a side of a bitext: `en-bt` (back-translated English) is `en`."""
    return side.removesuffix("-bt")
