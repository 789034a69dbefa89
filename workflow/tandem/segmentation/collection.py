"""A collection as ids: a vocabulary of all its languages, and the training pairs of either kind.

    segmenter/                       the vocabulary
    <kind>.{left,right}.*.npy        the sentences' ids, see `ragged`; kinds are below
    <kind>.keys.npy                  (pairs,) int64, equal for pairs that mean the same
    <kind>.passes.npy                (pairs,) float32, how often an epoch draws each
    parts.json                       the parts, with the pairs and passes of each

Pairs of two languages and pairs of two versions of one language are separate kinds, since their
negatives follow different rules.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain, compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.collection import Part, read_parts
from tandem.corpora.sample import ranks
from tandem.errors import TandemError
from tandem.files.io import read_lines, write_json, write_lines
from tandem.progress import progress_bar
from tandem.segmentation.ragged import Ragged, save_array, save_stream
from tandem.segmentation.segmentation import Segmentation, batches
from tandem.segmentation.segmenter import Segmenter, learn

KINDS = ("bilingual", "monolingual")


class Drawn(NamedTuple):
    """A part of a collection, which of its training pairs are drawn, (pairs,), and their file."""

    part: Part
    rows: NDArray[np.bool_]
    path: Path


class Balance(NamedTuple):
    """How often an epoch draws the pairs of a part.

    `temperature`: see `balanced`; `weights`: for corpora, or patterns of them, the factor by which
    their pairs are drawn more often; the first pattern that matches counts.
    """

    temperature: float = 1
    weights: Mapping[str, float] = {}

    def passes(self, drawn: Sequence[Drawn]) -> list[float]:
        """Return how often an epoch draws the pairs of each part."""
        passes = balanced((int(sample.rows.sum()) for sample in drawn), self.temperature)
        sources = (sample.part.source for sample in drawn)
        factors = (
            next((w for pattern, w in self.weights.items() if fnmatchcase(source, pattern)), 1)
            for source in sources
        )
        return [float(p) * factor for p, factor in zip(passes, factors, strict=True)]


def draw(folder: Path, parts: Iterable[Part], pairs: int | None, seed: int) -> list[Drawn]:
    """Draw `pairs` training pairs from some parts, in proportion to their sizes; None: all.

    Each pair has a rank, a hash of its text and the seed, and the lowest are drawn, so a small
    sample is part of a larger one. Memory: 8 bytes a pair.

    Raises:
        TandemError: there are fewer.
    """
    parts = list(parts)
    paths = [part.path(folder, "train") for part in parts]
    sizes = read_parts(folder)
    total = sum(sizes[part]["train"] for part in parts)
    if total < (pairs or 1):
        raise TandemError(
            f"{folder} has {total:,} training pairs of these parts, not {pairs or 1:,}"
        )
    if pairs is None:  # no text need be read
        rows = [np.ones(sizes[part]["train"], bool) for part in parts]
    else:
        hashes = [ranks(read_lines(path), seed) for path in paths]
        bound = np.partition(np.concatenate(hashes), pairs - 1)[pairs - 1]
        rows = [part_hashes <= bound for part_hashes in hashes]
    return [Drawn(*fields) for fields in zip(parts, rows, paths, strict=True)]


def balanced(sizes: Iterable[int], temperature: float) -> NDArray[np.float64]:
    """Return how often an epoch draws the pairs of parts of these sizes, (parts,).

    A part has a share of the epoch in proportion to its size to the power of 1 / temperature
    (Devlin, 2018, "Multilingual BERT"; Arivazhagan et al., 2019, section 4.2); an epoch has as
    many pairs as all parts together.
    """
    counts = np.array(list(sizes), np.float64)
    shares = counts ** (1 / temperature)
    return shares / shares.sum() * counts.sum() / np.maximum(counts, 1)


def segment_collection(
    drawn: list[Drawn],
    segmentation: Segmentation,
    learned_from: int,
    balance: Balance,
    folder: Path,
    segmenter: Segmenter | None = None,
) -> Segmenter:
    """Write the files that the head of this module lists into an existing folder.

    Args:
        drawn: the pairs to train on.
        learned_from: how many pairs the vocabulary is learned from, drawn as an epoch draws them.
        balance: how often an epoch draws the pairs of each part.
        segmenter: one to use as it is and to copy; None: one is learned.

    Raises:
        TandemError: the segmenter does not know a language of the pairs.
    """
    passes = balance.passes(drawn)
    copies = folder / "drawn"
    copies.mkdir()
    drawn = [_copied(sample, copies / str(number)) for number, sample in enumerate(drawn)]
    (folder / "segmenter").mkdir()
    if segmenter is None:
        texts = _vocabulary_texts(drawn, passes, learned_from)
        segmenter = learn(segmentation, texts, folder / "segmenter")
    else:
        segmenter.save(folder / "segmenter")
    parts = [
        part
        for kind in KINDS
        for part in _write_kind(kind, list(zip(drawn, passes, strict=True)), segmenter, folder)
    ]
    write_json(folder / "parts.json", {**balance._asdict(), "parts": parts})
    shutil.rmtree(copies)
    return segmenter


def _write_kind(
    kind: str, samples: list[tuple[Drawn, float]], segmenter: Segmenter, folder: Path
) -> list[dict[str, Any]]:
    """Write the arrays of the pairs of a kind; return what parts.json says of them.

    Each sample comes with how often an epoch draws its pairs.
    """
    samples = [
        (sample, times)
        for sample, times in samples
        if sample.part.monolingual == (kind == "monolingual") and sample.rows.any()
    ]
    for column, side in ((1, "left"), (2, "right")):
        ids = _segmented([sample for sample, _ in samples], segmenter, column)
        save_stream(folder / f"{kind}.{side}", ids, len(segmenter) - 1)
    keys = (_keys(sample) for sample, _ in samples)
    save_array(folder / f"{kind}.keys.npy", keys, np.int64)
    repeated = (np.full(sample.rows.sum(), times) for sample, times in samples)
    save_array(folder / f"{kind}.passes.npy", repeated, np.float32)
    return [
        {"kind": kind, **sample.part._asdict()}
        | {"pairs": int(sample.rows.sum()), "passes": round(times, 4)}
        for sample, times in samples
    ]


def _copied(sample: Drawn, path: Path) -> Drawn:
    """Copy the drawn lines of a part, unless all are drawn: they are read five times."""
    if sample.rows.all():
        return sample
    count = write_lines(path, compress(read_lines(sample.path), sample.rows))
    return Drawn(sample.part, np.ones(count, bool), path)


def _vocabulary_texts(drawn: list[Drawn], passes: Sequence[float], pairs: int) -> dict:
    """Return, by language, functions that open its sentences in about `pairs` pairs of an epoch."""
    total = sum(int(s.rows.sum()) * times for s, times in zip(drawn, passes, strict=True))
    taken: dict[str, list[tuple[Drawn, int]]] = {}
    for sample, times in zip(drawn, passes, strict=True):
        places = np.flatnonzero(sample.rows)
        count = round(min(1.0, times * pairs / total) * len(places))
        rows = np.zeros(len(sample.rows), bool)
        # evenly spaced: the text's order is that of its sections
        rows[places[np.linspace(0, len(places), count, endpoint=False, dtype=int)]] = True
        for column, language in ((1, sample.part.left), (2, sample.part.right)):
            taken.setdefault(language, []).append((sample._replace(rows=rows), column))

    def opened(language: str) -> Iterator[str]:
        return chain.from_iterable(_column(sample, column) for sample, column in taken[language])

    return {language: (lambda language=language: opened(language)) for language in taken}


def _column(sample: Drawn, column: int) -> Iterator[str]:
    """Yield a column of the drawn pairs of a part: 0 keys, 1 left texts, 2 right texts."""
    lines = compress(read_lines(sample.path), sample.rows)
    return (line.split("\t")[column] for line in lines)


def _segmented(drawn: list[Drawn], segmenter: Segmenter, column: int) -> Iterator[Ragged]:
    for sample in progress_bar(drawn, desc="segmenting", unit="part"):
        encode = segmenter.encoder(sample.part.left if column == 1 else sample.part.right)
        yield from map(encode, batches(_column(sample, column)))


def _keys(sample: Drawn) -> NDArray[np.int64]:
    keys = (int(key, 16) for key in _column(sample, 0))
    return np.fromiter(keys, np.uint64, int(sample.rows.sum())).view(np.int64)
