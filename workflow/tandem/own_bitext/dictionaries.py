"""Dictionaries of two languages, fetched as registered: text that is only trained on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from tandem.corpora.fetch import fetch
from tandem.corpora.files import Corpus
from tandem.corpora.register import DICTIONARIES, Dataset, load_register
from tandem.corpora.tables import Columns
from tandem.encoders.measured import Languages, name_of
from tandem.errors import TandemError
from tandem.files.io import write_lines
from tandem.own_bitext.inputs import Source
from tandem.text.spelling import collapse

CACHE = "TANDEM_CACHE"
"""The environment variable with the folder of what is downloaded; else it is ~/.cache/tandem."""


def dictionaries(languages: Languages) -> list[Dataset]:
    """Return the dictionaries of two languages that are registered."""
    return [entry for entry in _register() if set(languages) <= set(entry.languages)]


@cache
def _register() -> list[Dataset]:
    """Return the dictionaries that are registered, but for parts of others."""
    return [entry for entry in load_register(DICTIONARIES).values() if not entry.only]


def dictionary_sources(
    pairs: Sequence[Languages], tell: Callable[[str], object], mirror: str | None = None
) -> list[Source]:
    """Fetch the dictionaries of some pairs of languages, and return their pairs as text.

    Downloads are kept in the cache, verified by their hashes; `mirror` is a folder that has them.
    What cannot be fetched is left out, and `tell` is called with the reason.

    Raises:
        TandemError: none is registered of a pair, or none of it could be fetched.
    """
    return [source for languages in pairs for source in _of(languages, tell, mirror)]


def _of(
    languages: Languages, tell: Callable[[str], object], mirror: str | None
) -> Iterator[Source]:
    entries, failures = dictionaries(languages), 0
    if not entries:
        has = sorted({code for e in _register() for code in e.languages})
        problem = f"no dictionary of {languages[0]} and {languages[1]} is registered"
        listed = ", ".join(code for code in has if code != "en")
        raise TandemError(f"{problem}. There are of English and {listed}")
    for entry in entries:
        folder = downloads_folder() / entry.name
        try:
            path = fetch(entry, folder, mirror)
        except TandemError as error:
            failures += 1
            tell(f"warning: the dictionary {entry.name} is left out: {error}")
            continue
        table = folder / f"{'-'.join(languages)}.tsv"
        count = write_lines(table, _rows(entry.pairs(path, *languages)))
        tell(f"{count:,} entries of {entry.name} ({entry.licence})")
        corpus = Corpus(entry.name, (str(table),), "columns", Columns(header=False))
        yield Source(languages, corpus, aside=True, origin=entry.origin)
    if failures == len(entries):
        raise TandemError(f"no dictionary of {name_of(languages)} could be fetched; see above")


def _rows(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    return ("\t".join(map(collapse, pair)) for pair in pairs)


def downloads_folder() -> Path:
    """Return the folder of what is downloaded."""
    if folder := os.environ.get(CACHE):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tandem"
