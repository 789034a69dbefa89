"""Translation catalogues inside an archive: one JSON file per component and language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.members import naming
from tandem.corpora.readers import Placed, Reader
from tandem.errors import InputError
from tandem.files.io import MAX_DOCUMENT_BYTES, parse_json
from tandem.text.spelling import plain

MAX_DEPTH = 32
"""Most keys on the way to a string."""


class CatalogueReader(Reader):
    """The strings that both languages have, joined on (component, path of keys).

    A value's newlines and tabs become single spaces: catalogues break lines for layout, and a
    bitext has one segment a line. Strings left in the source language are yielded like any other
    (the cleaning drops them).
    """

    members: Annotated[re.Pattern[str], naming("language")]
    """Matches the names of the catalogue files, with a group `language` and, where keys are only
    unique within a component, a group `component`. Without the latter, files of one language that
    repeat a key are one catalogue."""

    def sections(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, list[Placed]]]:
        """Yield each target language with its pairs, reading the source language once.

        Sections are components or, where there are none, the first three keys.

        Raises:
            InputError: when a language has no file, or a file is not JSON of nested strings.
        """
        with open_archive(path) as archive:
            by_language: dict[str, list[tuple[str, str]]] = defaultdict(list)
            for match in filter(None, map(self.members.fullmatch, archive.names)):
                component = match.groupdict().get("component") or ""
                by_language[match["language"]].append((component, match[0]))
            for language in (source, *targets):
                if language not in by_language:
                    languages = ", ".join(sorted(by_language)) or "none"
                    problem = f"no catalogue in the language {language!r}"
                    raise InputError(path, None, problem, f"It has: {languages}")
            left = _strings(archive, by_language[source])
            for target in targets:
                right = _strings(archive, by_language[target])
                shared = [key for key in left if key in right]
                yield target, [(k[0] or ".".join(k[1:4]), left[k], right[k]) for k in shared]


def _strings(archive: Archive, members: list[tuple[str, str]]) -> dict[tuple[str, ...], str]:
    """Return the strings of one language by (component, key, key, ...)."""
    strings: dict[tuple[str, ...], str] = {}
    left = 2 * MAX_DOCUMENT_BYTES  # of all its files together
    for component, name in members:
        place = archive.place(name)
        raw = archive.read(name, min(left, MAX_DOCUMENT_BYTES))
        left -= len(raw)
        for keys, value in _walk(parse_json(raw, place), (component,)):
            if not isinstance(value, str) or len(keys) > MAX_DEPTH:
                problem = f"the value of {'.'.join(keys[1:])[:80]!r} is no string"
                raise InputError(place, None, problem, "A catalogue nests keys down to strings")
            strings.setdefault(keys, plain(value, place))
    return strings


def _walk(tree: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:  # noqa: ANN401
    """Yield (path of keys, leaf) of nested mappings; a mapping nested too deep is a leaf."""
    if isinstance(tree, Mapping) and len(keys) <= MAX_DEPTH:
        for name, branch in tree.items():
            yield from _walk(branch, (*keys, name))
    else:
        yield keys, tree
