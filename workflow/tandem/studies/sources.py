"""Corpora that a study names by patterns: `freedict-*`, or `!wordnet`, all but one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any


def matched(patterns: Sequence[str], names: Collection[str]) -> list[str]:
    """Return the names that patterns choose, each once, in the order of the patterns.

    `*` and `?` stand for any characters and for any character. After `!`, a pattern leaves out what
    it matches; if the first one does, it does so from all names. A pattern that matches nothing is
    itself returned, so that it is refused as a name would be.
    """
    chosen: list[str] = list(names) if patterns and patterns[0].startswith("!") else []
    for pattern in patterns:
        bare = pattern.removeprefix("!")
        matches = [name for name in names if fnmatchcase(name, bare)]
        if pattern.startswith("!") and matches:
            chosen = [name for name in chosen if name not in matches]
        else:
            chosen += matches or [pattern]
    return list(dict.fromkeys(chosen))


def with_sources(values: Mapping[str, Any], datasets: Collection[str]) -> dict[str, Any]:
    """Return the values of a study, the corpora of its collections and settings in full.

    A collection chooses from all that are registered, a setting from those of its collection. What
    is no list of names is left for validation to refuse.
    """
    collections = {
        name: _filled(entry, "sources", datasets) for name, entry in _entries(values, "collections")
    }
    for name, entry in list(collections.items()):
        if isinstance(entry, Mapping) and isinstance(entry.get("whole"), Mapping):
            whole = entry["whole"]
            for split in whole:
                whole = _filled(whole, split, _names(entry, "sources"))
            collections[name] = {**entry, "whole": whole}
    settings = {
        name: _filled(entry, "sources", _names(collections.get(_corpus(entry)), "sources"))
        for name, entry in _entries(values, "settings")
    }
    filled = {"collections": collections, "settings": settings}
    return {**values, **{key: entries for key, entries in filled.items() if entries}}


def _entries(values: Mapping[str, Any], section: str) -> list[tuple[str, Any]]:
    entries = values.get(section)
    return list(entries.items()) if isinstance(entries, Mapping) else []


def _corpus(setting: Any) -> str:  # noqa: ANN401  (whatever a file holds)
    return str(setting.get("corpus")) if isinstance(setting, Mapping) else ""


def _names(entry: Any, key: str) -> list[str]:  # noqa: ANN401
    names = entry.get(key) if isinstance(entry, Mapping) else None
    return list(names) if isinstance(names, list) else []


def _filled(entry: Any, key: str, names: Collection[str]) -> Any:  # noqa: ANN401
    """Return an entry with the patterns of one of its keys in full."""
    patterns = _names(entry, key)
    if not patterns or not all(isinstance(pattern, str) for pattern in patterns):
        return entry
    return {**entry, key: matched(patterns, names)}
