"""The text of a training as it comes in: from files, pipes or Python; it can be read again."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, count, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from tandem.corpora.files import STDIO, Corpus, is_file
from tandem.corpora.origins import Origin
from tandem.corpora.tables import Columns
from tandem.encoders.measured import Languages, name_of
from tandem.errors import TandemError
from tandem.files.atomic import atomic_path
from tandem.files.io import sha256, write_lines
from tandem.text import Pair
from tandem.text.spelling import UNFIT, collapse
from tandem.text.values import text_pairs

T = TypeVar("T")

_COMPARED = 1000
"""Pairs of two texts that are compared."""


class Source(NamedTuple):
    """A corpus, the languages of its sides in their order, and whether it is only trained on.

    `origin` is that of text whose licence is known.
    """

    languages: Languages
    corpus: Corpus
    aside: bool = False
    origin: Origin | None = None

    def pairs(self, languages: Languages) -> Iterator[Pair]:
        """Yield its pairs in an order of the same languages."""
        pairs = self.corpus.pairs(self.languages)
        if languages == self.languages:
            yield from pairs
        else:
            yield from ((second, first) for first, second in pairs)


def apart(pairs: Iterable[Languages]) -> tuple[Languages, ...]:
    """Return pairs of languages, each once: that of the same two in the other order is the same."""
    different: dict[frozenset[str], Languages] = {}
    for languages in pairs:
        different.setdefault(frozenset(languages), languages)
    return tuple(different.values())


def described(sources: Sequence[Source]) -> dict[str, Any]:
    """Return what decides which pairs corpora have, as plain values."""
    corpora = [source.corpus for source in sources]
    files = enumerate((file for corpus in corpora for file in corpus.files), start=1)
    return {
        "text": {f"of file {number}": sha256(file) for number, file in files},
        "formats": [corpus.format for corpus in corpora],
        "columns": _choices(",".join(corpus.columns.chosen) or None for corpus in corpora),
        "header": _choices(corpus.columns.header for corpus in corpora),
        "languages": [name_of(source.languages) for source in sources],
        "only trained on": _choices(source.aside or None for source in sources),
    }


def _choices(choices: Iterable[T]) -> list[T] | None:
    """Return what was chosen for each; None where nothing was."""
    listed = list(choices)
    return None if all(choice is None for choice in listed) else listed


def files_in(sources: Iterable[Source], folder: Path) -> list[Source]:
    """Return corpora that can be read again; files that cannot are copied into the folder."""
    numbers = count(1)
    copied = []
    for source in sources:
        files = tuple(_spool(name, folder, next(numbers)) for name in source.corpus.files)
        corpus = replace(source.corpus, files=files, originals=source.corpus.files)
        copied.append(source._replace(corpus=corpus))
    return copied


def written(
    bitexts: Mapping[Languages, Iterable[Pair]],
    folder: Path,
    also: Mapping[Languages, Iterable[Pair]] = MappingProxyType({}),
) -> list[Source]:
    """Write the pairs of each pair of languages to a file, to be read again.

    `also` has pairs that are only trained on.
    """
    sources = []
    texts = [*bitexts.items(), *also.items()]
    for number, (languages, pairs) in enumerate(texts, start=1):
        aside = number > len(bitexts)
        name = "also" if aside else "pairs"
        name += "" if len(bitexts) == 1 else f" {name_of(languages)}"
        path = folder / f"pairs-{number}.tsv"
        if not write_lines(path, _rows(pairs, name)):
            problem = "there is no pair to train on"
            problem += "" if len(bitexts) == 1 else f" in {' and '.join(languages)}"
            raise TandemError(f"{problem}. Give some, in two languages")
        corpus = Corpus(name, (str(path),), "columns", Columns(header=False))
        sources.append(Source(languages, corpus, aside))
    return sources


def _rows(pairs: Iterable[object], name: str) -> Iterator[str]:
    """Yield a line for each pair; TandemError names one that no file can hold."""
    for place, pair in enumerate(text_pairs(pairs, name)):
        row = "\t".join(map(collapse, pair))
        if UNFIT.search(row):
            problem = "a NUL character or half a surrogate pair"
            raise TandemError(f"{name}[{place}] is {pair!r}, with {problem}. Remove it")
        yield row


def refuse_same_text(sources: Sequence[Source]) -> None:
    """Refuse a text that is read as that of other languages too: TandemError names both.

    A file of many languages is read as another text for each pair of them. Texts of one size are
    compared by their first pairs.
    """
    for first, second in combinations(sources, 2):
        if first.languages == second.languages or _sizes(first) != _sizes(second):
            continue
        some = [list(islice(s.corpus.pairs(s.languages), _COMPARED)) for s in (first, second)]
        if some[0] == some[1]:
            names = dict.fromkeys(source.corpus.name for source in (first, second))
            sides = [name_of(source.languages) for source in (first, second)]
            raise TandemError(
                f"{' and '.join(names)}: the same text is taken for {sides[0]} and for {sides[1]}. "
                "Give each pair of languages its own text"
            )


def _sizes(source: Source) -> list[int]:
    return [os.path.getsize(file) for file in source.corpus.files]


def _spool(name: str, folder: Path, number: int) -> str:
    """Return the path of an input; what can be read only once is copied into the folder.

    The copy is named by its number: names of pipes repeat, and could be those of the work.
    """
    if is_file(name):
        return name
    copy = folder / f"input-{number}"
    source = sys.stdin.buffer if name == STDIO else open(name, "rb")
    with source, atomic_path(copy) as temporary, open(temporary, "wb") as out:
        shutil.copyfileobj(source, out)
    return str(copy)
