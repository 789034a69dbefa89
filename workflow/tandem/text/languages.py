"""Codes of languages: which one is meant by another, and lists of them in messages."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

_LONGEST = 8
"""Characters of the longest part that a code may have (BCP 47)."""
_LISTED = 12
"""Most codes that a message lists."""
_OTHER = {
    "no": "nb", "nb": "no", "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "sh": "sr",
    "fil": "tl", "cmn": "zh", "zh-tw": "zh-Hant", "zh-hk": "zh-Hant",
}  # fmt: skip
"""What else languages are called, in lower case."""


def spoken(codes: Collection[str]) -> list[str]:
    """Return the codes of languages, sorted, without those of special text, as en-paraphrase."""
    return sorted(code for code in codes if max(map(len, code.split("-"))) <= _LONGEST)


def meant(code: str, codes: Collection[str]) -> str | None:
    """Return which of some codes another one stands for; None: it stands for none.

    EN and en-US stand for en, zh-Hant-TW for zh-Hant, en for en-GB where there is no en, no for nb.
    """
    there = {other.casefold(): other for other in spoken(codes)}
    plain = code.strip().casefold().replace("_", "-")
    parts = plain.split("-")
    wider = ["-".join(parts[:size]) for size in range(len(parts), 0, -1)]
    for name in wider:
        for other in (name, _OTHER.get(name, name).casefold()):
            if other in there:
                return there[other]
    return next((there[other] for other in there if other.startswith(f"{parts[0]}-")), None)


def remedy(code: str, codes: Collection[str]) -> str:
    """Return which codes there are in place of another, in words, and which one may be meant."""
    words = f"this one knows {listed(codes)}"
    if other := meant(code, codes):
        return f"{words}. Give {other}, which {code} stands for"
    near = [other for other in spoken(codes) if other[0] == code[:1].casefold()]
    if alike := get_close_matches(code.casefold(), near, n=1, cutoff=0.7):
        return f"{words}. Is {alike[0]} meant?"
    return f"{words}. Give one of these"


def listed(codes: Collection[str]) -> str:
    """Return some codes in words: the first ones, and how many others there are."""
    names = spoken(codes) or sorted(codes)
    more = len(names) - _LISTED
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:_LISTED])} and {more} others"
