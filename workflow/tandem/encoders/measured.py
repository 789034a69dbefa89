"""What training measured of an encoder, in its languages: how it stands in the metadata.

A training on pairs of two languages writes `languages` [first, second], `text` and `quality`. One
on more writes a list of such languages, and `text` and `quality` hold a part for each of them, by
its name, such as "en de". So does `quality` once an encoder of two languages was calibrated in
others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Languages = tuple[str, str]
"""Codes of the two sides."""


def name_of(languages: Iterable[str]) -> str:
    """Return the name of two languages, as `--languages` has them; no code has a space."""
    return " ".join(languages)


def is_joint(metadata: Mapping[str, Any]) -> bool:
    """Tell whether an encoder was trained on several pairs of languages."""
    languages = metadata.get("languages")
    return isinstance(languages, list) and any(not isinstance(entry, str) for entry in languages)


def parts(metadata: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return what `text` or `quality` holds, by names of languages; "" where it is of two alone.

    Metadata may be anybody's: what is no mapping there is left out.
    """
    whole = metadata.get(key)
    whole = whole if isinstance(whole, Mapping) else {}
    # what stands there of two languages has keys of one word, such as thresholds
    by_name = is_joint(metadata) or (whole and all(" " in str(name) for name in whole))
    named = whole if by_name else {"": whole}
    return {name: part for name, part in named.items() if isinstance(part, Mapping)}


def qualities(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was measured, by names of languages; "" where it is not known in which."""
    named = parts(metadata, "quality")
    if alone := named.pop("", None):
        # of a calibration, which may be in others than those of training; else of training
        languages = alone.get("languages") or metadata.get("languages")
        named[name_of(map(str, languages)) if isinstance(languages, list) else ""] = alone
    return named


def quality_in(metadata: Mapping[str, Any], languages: Sequence[str]) -> Mapping[str, Any]:
    """Return what was measured in two languages, in whatever order; empty if nothing was.

    What was measured in languages that are not known is returned for all.
    """
    named = qualities(metadata)
    names = "", name_of(languages), name_of([*languages][::-1])
    return next((named[name] for name in names if name in named), {})


def with_quality(
    metadata: Mapping[str, Any], languages: Sequence[str], quality: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what `quality` is to hold once two languages were measured anew."""
    others = qualities(metadata)
    for name in ("", name_of(languages), name_of([*languages][::-1])):
        others.pop(name, None)
    if not (others or is_joint(metadata)):
        return dict(quality)
    return others | {name_of(languages): dict(quality)}
