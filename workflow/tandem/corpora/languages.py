"""Names of languages as files have them: en, en-US, en_us, English."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.text import language_of

_ENGLISH = dict(
    zip(*[iter(
        "arabic ar bengali bn bulgarian bg catalan ca chinese zh croatian hr czech cs danish da "
        "dutch nl english en estonian et finnish fi french fr german de greek el hebrew he "
        "hindi hi hungarian hu icelandic is indonesian id irish ga italian it japanese ja "
        "korean ko latvian lv lithuanian lt macedonian mk malay ms maltese mt norwegian no "
        "persian fa polish pl portuguese pt romanian ro russian ru serbian sr slovak sk "
        "slovenian sl spanish es swahili sw swedish sv tamil ta thai th turkish tr "
        "ukrainian uk urdu ur vietnamese vi welsh cy".split()
    )] * 2, strict=True)
)  # fmt: skip
"""Codes of languages by their English names, as head lines of tables have them."""
ROLES = (
    ("source", "src", "sentence1", "first", "text1"),
    ("target", "tgt", "trg", "sentence2", "second", "text2"),
)
"""What else the columns of both sides may be called, in any case."""


def code(mark: str) -> str:
    """Return a mark with case, white space and `_` for `-` aside; a name becomes its code."""
    plain = mark.strip().casefold().replace("_", "-")
    return _ENGLISH.get(plain, plain)


def is_language(mark: str) -> bool:
    """Tell whether a mark is the code or the English name of a language that is listed here."""
    return language_of(code(mark)) in _ENGLISH.values()


def same_language(first: str, second: str) -> bool:
    """Tell whether two marks name one language, perhaps of different places."""
    return language_of(code(first).partition("@")[0]) == language_of(code(second).partition("@")[0])


def closest(marks: Sequence[str], languages: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the places of the marks of two languages, which are two: no text is its own other.

    A mark of the same code is taken before one whose first part is the language: `en` takes en-US
    where there is no en, or where the other language has it; `en-US` takes nothing that is marked
    `en`. Of several the first is taken; None: there is none.
    """
    places: list[int | None] = [None, None]
    wanted, codes = [code(language) for language in languages], [code(mark) for mark in marks]
    for level in (codes, [language_of(mark) for mark in codes]):
        for side in (0, 1):
            if places[side] is None:
                free = (n for n, mark in enumerate(level) if n not in places)
                places[side] = next((n for n in free if level[n] == wanted[side]), None)
    return places[0], places[1]


def sides(names: Sequence[str], languages: Sequence[str]) -> tuple[int, int] | None:
    """Return the places of two languages among names of columns, else of names in ROLES.

    None: the names have neither, so they may be text.
    """
    first, second = closest(names, languages)
    if first is not None and second is not None:
        return first, second
    return sentences(names)


def sentences(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the places of both sides among names of columns, by ROLES; None: they name neither."""
    plain = [code(name) for name in names]
    places = [next((plain.index(r) for r in roles if r in plain), None) for roles in ROLES]
    return None if None in places else (places[0], places[1])  # type: ignore[return-value]
