r"""Tokens: the words and marks of normalised, lower-cased text, the same for every language.

Text is brought to Unicode's form NFKC and lower-cased, each letter by itself: a capital sigma
becomes σ at the end of a word too, and "İ" becomes "i" with a dot above. Then

- a word is a letter, digit or connector ("_") with all that follow it without a gap, combining
  marks and the two invisible joiners of Indic and Arabic scripts (U+200C, U+200D) among them;
- a mark is any other character that can be seen, by itself;
- white space, control and format characters, and combining marks that follow no word are dropped.

What that does to text:

- "Don't stop: it's 3.5%" becomes don ' t stop : it ' s 3 . 5 %.
- Vowel signs stay in their words: Hindi "मैंने कहा।" becomes मैंने कहा ।, and Bengali, pointed Arabic
  and Hebrew likewise.
- Scripts without spaces are cut at marks alone: Chinese "神爱世人，甚至" becomes
  神爱世人 , 甚至, and Japanese and Thai likewise. SentencePieces and trigrams divide such a run; to
  a vocabulary of words it is one, so that words serve these languages badly.

Everything here is an object of the `tokenizers` library, so that an exported encoder has the very
same definition. `token_memory` gives the same tokens for many lines, many times as fast.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Regex
from tokenizers.normalizers import NFKC, Lowercase, Normalizer, Replace, Sequence, Strip
from tokenizers.pre_tokenizers import PreTokenizer, Split

_MARK = r"[^\w\s\p{Cc}\p{Cf}\x{2581}]"  # U+2581 is what SentencePiece writes for a space
_FIRST = r"[\w&&[^\p{M}]]"
_REST = r"[\w\x{200c}\x{200d}]"


def normalizer() -> Normalizer:
    """Return what is done to text before it is split."""
    return Sequence([NFKC(), Lowercase()])


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


_NORMALIZER, _SPLITTER = normalizer(), splitter()


def normalised(text: str) -> str:
    """Return text as it is before it is split."""
    return _NORMALIZER.normalize_str(text)


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, in order."""
    return split(normalised(text), _SPLITTER)


def split(text: str, by: PreTokenizer) -> list[str]:
    """Return what a splitter makes of normalised text."""
    return [token for token, _ in by.pre_tokenize_str(text)]
