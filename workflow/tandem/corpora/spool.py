"""Pairs of sources that pass the filters, on disk until it is known what is held out and repeated.

A file for each part: `<source>.<left>.<right>.tsv`, the section, a key of the pivot's text, the
left and the right text; and beside it `<source>.<left>.<right>.npy`, a key of each pair, uint64,
and later whether the pair is new, bool.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, compress, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.readers import Placed
from tandem.corpora.settings import Collection
from tandem.files.io import read_lines, write_lines
from tandem.filtering.clean import refusal
from tandem.filtering.kinds.ratio import MEASURED
from tandem.text.spelling import collapse, exact_key

Source = Iterable[tuple[str, Iterable[Placed]]]
"""Languages of one corpus, each with its pairs: the pivot's text is on the left."""

Row = tuple[str, str, str, str]
"""Section, text of the pivot, left text, right text."""


def spool(
    name: str, languages: Source, settings: Collection, folder: Path
) -> tuple[list[Path], Counter[str]]:
    """Write the pairs of a source that pass, a file for each part.

    Returns the files in the order of the languages, and how many pairs each filter removed.

    Memory: one language, and all versions of the pivot.
    """
    files: list[Path] = []
    removed, pivot = Counter[str](), settings.pivot
    versions: dict[str, dict[tuple[str, str], str]] = {}

    def write(rows: Iterable[Row], left: str, right: str) -> None:
        files.append(folder / f"{name}.{left}.{right}.tsv")
        keys = array("Q")
        write_lines(files[-1], _clean(rows, settings, keys, removed))
        np.save(files[-1].with_suffix(".npy"), np.frombuffer(keys, np.uint64))

    for language, placed in languages:
        rows: Iterable[Placed] = (
            (collapse(section), collapse(left), collapse(right)) for section, left, right in placed
        )
        if language.startswith(f"{pivot}-"):  # versions of the pivot are paired in memory
            rows = list(rows)
            versions[language] = {(section, left): right for section, left, right in rows}
        write(((section, left, left, right) for section, left, right in rows), pivot, language)
    for first, second in combinations(sorted(versions), 2):
        others = versions[second]
        write(
            (
                (section, text, left, others[section, text])
                for (section, text), left in versions[first].items()
                if (section, text) in others
            ),
            first,
            second,
        )
    return files, removed


def _clean(
    rows: Iterable[Row], settings: Collection, keys: array[int], removed: Counter[str]
) -> Iterator[str]:
    """Yield the rows that pass the filters as lines; add the keys of their pairs."""
    rows = iter(rows)
    first = list(islice(rows, MEASURED))
    pairs = [(left, right) for _, _, left, right in first]
    cleaning = {k: kind.fitted(pairs) for k, kind in settings.cleaning.items()}
    for section, pivot, left, right in chain(first, rows):
        refused = refusal(left, right, cleaning)
        if refused is None:
            keys.append(exact_key(f"{left}\t{right}"))
            yield f"{section}\t{exact_key(pivot.casefold()):016x}\t{left}\t{right}"
        else:
            removed[refused] += 1


class Repetitions:
    """Finds pairs that an earlier line has, of whatever source in the same two languages.

    Memory: 8 bytes for each pair.
    """

    def __init__(self) -> None:
        """Know no pair."""
        self._earlier: dict[tuple[str, ...], list[NDArray[np.uint64]]] = defaultdict(list)

    def mark(self, path: Path) -> int:
        """Keep the marks of a file's new pairs in place of their keys; return how many are old."""
        place = path.with_suffix(".npy")
        keys = np.load(place)
        _, *languages = path.stem.rsplit(".", 2)
        earlier = self._earlier[tuple(languages)]
        new = np.zeros(len(keys), bool)
        new[np.unique(keys, return_index=True)[1]] = True
        for before in earlier:
            new &= ~np.isin(keys, before)
        earlier.append(keys[new])
        np.save(place, new)
        return len(keys) - int(new.sum())


def new_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file whose pairs are new."""
    return compress(read_lines(path), np.load(path.with_suffix(".npy")))
