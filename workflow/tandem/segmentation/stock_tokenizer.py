"""A segmentation as a tokeniser of the `tokenizers` library: the same ids, without our code.

Normalising and splitting follow the rules of `tandem.text.tokens`, written for that library, whose
Unicode tables are of another version. SentencePieces become a Unigram model. Words and trigrams
become a BPE model without merges or unknown token: it knows whole words only and drops the rest,
since none of its entries is a single character.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tokenizers import Regex, Tokenizer, models
from tokenizers.normalizers import NFKC, Lowercase, Normalizer, Replace, Strip
from tokenizers.normalizers import Sequence as Normalizers
from tokenizers.pre_tokenizers import Metaspace, PreTokenizer, Split
from tokenizers.pre_tokenizers import Sequence as PreTokenizers

from tandem.segmentation.pieces import alphabet

_SEPARATOR = "\U0010e010"
_META = "\u2581"
_MARK = r"[^\w\s\p{Cc}\p{Cf}\x{2581}]"  # U+2581 is what SentencePiece writes for a space
_FIRST = r"[\w&&[^\p{M}]]"
_REST = r"[\w\x{200c}\x{200d}]"


def of_words(words: Sequence[str]) -> Tokenizer:
    """Return a tokeniser of words; an id is a word's place among them."""
    return _tokens(_whole(_META + word for word in words), splitter())


def of_pieces(scores: Mapping[str, float]) -> Tokenizer:
    """Return a tokeniser of SentencePieces with scores; an id is a piece's place among them."""
    tokenizer = Tokenizer(models.Unigram(list(scores.items()), None, False))
    return _tokens(tokenizer, splitter(alphabet(scores)))


def _tokens(tokenizer: Tokenizer, split: PreTokenizer) -> Tokenizer:
    tokenizer.normalizer = normalizer()
    tokenizer.pre_tokenizer = PreTokenizers([split, Metaspace(split=False)])
    return tokenizer


def of_trigrams(grams: Sequence[str]) -> Tokenizer:
    """Return a tokeniser of trigrams; an id is a trigram's place among them.

    It puts in front of each character the two before it, by two rules for each character.

    With | for the separator, "abcd" becomes "a|b|c|d|", then "a|ab|bc|cd|", then "a|ab|abc|bcd|".
    """
    characters = sorted(set("".join(grams)))
    separate = [
        Replace(Regex(r"\A(?=.)"), " "),
        Replace(Regex(r"(?<=.)\z"), " "),
        Replace(Regex(r"(?<=.)"), _SEPARATOR),
    ]
    before = [Replace(char + _SEPARATOR, char + _SEPARATOR + char) for char in characters]
    two_before = [
        Replace(Regex(rf"(?<=\x{{{ord(char):x}}}.){_SEPARATOR}"), _SEPARATOR + char)
        for char in characters
    ]
    tokenizer = _whole(grams)
    tokenizer.normalizer = Normalizers([normalizer(), *spaced(), *separate, *before, *two_before])
    tokenizer.pre_tokenizer = Split(_SEPARATOR, "removed")
    return tokenizer


def _whole(units: Iterable[str]) -> Tokenizer:
    vocabulary = {unit: index for index, unit in enumerate(units)}
    return Tokenizer(models.BPE(vocab=vocabulary, merges=[], ignore_merges=True))


def normalizer() -> Normalizer:
    """Return the normalisation of text before it is split."""
    return Normalizers([NFKC(), Lowercase()])


def splitter(alphabet: Iterable[str] | None = None) -> PreTokenizer:
    """Return the step that splits normalised text into tokens and drops the rest.

    With an alphabet, tokens are made of its characters, and any other separates as a space does.
    """
    first, rest, mark = _FIRST, _REST, _MARK
    if alphabet is not None:
        characters = "".join(rf"\x{{{ord(character):x}}}" for character in sorted(set(alphabet)))
        first, rest, mark = (f"[{part}&&[{characters}]]" for part in (first, rest, mark))
    return Split(Regex(f"{first}{rest}*|{mark}"), "removed", invert=True)


def spaced() -> list[Normalizer]:
    """Return the steps from normalised text to its tokens with one space between them."""
    return [
        Replace(Regex(f"[^{_REST}{_MARK}]"), " "),
        Replace(Regex(rf"(?<!{_REST})[{_REST}&&[^{_FIRST}]]+"), " "),
        Replace(Regex(f"(?={_MARK})"), " "),
        Replace(Regex(f"(?<={_MARK})"), " "),
        Replace(Regex(" {2,}"), " "),
        Strip(),
    ]
