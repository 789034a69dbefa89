"""Building a collection: the parallel text of many languages, whole sections held out.

    <split>/<source>.<left>.<right>.tsv   key, left text, right text, with tabs between; a part
    collection.json                       the parts with their sizes, what was held out and removed

The left side is the pivot (English), except between two of its versions (two English Bibles). The
key is that of the pivot's text: pairs with the same key mean the same, in whatever languages, so
none of them is a negative of another.

A book or a component is in one split, in every language; a corpus may be whole in one. Besides,
the training split has no text of the validation or test split, on either side and in any language,
and none that must be `unseen`. The same words in the same order count as the same text, whatever
their case and punctuation.

Memory: in each process, one source's text in one language and in all versions of the pivot; in one
of them, 8 bytes for each pair of a language and for each text that is held out.
"""

from __future__ import annotations

import logging
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tandem.corpora.register import Dataset
from tandem.corpora.settings import Collection
from tandem.corpora.spool import Repetitions, Source, new_lines, spool
from tandem.errors import TandemError
from tandem.files.atomic import atomic_folder, remove
from tandem.files.io import read_json, write_json, write_lines
from tandem.filtering.clean import report
from tandem.progress import progress_bar
from tandem.text import language_of
from tandem.text.spelling import bare_key, exact_key
from tandem.workers import worker_pool

logger = logging.getLogger(__name__)

SPLITS = ("train", "valid", "test")


class Part(NamedTuple):
    """One corpus in two languages, or in two versions of one."""

    source: str
    left: str
    right: str

    @property
    def monolingual(self) -> bool:
        """Whether both sides are versions of one language."""
        return language_of(self.left) == language_of(self.right)

    def path(self, folder: str | Path, split: str) -> Path:
        """Return the file of one of its splits in the folder of a collection."""
        return Path(folder) / split / f"{self.source}.{self.left}.{self.right}.tsv"


def read_parts(folder: str | Path) -> dict[Part, dict[str, int]]:
    """Return the parts of a collection, each with the sizes of its splits."""
    parts = read_json(Path(folder) / "collection.json")["parts"]
    return {Part(*(p[k] for k in Part._fields)): {s: p[s] for s in SPLITS} for p in parts}


_LINES = 100_000
"""Lines in memory at a time, while held-out text is removed."""


def languages_of(dataset: Dataset, settings: Collection) -> list[str]:
    """Return the languages of a corpus that a collection takes beside its pivot, each once."""
    wanted = dataset.languages if settings.languages is None else settings.languages
    codes = {dataset.code(settings.pivot): settings.pivot}
    for language in wanted:
        if language in dataset.languages:
            codes.setdefault(dataset.code(language), language)
    return list(codes.values())[1:]


def build_collection(
    sources: Mapping[str, Callable[[], Source]],
    settings: Collection,
    folder: str | Path,
    unseen: Iterable[str] = (),
    jobs: int = 1,
) -> dict[str, Any]:
    """Write the collection described at the head of this module; return collection.json.

    Args:
        sources: what opens each corpus; more than one job sends it to another process.
        settings: what is taken, cleaned and held out.
        folder: where.
        unseen: texts that no training pair may hold on either side: those of scored tasks.
        jobs: processes that read and clean; the bytes are the same.

    Raises:
        TandemError: no pair is left to train on.
    """
    with atomic_folder(folder) as result, _processes(jobs) as mapped:
        for split in (*SPLITS, "spooled"):
            (result / split).mkdir()
        spooled, removed = _read(sources, settings, result / "spooled", mapped)
        whole = {k: split for split, names in settings.whole.items() for k in names if k in spooled}
        places, held = _sections(spooled, settings, whole)
        split_of = {name: _SplitOf(places, whole.get(name)) for name in spooled}
        parts, removed["held out"] = _write(spooled, split_of, result, unseen, mapped)
        remove(result / "spooled")
        if not sum(part["train"] for part in parts):
            raise TandemError("No pair is left to train on. Give more text, or hold out less")
        kept = sum(part[split] for part in parts for split in SPLITS)
        cleaning = report(kept, removed, settings.cleaning)
        description = {"parts": parts, "held_out": held, "whole": whole, "cleaning": cleaning}
        write_json(result / "collection.json", description)
    return description


def held_out_sections(sizes: Mapping[str, int], pairs: float, order: str) -> list[str]:
    """Choose sections, in an order drawn by `order`, that hold about so many pairs.

    A section that would bring the sum over one and a half times `pairs` is passed over.
    """
    chosen, held = [], 0
    for name in sorted(sizes, key=lambda name: exact_key(f"{order}\t{name}")):
        if held < pairs and held + sizes[name] <= 1.5 * pairs:
            chosen.append(name)
            held += sizes[name]
    return chosen


Mapped = Callable[..., Iterator[Any]]
"""A `map`, perhaps of several processes."""


@contextmanager
def _processes(jobs: int) -> Iterator[Mapped]:
    if jobs == 1:
        yield map
        return
    with worker_pool(jobs, "fork", "the job's threads") as pool:
        yield pool.map


def _read(
    sources: Mapping[str, Callable[[], Source]],
    settings: Collection,
    folder: Path,
    mapped: Mapped,
) -> tuple[dict[str, list[Path]], Counter[str]]:
    """Spool the sources; return the files of each, and how many pairs were removed and why."""
    spooled: dict[str, list[Path]] = {}
    removed, repetitions = Counter[str](), Repetitions()
    read = partial(_spool, settings=settings, folder=folder)
    bar = progress_bar(mapped(read, sources.items()), total=len(sources), unit="source")
    for name, (files, refused) in zip(sources, bar, strict=True):
        spooled[name] = files
        removed += refused
        removed["duplicate"] += sum(map(repetitions.mark, files))
    return spooled, removed


def _spool(
    source: tuple[str, Callable[[], Source]], settings: Collection, folder: Path
) -> tuple[list[Path], Counter[str]]:
    name, opened = source
    return spool(name, opened(), settings, folder)


def _sections(
    spooled: Mapping[str, Sequence[Path]], settings: Collection, whole: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, dict[str, list[str]]]]:
    """Return the split of each section that is held out, and those sections by source and split.

    A section of the same name in another source is in the same split.
    """
    places: dict[str, str] = {}
    held = {}
    for name, files in spooled.items():
        if name not in whole:
            lines = chain.from_iterable(map(new_lines, files))
            sizes = Counter(line.partition("\t")[0] for line in lines)
            held[name] = _held_out(name, sizes, settings, places)
    return places, held


def _held_out(
    name: str, sizes: Mapping[str, int], settings: Collection, places: dict[str, str]
) -> dict[str, list[str]]:
    """Choose the sections of a source that each split holds out; add them to `places`."""
    held: dict[str, list[str]] = {}
    for split in ("test", "valid"):
        shared = [section for section in sizes if places.get(section) == split]
        wanted = getattr(settings, split) * sum(sizes.values()) - sum(sizes[k] for k in shared)
        free = {section: n for section, n in sizes.items() if section not in places}
        chosen = held_out_sections(free, wanted, f"{settings.seed}\t{split}")
        places |= dict.fromkeys(chosen, split)
        held[split] = sorted(shared + chosen)
        if not held[split]:
            logger.warning("%s: no section is small enough for the %s split", name, split)
    return held


class _SplitOf(NamedTuple):
    """Tells the split of a section of a corpus, which may be whole in one."""

    places: Mapping[str, str]
    whole: str | None

    def __call__(self, section: str) -> str:
        return self.whole or self.places.get(section, "train")


def _write(
    spooled: Mapping[str, Sequence[Path]],
    split_of: Mapping[str, _SplitOf],
    result: Path,
    unseen: Iterable[str],
    mapped: Mapped,
) -> tuple[list[dict[str, Any]], int]:
    """Write the splits of spooled parts; return the parts, and how many pairs were removed.

    Those hold a text of the validation or test split, or an `unseen` one.
    """
    files = sorted((path, split_of[name]) for name, paths in spooled.items() for path in paths)
    hidden = array("Q", map(bare_key, unseen))
    counts = [_hold_out(*file, result, hidden) for file in files]
    texts = result / "spooled" / "held-out.npy"
    np.save(texts, np.unique(np.frombuffer(hidden, np.uint64)))
    write = partial(_without, result=result, texts=texts)
    written = progress_bar(mapped(write, files), total=len(files), unit="part")
    parts, removed = [], 0
    for (path, _), size, (train, held) in zip(files, counts, written, strict=True):
        source, left, right = path.stem.rsplit(".", 2)
        parts.append({"source": source, "left": left, "right": right, "train": train, **size})
        removed += held
    return parts, removed


def _hold_out(
    spooled: Path, split_of: _SplitOf, result: Path, hidden: array[int]
) -> dict[str, int]:
    """Write the pairs of held-out sections, and return how many each split has.

    The keys of their texts are added to `hidden`.
    """
    held: dict[str, list[str]] = {"valid": [], "test": []}
    for line in new_lines(spooled):
        section, _, pair = line.partition("\t")
        if (split := split_of(section)) != "train":
            held[split].append(pair)
            hidden.extend(map(bare_key, pair.split("\t")[1:]))
    return {split: write_lines(result / split / spooled.name, held[split]) for split in held}


def _without(part: tuple[Path, _SplitOf], result: Path, texts: Path) -> tuple[int, int]:
    """Write the training pairs: those of no held-out section and without a held-out text.

    `texts` are the sorted keys of held-out texts. Returns how many pairs were written, and how many
    were removed for such a text.
    """
    (spooled, split_of), removed, hidden = part, 0, np.load(texts)

    def kept() -> Iterator[str]:
        nonlocal removed
        split = (line.partition("\t") for line in new_lines(spooled))
        lines = (pair for section, _, pair in split if split_of(section) == "train")
        while block := list(islice(lines, _LINES)):
            sides = (bare_key(text) for line in block for text in line.split("\t")[1:])
            keys = np.fromiter(sides, np.uint64, 2 * len(block)).reshape(-1, 2)
            held = np.atleast_1d(np.isin(keys, hidden).any(axis=1))
            removed += int(held.sum())
            yield from (line for line, out in zip(block, held.tolist(), strict=True) if not out)

    written = write_lines(result / "train" / spooled.name, kept())
    return written, removed
