"""Building a bitext folder: clean, deduplicate, shuffle and split the pairs of some corpora.

Memory: 26 bytes per pair that passes the filters (three 64-bit keys and its place), about 100 at
the peak, while they are sorted: 5 GB for 50 million pairs; 16 bytes more where text beside it or
other corpora are compared with it. The text itself is on disk, in a scratch
folder beside the result that takes twice the size of the pairs kept.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from tandem.corpora.settings import Bitext
from tandem.corpora.split import NOWHERE, PLACES, Elsewhere, Splits, split_pairs, with_aside
from tandem.errors import TandemError
from tandem.files.atomic import atomic_folder, remove
from tandem.files.io import write_json
from tandem.filtering.clean import Removed, refusal, report
from tandem.progress import progress_bar
from tandem.text.spelling import bare_key, collapse, exact_key, key

BUCKET_PAIRS, MOST_BUCKETS = 250_000, 200
"""Pairs of a shuffled split held in memory at a time, and its most parts, each an open file, of
which many systems allow 256: beyond fifty million pairs more are held at a time."""
_LEAST_HELD_OUT = 10
"""Pairs of the validation split however small the corpus is, if that many are asked for."""

ASIDE = "train.aside.npy"
"""The file that tells which training pairs are of text that is only trained on."""

Row = tuple[str, ...]
"""A pair, perhaps with the section of its corpus that it stands in before it."""


class _Spooled(NamedTuple):
    """Of n pairs the keys, of their left and of their right sides, uint64; and their places.

    `bare_left` and `bare_right` are what text beside it and other corpora are compared by. `aside`,
    bool, is true of pairs that are only trained on.
    """

    pairs: np.ndarray
    left: np.ndarray
    right: np.ndarray
    bare_left: np.ndarray
    bare_right: np.ndarray
    places: np.ndarray
    aside: np.ndarray


def build_bitext(
    sources: Mapping[str, Iterable[Row]],
    bitext: Bitext,
    folder: str | Path,
    held_out: Collection[int] = frozenset(),
    most_held_out: float = 1,
    elsewhere: Elsewhere = NOWHERE,
    unseen: Set[int] = frozenset(),
    aside: Mapping[str, Iterable[Row]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Write `{train,valid,test}.<language>`, `cleaning.json` and `splits.json`, which is returned.

    Of sentences in several versions, `train.keys.npy` too: (pairs,) int64, equal for one meaning.

    Args:
        sources: the pairs of each corpus, by its name; the first to hold a pair keeps it.
        bitext: its settings; the files are named by its languages.
        held_out: keys (`tandem.text.spelling.key`) of texts that no split may hold on either side:
            those that a mining task hides.
        most_held_out: the largest share of the pairs that validation may have; the test split is
            reduced by the same factor.
        elsewhere: bare keys of texts that other corpora, trained on together with this, hold out:
            here they are in the same split, or left out.
        unseen: keys (`tandem.text.spelling.bare_key`) of texts that likewise no split may hold.
        aside: corpora that are only trained on; a pair that `sources` have too is theirs. They are
            counted apart, and `train.aside.npy` tells them, (pairs,) bool. None has a text that is
            held out, up to case and punctuation.

    Raises:
        TandemError: when no pair is left, or too few for the splits.
    """
    with atomic_folder(folder) as result:
        (scratch := result / "scratch").mkdir()
        read = [dict.fromkeys(part, 0) for part in (sources, aside)]
        removed = [Removed(), Removed()]
        rows = itertools.chain(_chain(sources, read[0], False), _chain(aside, read[1], True))
        hidden, compared = (held_out, unseen), bool(aside) or any(map(len, elsewhere))
        spooled = _spool(rows, bitext, scratch / "kept", hidden, removed, compared)
        if spooled.aside.all():
            raise _nothing_left(sources, removed[0])
        kept = _kept(spooled, bitext)
        splits = _split(spooled, kept, bitext, most_held_out, result, elsewhere)
        _write_splits(result, bitext.languages, splits, kept, len(spooled.pairs))
        remove(scratch)
        cleaning = _cleaning(spooled.aside, kept, removed, read, bitext)
        write_json(result / "cleaning.json", cleaning)
        beside = _trained_on(spooled.aside[kept], splits, result) if aside else {}
        counts = splits.report() | {"seed": bitext.seed} | beside
        write_json(result / "splits.json", counts)
    return counts


def _kept(spooled: _Spooled, bitext: Bitext) -> np.ndarray:
    """Return the positions of the pairs to split: of repeated ones all, or the first."""
    if bitext.duplicates != "remove":
        return np.arange(len(spooled.pairs))
    return np.sort(np.unique(spooled.pairs, return_index=True)[1])


def _cleaning(
    aside: np.ndarray,
    kept: np.ndarray,
    removed: Sequence[Removed],
    read: Sequence[dict[str, int]],
    bitext: Bitext,
) -> dict[str, Any]:
    """Return what was read and removed; of what is only trained on under `also`, if there is any.

    `aside`, (n,), is true of these; `kept` are the positions that are left without repetitions.
    """
    parts: list[dict[str, Any]] = []
    for also, (reasons, sources) in enumerate(zip(removed, read, strict=True)):
        passed, left = (int((part == also).sum()) for part in (aside, aside[kept]))
        reasons["duplicate"] = passed - left
        parts.append(report(left, reasons, bitext.cleaning) | {"sources": sources})
    return parts[0] | ({"also": parts[1]} if read[1] else {})


def _trained_on(aside: np.ndarray, splits: Splits, folder: Path) -> dict[str, int]:
    """Write which training pairs are of text that is only trained on, and return how many are.

    `aside`, (n,), is true of the pairs of such text, before the split.
    """
    beside = aside[splits.train]
    np.save(folder / ASIDE, beside)
    train = int(beside.sum())
    return {"also_train": train, "also_overlapping": int(aside.sum()) - train}


def _nothing_left(sources: Iterable[str], removed: Mapping[str, int]) -> TandemError:
    why = ", ".join(f"{count:,} {reason}" for reason, count in removed.items()) or "none was read"
    problem = f"no pair of {', '.join(sources)} is left after cleaning ({why})"
    return TandemError(f"{problem}. Check that the sides are two languages, or give more text")


def _write_splits(
    folder: Path,
    languages: Sequence[str],
    splits: Splits,
    kept: np.ndarray,
    spooled: int,
) -> None:
    """Write each split's pairs out of those spooled, so many; `splits` are places in `kept`."""
    order = kept[np.concatenate([splits.test, splits.valid, splits.train])]
    ordered = _shuffled(folder / "scratch", spooled, order)
    for name in ("test", "valid", "train"):
        files = [folder / f"{name}.{language}" for language in languages]
        _write(files, itertools.islice(ordered, len(getattr(splits, name))))


def _write(sides: Sequence[Path], pairs: Iterable[tuple[bytes, bytes]]) -> None:
    """Write pairs to a file for each side; the right text of a pair ends in its newline."""
    with open(sides[0], "wb") as left_out, open(sides[1], "wb") as right_out:
        for left, right in pairs:
            left_out.write(left + b"\n")
            right_out.write(right)


def _split(
    spooled: _Spooled,
    kept: np.ndarray,
    bitext: Bitext,
    most_held_out: float,
    result: Path,
    elsewhere: Elsewhere,
) -> Splits:
    """Split the pairs kept; where they come in several versions, write what means the same."""
    main = ~spooled.aside[kept]
    most = max(_LEAST_HELD_OUT, most_held_out * int(main.sum()))
    valid, test = (int(min(1, most / bitext.valid) * n) for n in (bitext.valid, bitext.test))
    left, right = spooled.left[kept], spooled.right[kept]
    bare = spooled.bare_left[kept], spooled.bare_right[kept]
    if bitext.versions:
        left = right = meanings(left, right)
        bare = left, right
    places = spooled.places[kept][main] if bitext.sections else None
    splits = split_pairs(
        left[main], right[main], valid, test, bitext.seed, bitext.max_pairs, elsewhere, places,
        bitext.versions, (bare[0][main], bare[1][main]),
    )  # fmt: skip
    if not main.all():
        splits = with_aside(splits, main, *bare, bitext.seed, elsewhere)
    if bitext.versions:
        np.save(result / "train.keys.npy", left[splits.train])
    return splits


def meanings(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return numbers of pairs, (n,) int64: equal where pairs share a sentence, or others link them.

    They are the connected components of a graph of the sentences, whose edges are the pairs, by
    the lowest sentence of each. Without SciPy, which not all that needs them brings.
    """
    texts, numbers = np.unique(np.concatenate([left, right]), return_inverse=True)
    ends = numbers[: len(left)], numbers[len(left) :]
    lowest = np.arange(len(texts))  # of a component, as far as it is known
    while ((first := lowest[ends[0]]) != (second := lowest[ends[1]])).any():
        for side in (first, second):
            np.minimum.at(lowest, side, np.minimum(first, second))
        while ((further := lowest[lowest]) != lowest).any():
            lowest = further
    return np.unique(first, return_inverse=True)[1].astype(np.int64)


def _chain(
    sources: Mapping[str, Iterable[Row]], counts: dict[str, int], aside: bool
) -> Iterator[tuple[Row, bool]]:
    """Yield the pairs of every source in turn, counting them, each with `aside`."""
    with progress_bar(desc="reading pairs", unit=" pairs", unit_scale=True) as bar:
        for name, pairs in sources.items():
            for pair in pairs:
                counts[name] += 1
                bar.update()
                yield pair, aside


def _spool(
    rows: Iterable[tuple[Row, bool]],
    bitext: Bitext,
    path: Path,
    hidden: tuple[Collection[int], Set[int]],
    removed: Sequence[Removed],
    compared: bool,
) -> _Spooled:
    """Write the pairs that pass the filters to a file, one a line, white space collapsed.

    Rows come with whether they are only trained on. None has a text of `hidden`, keys and bare
    keys; `removed` counts the others, of both kinds apart. `compared`: bare keys are needed.
    """
    held_out, unseen = hidden
    sections = (bitext.sections or {}).items()
    places = {name: PLACES[split] for split, names in sections for name in names}
    keys = tuple(array("Q") for _ in range(5 if compared else 3))
    numbers, aside = array("B"), array("B")
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for (*section, left, right), trained in rows:
            left, right = collapse(left), collapse(right)
            if refused := refusal(left, right, bitext.cleaning):
                removed[trained].add(refused, (left, right))
                continue
            sides = key(left), key(right)
            hides = sides[0] in held_out or sides[1] in held_out
            if hides or (unseen and not unseen.isdisjoint(map(bare_key, (left, right)))):
                removed[trained]["held out"] += 1
                continue
            line = f"{left}\t{right}"
            out.write(line + "\n")
            bare = map(bare_key, (left, right) if compared else ())
            for part, value in zip(keys, (exact_key(line), *sides, *bare), strict=True):
                part.append(value)
            numbers.append(places.get(section[0], 0) if section else 0)
            aside.append(trained)
    pairs, left_keys, right_keys, *bare_keys = (np.frombuffer(p, np.uint64) for p in keys)
    left_bare, right_bare = bare_keys or (left_keys, right_keys)
    flags = np.frombuffer(numbers, np.uint8), np.frombuffer(aside, bool)
    return _Spooled(pairs, left_keys, right_keys, left_bare, right_bare, *flags)


def _shuffled(scratch: Path, spooled: int, order: np.ndarray) -> Iterator[tuple[bytes, bytes]]:
    """Yield (left, right with its newline) of the spooled pairs, in an order of positions.

    One pass deals them to buckets, each a stretch of the order; one bucket is in memory at a time.
    """
    rank = np.full(spooled, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    size = max(BUCKET_PAIRS, -(-len(order) // MOST_BUCKETS))
    buckets = [scratch / str(n) for n in range(-(-len(order) // size))]
    with ExitStack() as stack:
        outs = [stack.enter_context(open(path, "wb")) for path in buckets]
        spool = stack.enter_context(open(scratch / "kept", "rb"))
        for position, line in zip(rank.data, spool, strict=True):
            if position >= 0:
                outs[position // size].write(b"%d\t%b" % (position, line))
    for path in buckets:
        with open(path, "rb") as stream:
            rows = [line.split(b"\t") for line in stream]
        path.unlink()
        rows.sort(key=lambda row: int(row[0]))
        for _, left, right in rows:
            yield left, right
        del rows  # before the next bucket is read
