"""What counts as the same text, as a word and as a plain line."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache
from pathlib import Path

from tandem.errors import InputError

# Scripts written without spaces: Han, kana, Thai, Lao, Myanmar, Khmer, and their punctuation.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef"
)
UNFIT = re.compile("[\0\ud800-\udfff]")
"""Characters that no text file can hold: NUL, and halves of surrogate pairs."""
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_WORD = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]+")


def collapse(text: str) -> str:
    """Return `text` on one line: every run of white space (newlines, U+2028, tabs) is one space."""
    return " ".join(text.split())


def plain(text: str, path: str | Path) -> str:
    """Collapse white space; InputError on a NUL or a lone surrogate: no text file can hold it."""
    if UNFIT.search(text):
        problem = f"a NUL character or half a surrogate pair in {text[:40]!r}"
        raise InputError(path, None, problem, "Remove it")
    return collapse(text)


def word_count(text: str) -> int:
    """Count words: runs without white space; two characters a word in scripts without spaces."""
    if text.isascii() or not _HAS_UNSPACED.search(text):
        return len(text.split())
    return len(_WORD.findall(text))


def key(text: str) -> int:
    """Return 64 bits that agree for texts that differ only in case and white space.

    Among n different texts any two share a key with probability n^2 / 2^65: 7e-5 for 50 million.
    """
    return exact_key(collapse(text).casefold())


def same(left: str, right: str) -> bool:
    """Tell whether texts differ in nothing but case and white space: a copy is no translation."""
    return left == right or collapse(left).casefold() == collapse(right).casefold()


@cache
def _between_words() -> re.Pattern[str]:
    """Return a pattern for runs of characters other than letters, marks and digits.

    Characters beyond the first 65,536 count as letters: a class with one of them matches slowly.
    """
    others = (c for c in map(chr, range(0x10000)) if unicodedata.category(c)[0] not in "LMN")
    return re.compile(f"[{re.escape(''.join(others))}]+")


def bare_key(text: str) -> int:
    """Return 64 bits that agree for texts of the same words, whatever case and punctuation."""
    return exact_key(_between_words().sub(" ", text.casefold()).strip())


def exact_key(text: str) -> int:
    """Return 64 bits that agree for identical texts only."""
    encoded = text.encode("utf-8", "surrogatepass")  # programs hand over what no file can hold
    return int.from_bytes(hashlib.blake2b(encoded, digest_size=8).digest(), "little")


_BEFORE, _AFTER = re.compile(r" ([.,;:!?%)\]}”’…]+)(?= |$)"), re.compile(r"(^| )([(\[{“‘]+) ")


def unspaced(text: str) -> str:
    """Return a text of words and marks, with a space between all, without those that are not set.

    No space stands before a full stop, or after an opening bracket. Straight quotes, which open and
    close, keep theirs.
    """
    return _AFTER.sub(r"\1\2", _BEFORE.sub(r"\1", text))
