r"""The Moses tokeniser of sacremoses as a chain of replacements for the `tokenizers` library.

sacremoses rewrites a line with about a dozen regular expressions that keep what they capture. A
`Replace` of `tokenizers` writes a fixed text only, so each rule becomes an insertion: `\K` or a
lookaround stands for a group that is kept. Rules differ by language: a prompt puts a private-use
character, the sign of a language, before the text; it is moved to the end, where every rule can
look ahead to it. Text without a sign is in the default language.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from sacremoses import MosesTokenizer
from sacremoses.corpus import NonbreakingPrefixes, Perluniprops
from tokenizers import Regex
from tokenizers.normalizers import Lowercase, Normalizer, Replace

_KEPT_STOP, _MATCHED = "\U0010e000", "\U0010e001"
"""Stand for a full stop that stays, and for the end of a match."""
_APOSTROPHES = {"en": "\U0010e002", "fr": "\U0010e003", "other": "\U0010e004"}
_FIRST_SIGN = 0x10F000
_SIGNS = r"\x{10f000}-\x{10ffff}"
_SCRIPTS = {"zh": ["Han"], "ja": ["Hiragana", "Katakana", "Han"], "ko": ["Hangul"]}
_FINAL_SIGMA = "\\p{Cased}\\p{Case_Ignorable}*\\K\u03a3(?!\\p{Case_Ignorable}*\\p{Cased})"
_NUMERIC = " #NUMERIC_ONLY#"


@dataclass(frozen=True)
class Rules:
    """What the rules of one language depend on.

    Attributes:
        apostrophe: en, fr (French and Italian) or other.
        prefixes: words after which a full stop stays.
        numeric: words after which it stays if a digit follows.
        letters: letters beside those of every language.
    """

    apostrophe: str
    prefixes: frozenset[str]
    numeric: frozenset[str]
    letters: frozenset[str]

    @classmethod
    @cache
    def of(cls, language: str) -> Rules:
        """Return the rules of a language (ISO 639-1, a region may follow)."""
        language = language.split("-")[0]
        words = [word.strip() for word in NonbreakingPrefixes().words(language)]
        numeric = frozenset(word.removesuffix(_NUMERIC) for word in words if _NUMERIC in word)
        prefixes = frozenset(word for word in words if " " not in word) - numeric
        kind = {"en": "en", "fr": "fr", "it": "fr"}.get(language, "other")
        letters = _listed(*_SCRIPTS.get(language, []))
        return cls(kind, prefixes, numeric, letters)


def signs(languages: Sequence[str], default: str) -> dict[str, str]:
    """Return the text to put before a sentence of each language: nothing for the default's rules.

    Languages with the same rules share a sign.
    """
    known = {Rules.of(default): ""}
    for language in languages:
        known.setdefault(Rules.of(language), chr(_FIRST_SIGN + len(known)))
    return {language: known[Rules.of(language)] for language in languages}


def moses_lowercase(languages: Sequence[str], default: str) -> list[Normalizer]:
    """Return the normalisers that tokenise as Moses does and lower-case.

    The outcome is the tokens of `segmentation.tokenization`, lower-cased, single spaces between.
    """
    sign = signs(languages, default)
    rules = {sign[language]: Rules.of(language) for language in languages}
    rules[""] = Rules.of(default)
    return [
        *_clean(),
        *(_put(rf"\A{mark}.*\K\z", mark) for mark in rules if mark),
        _put(rf"\A[{_SIGNS}]", ""),
        *_separate(rules),
        *_commas(),
        *_apostrophes(rules),
        *_full_stops(rules),
        _put(rf"[{_SIGNS}]\z", ""),
        _put(r"\.' *\z", " . '"),
        _put(r" {2,}", " "),
        _put(r"\A | \z", ""),
        _put(_FINAL_SIGMA, "\u03c2"),  # as str.lower does
        Lowercase(),
    ]


def _clean() -> list[Normalizer]:
    """One space for white space; no control characters; nothing at the ends."""
    return [
        _put(f"[{ranges(_where(str.isspace))}]+", " "),
        _put(r"[\x00-\x1f]", ""),
        _put(rf"(?:\A[{_SIGNS}]?\K +)| +\z", ""),
    ]


def _separate(rules: dict[str, Rules]) -> list[Normalizer]:
    """Spaces around every character that is no letter, digit or . ' ` , - and around dots."""
    alphanumeric = frozenset(MosesTokenizer.IsAlnum)
    special = frozenset().union(*(rule.letters for rule in rules.values())) - alphanumeric
    other = rf"[^{ranges(alphanumeric | special)} .'`,\-{_SIGNS}]"
    steps = [_put(rf"(?={other})", " "), _put(rf"(?<={other})", " ")]
    for letters in _distinct(rule.letters for rule in rules.values()):
        if strange := ranges(special - letters):
            when = _when(rules, lambda rule, letters=letters: rule.letters == letters)
            steps += [_put(rf"(?=[{strange}]){when}", " "), _put(rf"(?<=[{strange}]){when}", " ")]
    return [*steps, _put(r"(?<!\.)(?=\.\.)", " "), _put(r"(?<=\.\.)(?!\.)", " ")]


def _commas() -> list[Normalizer]:
    """Spaces around a comma, unless between digits."""
    digit = ranges(MosesTokenizer.IsN)
    return [
        _put(rf"[^{digit}]\K,", " , "),
        _put(rf",(?=[^{digit}{_SIGNS}])", " , "),
        _put(rf"(?<=[{digit}]),(?=[{_SIGNS}]?\z)", " , "),
    ]


def _apostrophes(rules: dict[str, Rules]) -> list[Normalizer]:
    """The rules of English, of French and Italian, and of all others."""
    steps = []
    kinds = _distinct(rule.apostrophe for rule in rules.values())
    for kind in kinds:
        when = _when(rules, lambda rule, kind=kind: rule.apostrophe == kind)
        steps.append(_put(f"'{when}", _APOSTROPHES[kind]))
    for kind in kinds:
        if kind == "other":
            steps.append(_put(_APOSTROPHES[kind], " ' "))
        else:
            steps += _joined(_APOSTROPHES[kind], kind)
    return steps


def _joined(mark: str, kind: str) -> list[Normalizer]:
    """The apostrophe rules of English or of French and Italian, in the order of sacremoses.

    There a match uses up the character after the apostrophe, which then cannot stand before the
    next one. Where that matters, the ends of the matches are marked first.
    """
    alpha, digit = ranges(MosesTokenizer.IsAlpha), ranges(MosesTokenizer.IsN)
    letter, other, after = f"[{alpha}]", f"[^{alpha}]", f"[^{alpha}{_SIGNS}]"
    before = f"[^{alpha}{digit}]" if kind == "en" else other
    found = f"{mark}(?=.{_MATCHED})"
    steps = [
        _put(rf"{other}{mark}{after}\K", _MATCHED),
        _put(found, " ' "),
        _put(_MATCHED, ""),
        _put(rf"(?<={before}){mark}(?={letter})", " ' "),
        _put(rf"(?<={letter}){mark}(?={after})", " ' "),
        _put(rf"{letter}{mark}{letter}\K", _MATCHED),
        _put(found, " '" if kind == "en" else "' "),
        _put(_MATCHED, ""),
    ]
    if kind == "en":
        steps.append(_put(rf"(?<=[{digit}]){mark}(?=s)", " '"))
    return [*steps, _put(mark, "'")]


def _full_stops(rules: dict[str, Rules]) -> list[Normalizer]:
    """A space before the full stop that ends a token, unless the token or the next one keeps it."""
    letters = ranges(frozenset(MosesTokenizer.IsAlpha) | _listed(*sum(_SCRIPTS.values(), [])))
    digit, end = f"(?= +[{ranges(_where(str.isdigit))}])", f"(?![^ {_SIGNS}])"
    steps = [
        _put(rf"(?<![^ ])(?=[^ ]*[{letters}])[^ ]*\.[^ ]*\K\.{end}", _KEPT_STOP),
        _put(rf"(?<=[^ .])\.(?= +[{ranges(_where(str.islower))}])", _KEPT_STOP),
    ]
    for kept, after in (("prefixes", end), ("numeric", digit)):
        for words in _distinct(getattr(rule, kept) for rule in rules.values()):
            when = _when(rules, lambda rule, k=kept, w=words: getattr(rule, k) == w)
            either = "|".join(map(re.escape, sorted(words)))
            if words:
                steps.append(_put(rf"(?<![^ ])(?:{either})\K\.{after}{when}", _KEPT_STOP))
    return [*steps, _put(rf"(?<=[^ .])\.{end}", " ."), _put(_KEPT_STOP, ".")]


def _when(rules: dict[str, Rules], holds: Callable[[Rules], bool]) -> str:
    """Return a condition that is met where the text's language has rules for which `holds`."""
    chosen = [sign for sign, rule in rules.items() if holds(rule)]
    if len(chosen) == len(rules):
        return ""
    if "" in chosen:
        return f"(?!.*[{ranges(''.join(rules.keys() - set(chosen)))}]\\z)"
    return f"(?=.*[{ranges(''.join(chosen))}]\\z)"


def _distinct(values: Iterable) -> list:  # noqa: ANN401
    return list(dict.fromkeys(values))


def _put(pattern: str, text: str) -> Normalizer:
    return Replace(Regex(pattern), text)


def _listed(*categories: str) -> frozenset[str]:
    """Return the characters of sacremoses' lists."""
    return frozenset(char for name in categories for char in Perluniprops().chars(name))


@cache
def _where(kind: Callable[[str], bool]) -> frozenset[str]:
    """Return the characters for which a method of `str` is true."""
    return frozenset(filter(kind, map(chr, range(sys.maxunicode + 1))))


def ranges(characters: Iterable[str]) -> str:
    """Return the inside of a character class: the code points as ranges."""
    parts: list[list[int]] = []
    for code in sorted(map(ord, set(characters))):
        if parts and code == parts[-1][1] + 1:
            parts[-1][1] = code
        else:
            parts.append([code, code])
    return "".join(rf"\x{{{low:x}}}-\x{{{high:x}}}" for low, high in parts)
