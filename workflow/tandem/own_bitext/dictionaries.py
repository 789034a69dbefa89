"""Dictionaries of two languages, fetched as registered: text that is only trained on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

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

    Downloads are kept in the cache, verified by their hashes; `mirror` is a folder that has them,
    or the address of one. What cannot be had is left out, and `tell` is called with the reason.

    Raises:
        TandemError: no pair has a dictionary, or none could be fetched; the mirror is no folder, or
            the cache is none that can be written to.
    """
    if mirror is not None and not urlsplit(mirror).scheme and not Path(mirror).is_dir():
        raise TandemError(f"--mirror {mirror}: no such folder. Name one, or leave the option out")
    registered = [languages for languages in pairs if dictionaries(languages)]
    if not registered:
        raise TandemError(_unregistered(pairs))
    if others := [languages for languages in pairs if languages not in registered]:
        tell(f"warning: {_unregistered(others)}")
    cache = _writable(downloads_folder())
    sources = [source for languages in registered for source in _of(languages, tell, mirror, cache)]
    if not sources:
        names = ", ".join(map(name_of, registered))
        raise TandemError(f"no dictionary of {names} could be fetched; see above")
    return sources


def _unregistered(pairs: Sequence[Languages]) -> str:
    """Return that no dictionary of some pairs of languages is registered, and which are."""
    has = sorted({code for entry in _register() for code in entry.languages} - {"en"})
    names = ", nor of ".join(" and ".join(languages) for languages in pairs)
    return f"no dictionary of {names} is registered. There are of English and {', '.join(has)}"


def _of(
    languages: Languages, tell: Callable[[str], object], mirror: str | None, cache: Path
) -> Iterator[Source]:
    for entry in dictionaries(languages):
        folder = cache / entry.name
        try:
            path = fetch(entry, folder, mirror)
        except TandemError as error:
            tell(f"warning: the dictionary {entry.name} is left out: {error}")
            continue
        table = folder / f"{'-'.join(languages)}.tsv"
        count = write_lines(table, _rows(entry.pairs(path, *languages)))
        tell(f"{count:,} entries of {entry.name} ({entry.licence})")
        corpus = Corpus(entry.name, (str(table),), "columns", Columns(header=False))
        yield Source(languages, corpus, aside=True, origin=entry.origin)


def _rows(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    return ("\t".join(map(collapse, pair)) for pair in pairs)


def downloads_folder() -> Path:
    """Return the folder of what is downloaded."""
    if folder := os.environ.get(CACHE):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tandem"


def _writable(folder: Path) -> Path:
    """Make the folder of downloads; TandemError where nothing can be written there."""
    reason: str | None = "it is not writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    except OSError as error:
        reason = error.strerror
    place = f"{CACHE}={folder}" if os.environ.get(CACHE) else str(folder)
    problem = f"{place}: dictionaries cannot be kept there ({reason})"
    raise TandemError(f"{problem}. Set {CACHE} to a folder that you may write to")
