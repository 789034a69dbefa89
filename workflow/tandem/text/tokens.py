"""Tokens: the words and marks of normalised, lower-cased text, the same for every language.

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

Python's own tables of Unicode decide. A character that is newer than they are is a mark, so that
another version of Python may divide a text that holds one differently. `segmentation.token_memory`
gives the same tokens for many lines, many times as fast; `segmentation.stock_tokenizer` states
the same rules for the `tokenizers` library.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_FIRST, _COMBINING, _JOINER, _MARK, _NONE = "acj. "
_TOKEN = re.compile(f"{_FIRST}[{_FIRST}{_COMBINING}{_JOINER}]*|[{_MARK}]")
_ROLES = dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "Pc"), _FIRST)
_ROLES |= dict.fromkeys(("Mn", "Mc", "Me"), _COMBINING)
_ROLES |= dict.fromkeys(("Cc", "Cf", "Cs", "Zs", "Zl", "Zp"), _NONE)
_JOINERS = "\u200c\u200d"
_SPACE = "\u2581"  # what SentencePiece writes for a space
# symbols by category but letters by the property Alphabetic: white in a black ring or square
_RINGED = (range(0x1F150, 0x1F16A), range(0x1F170, 0x1F18A))


class Roles(dict[int, str]):
    """The role of each character in tokens, for `str.translate`.

    With an alphabet, tokens are made of its characters, and any other separates as a space does.
    """

    def __init__(self, alphabet: Iterable[str] | None = None) -> None:
        """Start empty: characters are looked up when text first has them."""
        self._alphabet = None if alphabet is None else frozenset(alphabet)

    def __missing__(self, code: int) -> str:
        """Look a character up."""
        self[code] = role = self._role(chr(code))
        return role

    def _role(self, character: str) -> str:
        if character == _SPACE or (self._alphabet is not None and character not in self._alphabet):
            return _NONE
        if character in _JOINERS:
            return _JOINER
        if any(ord(character) in letters for letters in _RINGED):
            return _FIRST
        return _ROLES.get(unicodedata.category(character), _MARK)


_EVERY = Roles()


def normalised(text: str) -> str:
    """Return text as it is before it is split."""
    # str.lower() would make a capital sigma at the end of a word another letter
    return unicodedata.normalize("NFKC", text).replace("\u03a3", "\u03c3").lower()


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, in order."""
    return split(normalised(text))


def split(text: str, roles: Roles = _EVERY) -> list[str]:
    """Return the tokens of normalised text."""
    matches = _TOKEN.finditer(text.translate(roles))
    return [text[match.start() : match.end()] for match in matches]
