"""A segmenter as one tokeniser of the `tokenizers` library: the same ids, without our code.

Normalising and splitting are the rules of `segmentation.tokens`, said again to that library; its
tables of Unicode are another version's. SentencePieces become a Unigram model. Words and trigrams
become a BPE model without merges or unknown token: it knows whole words only and drops the rest,
since none of its entries is a single character.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokenizers import Regex, Tokenizer, models
from tokenizers.normalizers import NFKC, Lowercase, Normalizer, Replace, Strip
from tokenizers.normalizers import Sequence as Normalizers
from tokenizers.pre_tokenizers import Metaspace, PreTokenizer, Split
from tokenizers.pre_tokenizers import Sequence as PreTokenizers

from tandem.errors import TandemError
from tandem.segmentation.pieces import alphabet, load_pieces, piece_scores
from tandem.segmentation.segmenter import Segmenter

_SEPARATOR = "\U0010e010"
_META = "\u2581"
_MARK = r"[^\w\s\p{Cc}\p{Cf}\x{2581}]"  # U+2581 is what SentencePiece writes for a space
_FIRST = r"[\w&&[^\p{M}]]"
_REST = r"[\w\x{200c}\x{200d}]"


def stock_tokenizer(segmenter: Segmenter, language: str) -> tuple[Tokenizer, list[int]]:
    """Return a tokeniser for a language, and the id that each of its ids stands for.

    It serves all languages of the same group (`Segmenter.groups`).

    Raises:
        TandemError: words come with hashed n-grams.
    """
    ids = segmenter.units(language)
    kind = segmenter.scheme.kind
    if kind == "words-and-ngrams":
        raise TandemError("no stock tokeniser hashes n-grams. Train with another segmentation")
    if kind == "trigrams":
        units = [unit for unit in ids if len(unit) == 3]
        return _trigrams(units), [ids[unit] for unit in units]
    if kind == "words":
        tokenizer = _whole(_META + word for word in ids)
        split = splitter()
        units = list(ids)
    else:
        scores = piece_scores(load_pieces(str(segmenter.models[language]), ids))
        tokenizer = Tokenizer(models.Unigram(list(scores.items()), None, False))
        split = splitter(alphabet(scores))
        units = list(scores)
    tokenizer.normalizer = normalizer()
    tokenizer.pre_tokenizer = PreTokenizers([split, Metaspace(split=False)])
    return tokenizer, [ids[unit] for unit in units]


def _trigrams(grams: Sequence[str]) -> Tokenizer:
    """Put the two characters before it in front of each character: two rules for each character.

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
    """Return what is done to text before it is split."""
    return Normalizers([NFKC(), Lowercase()])


def splitter(alphabet: Iterable[str] | None = None) -> PreTokenizer:
    """Return what splits normalised text into tokens and drops the rest.

    With an alphabet, tokens are made of its characters, and any other separates as a space does.
    """
    first, rest, mark = _FIRST, _REST, _MARK
    if alphabet is not None:
        known = "".join(rf"\x{{{ord(character):x}}}" for character in sorted(set(alphabet)))
        first, rest, mark = (f"[{part}&&[{known}]]" for part in (first, rest, mark))
    return Split(Regex(f"{first}{rest}*|{mark}"), "removed", invert=True)


def spaced() -> list[Normalizer]:
    """Return what turns normalised text into its tokens with one space between them."""
    return [
        Replace(Regex(f"[^{_REST}{_MARK}]"), " "),
        Replace(Regex(rf"(?<!{_REST})[{_REST}&&[^{_FIRST}]]+"), " "),
        Replace(Regex(f"(?={_MARK})"), " "),
        Replace(Regex(f"(?<={_MARK})"), " "),
        Replace(Regex(" {2,}"), " "),
        Strip(),
    ]
