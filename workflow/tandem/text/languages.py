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
    "fil": "tl", "cmn": "zh", "zh-tw": "zh-Hant", "zh-hk": "zh-Hant", "zh-cn": "zh-Hans",
    "zh-sg": "zh-Hans",
}  # fmt: skip
"""What else languages are called, in lower case."""


def spoken(codes: Collection[str]) -> list[str]:
    """Return the codes of languages, sorted, without those of special text, as en-paraphrase."""
    return sorted(code for code in codes if max(map(len, code.split("-"))) <= _LONGEST)


def meant(code: str, codes: Collection[str]) -> str | None:
    """Return which of some codes another one stands for; None: it stands for none.

    EN and en-US stand for en, zh-Hant-TW for zh-Hant, en for en-GB where there is no en, no for nb.
    None stands for a code in another script.
    """
    if code in codes:
        return code
    there = {other.casefold(): other for other in spoken(codes)}
    parts = code.strip().casefold().replace("_", "-").split("-")
    firsts = dict.fromkeys((parts[0], _OTHER.get(parts[0], parts[0])))
    wider = ["-".join([first, *parts[1:size]]) for size in range(len(parts), 0, -1)
             for first in firsts]  # fmt: skip
    for name in wider:
        for other in (name, _OTHER.get(name, name).casefold()):
            if other in there:
                return there[other]
    script = _script(_OTHER.get("-".join(parts), code))
    near = (there[o] for o in there if o.startswith(f"{parts[0]}-"))
    return next((o for o in near if not (script and _script(o)) or _script(o) == script), None)


def _script(code: str) -> str:
    """Return the script that a code names, four letters; empty: none."""
    parts = code.casefold().replace("_", "-").split("-")[1:]
    return next((part for part in parts if len(part) == 4 and part.isalpha()), "")


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
