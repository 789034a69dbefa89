"""A segmenter as one tokeniser of the `tokenizers` library: the same ids, without our code.

SentencePieces become a Unigram model between the normaliser of the SentencePiece model and a
splitter that removes the characters outside its pieces, which are its unknowns exactly. Words and
trigrams become a BPE model without merges or unknown token: it knows whole words only and drops
the rest, since none of its entries is a single character.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import sentencepiece as spm
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from tokenizers.normalizers import Normalizer, Replace

from tandem.encoders.moses_rules import moses_lowercase, ranges
from tandem.errors import TandemError
from tandem.segmentation.segmenter import Segmenter, token_mark

_SEPARATOR = "\U0010e010"
_META = "\u2581"
_NORMALIZER, _CHARSMAP = 3, 2
"""Fields of SentencePiece's ModelProto and NormalizerSpec (sentencepiece_model.proto)."""


def groups(segmenter: Segmenter) -> list[list[str]]:
    """Return the languages that one tokeniser can serve together.

    Those are apart that have pieces of their own, or a mark on every token.
    """
    together: dict[tuple[Path | None, str], list[str]] = {}
    for language in segmenter.languages:
        key = segmenter.models[language], token_mark(segmenter.scheme, language)
        together.setdefault(key, []).append(language)
    return list(together.values())


def stock_tokenizer(
    segmenter: Segmenter, languages: Sequence[str], default: str
) -> tuple[Tokenizer, list[int]]:
    """Return a tokeniser for languages of one group, and the id that each of its ids stands for.

    Args:
        segmenter: what to express.
        languages: a member of `groups`.
        default: the language of text that no sign precedes (see `moses_rules.signs`).
    """
    mark = token_mark(segmenter.scheme, default)
    kind = segmenter.scheme.kind
    steps = moses_lowercase(languages, default)
    if kind == "sentencepiece":
        return _pieces(segmenter, segmenter.models[default], mark, steps)
    units = {
        token.removeprefix(mark): index
        for index, token in enumerate(segmenter.vocabulary)
        if token.startswith(mark)
    }
    build = _words if kind == "words" else _trigrams
    return build(list(units), steps), list(units.values())


def _pieces(
    segmenter: Segmenter, path: Path, mark: str, steps: list[Normalizer]
) -> tuple[Tokenizer, list[int]]:
    processor = spm.SentencePieceProcessor(model_file=str(path))
    known = [i for i in range(processor.vocab_size()) if not processor.is_unknown(i)]
    pieces = [(processor.id_to_piece(i), processor.get_score(i)) for i in known]
    ids = {token: index for index, token in enumerate(segmenter.vocabulary)}
    alphabet = ranges(piece for piece, _ in pieces if len(piece) == 1)
    tokenizer = Tokenizer(models.Unigram(pieces, None, False))
    tokenizer.normalizer = normalizers.Sequence(
        [
            *steps,
            normalizers.Precompiled(_charsmap(processor.serialized_model_proto())),
            Replace(Regex(" {2,}"), " "),
            normalizers.Strip(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(),
            pre_tokenizers.Split(Regex(f"[^{alphabet}]+"), "removed"),
        ]
    )
    return tokenizer, [ids[mark + piece] for piece, _ in pieces]


def _words(words: Sequence[str], steps: list[Normalizer]) -> Tokenizer:
    tokenizer = _whole(_META + word for word in words)
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def _trigrams(grams: Sequence[str], steps: list[Normalizer]) -> Tokenizer:
    """Put the two characters before it in front of each character: two rules for each character.

    With | for the separator, "abcd" becomes "a|b|c|d|", then "a|ab|bc|cd|", then "a|ab|abc|bcd|".
    """
    characters = sorted(set("".join(grams)))
    separate = [
        Replace(Regex(r"\A"), " "),
        Replace(Regex(r"\z"), " "),
        Replace(Regex(r"(?<=.)"), _SEPARATOR),
    ]
    before = [Replace(char + _SEPARATOR, char + _SEPARATOR + char) for char in characters]
    two_before = [
        Replace(Regex(rf"(?<=\x{{{ord(char):x}}}.){_SEPARATOR}"), _SEPARATOR + char)
        for char in characters
    ]
    tokenizer = _whole(grams)
    tokenizer.normalizer = normalizers.Sequence([*steps, *separate, *before, *two_before])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(_SEPARATOR, "removed")
    return tokenizer


def _whole(units: Sequence[str]) -> Tokenizer:
    vocabulary = {unit: index for index, unit in enumerate(units)}
    return Tokenizer(models.BPE(vocab=vocabulary, merges=[], ignore_merges=True))


def _charsmap(proto: bytes) -> bytes:
    """Return the compiled normalisation rules of a serialised SentencePiece model."""
    return _field(_field(proto, _NORMALIZER), _CHARSMAP)


def _field(message: bytes, number: int) -> bytes:
    """Return the last length-delimited field of a number in a protocol buffer message."""
    found, place = None, 0
    while place < len(message):
        key, place = _varint(message, place)
        kind = key & 7
        if kind == 0:
            _, place = _varint(message, place)
        elif kind == 2:
            length, place = _varint(message, place)
            if key >> 3 == number:
                found = message[place : place + length]
            place += length
        else:
            place += {1: 8, 5: 4}[kind]
    if found is None:
        raise TandemError("a SentencePiece model without normalisation rules: learn it again")
    return found


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place
