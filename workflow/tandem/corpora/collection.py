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

Memory: one source's text in one language and in all versions of the pivot, and 8 bytes for each
pair of a language and for each text that is held out.
"""

from __future__ import annotations

import logging
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, combinations, compress, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.readers import Placed
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Collection
from tandem.errors import TandemError
from tandem.files.atomic import atomic_folder, remove
from tandem.files.io import read_json, read_lines, write_json, write_lines
from tandem.filtering.clean import refusal, report
from tandem.filtering.kinds.ratio import MEASURED
from tandem.progress import progress_bar
from tandem.text import language_of
from tandem.text.spelling import bare_key, collapse, exact_key

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

Source = Iterable[tuple[str, Iterable[Placed]]]
"""Languages of one corpus, each with its pairs: the pivot's text is on the left."""


def languages_of(dataset: Dataset, settings: Collection) -> list[str]:
    """Return the languages of a corpus that a collection takes beside its pivot, each once."""
    wanted = dataset.languages if settings.languages is None else settings.languages
    codes = {dataset.code(settings.pivot): settings.pivot}
    for language in wanted:
        if language in dataset.languages:
            codes.setdefault(dataset.code(language), language)
    return list(codes.values())[1:]


def build_collection(
    sources: Mapping[str, Source],
    settings: Collection,
    folder: str | Path,
    unseen: Iterable[str] = (),
) -> dict[str, Any]:
    """Write the collection described at the head of this module; return collection.json.

    `unseen` are texts that no training pair may hold on either side: those of scored tasks. Raises
    TandemError where no pair is left to train on.
    """
    hidden = array("Q", map(bare_key, unseen))
    held: dict[str, dict[str, list[str]]] = {}
    places: dict[str, str] = {}
    whole = {name: split for split, names in settings.whole.items() for name in names}
    with atomic_folder(folder) as result:
        for split in (*SPLITS, "spooled"):
            (result / split).mkdir()
        reader = _Reader(settings, result / "spooled")
        for name, languages in sources.items():
            sizes = reader.spool(name, languages)
            if name not in whole:
                held[name] = _held_out(name, sizes, settings, places)
        spooled = sorted((result / "spooled").iterdir())
        splits = [_splits(path, places, whole) for path in spooled]
        counts = [_hold_out(p, result, s, hidden) for p, s in zip(spooled, splits, strict=True)]
        texts = np.unique(np.frombuffer(hidden, np.uint64))
        parts: list[dict[str, Any]] = []
        bar = progress_bar(spooled, unit="part")
        for path, split_of, size in zip(bar, splits, counts, strict=True):
            train, removed = _without(path, result, split_of, texts)
            reader.removed["held out"] += removed
            source, left, right = path.stem.rsplit(".", 2)
            parts.append({"source": source, "left": left, "right": right, "train": train, **size})
        remove(result / "spooled")
        if not sum(part["train"] for part in parts):
            raise TandemError("No pair is left to train on. Give more text, or hold out less")
        kept = sum(part[split] for part in parts for split in SPLITS)
        cleaning = report(kept, reader.removed, settings.cleaning)
        whole = {name: split for name, split in whole.items() if name in sources}
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


def _held_out(
    name: str, sizes: Mapping[str, int], settings: Collection, places: dict[str, str]
) -> dict[str, list[str]]:
    """Choose the sections of a source that each split holds out; add them to `places`.

    A section of the same name in another source is in the same split.
    """
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


Row = tuple[str, str, str, str]
"""Section, text of the pivot, left text, right text."""


class _Reader:
    """Reads sources and spools the pairs that pass the filters, a file for each part.

    `removed` counts the pairs that each filter removed.
    """

    def __init__(self, settings: Collection, folder: Path) -> None:
        """Spool into `folder`."""
        self.settings, self.folder = settings, folder
        self.removed = Counter[str]()
        self._seen: dict[str, list[NDArray[np.uint64]]] = defaultdict(list)

    def spool(self, name: str, languages: Source) -> Counter[str]:
        """Spool the pairs of a source; return how many each section has, in all languages."""
        sizes, pivot = Counter[str](), self.settings.pivot
        versions: dict[str, dict[tuple[str, str], str]] = {}
        for language, placed in progress_bar(languages, desc=f"reading {name}", unit=" languages"):
            rows: Iterable[Placed] = (
                (collapse(section), collapse(left), collapse(right))
                for section, left, right in placed
            )
            if language.startswith(f"{pivot}-"):  # versions of the pivot are paired in memory
                rows = list(rows)
                versions[language] = {(section, left): right for section, left, right in rows}
            opened = ((section, left, left, right) for section, left, right in rows)
            sizes += self._write(opened, f"{name}.{pivot}.{language}", language)
        for first, second in combinations(sorted(versions), 2):
            pairs = (
                (section, text, left, versions[second][section, text])
                for (section, text), left in versions[first].items()
                if (section, text) in versions[second]
            )
            sizes += self._write(pairs, f"{name}.{first}.{second}", f"{first}.{second}")
        return sizes

    def _write(self, rows: Iterable[Row], part: str, languages: str) -> Counter[str]:
        """Spool the rows of a part that pass and are new; count them by section.

        Memory: 8 bytes for each pair of these languages.
        """
        path, hashes = self.folder / f"{part}.tsv", array("Q")
        write_lines(path, self._clean(rows, hashes))
        keys, earlier = np.frombuffer(hashes, np.uint64), self._seen[languages]
        new = np.zeros(len(keys), bool)
        new[np.unique(keys, return_index=True)[1]] = True
        for before in earlier:
            new &= ~np.isin(keys, before)
        self.removed["duplicate"] += len(keys) - int(new.sum())
        earlier.append(keys[new])
        sizes = Counter[str]()

        def lines() -> Iterator[str]:
            for line in compress(read_lines(path), new):
                sizes[line.partition("\t")[0]] += 1
                yield line

        write_lines(path, lines())
        return sizes

    def _clean(self, rows: Iterable[Row], keys: array[int]) -> Iterator[str]:
        """Yield the rows that pass the filters as lines; add the keys of their pairs."""
        rows = iter(rows)
        first = list(islice(rows, MEASURED))
        pairs = [(left, right) for _, _, left, right in first]
        cleaning = {k: kind.fitted(pairs) for k, kind in self.settings.cleaning.items()}
        for section, pivot, left, right in chain(first, rows):
            refused = refusal(left, right, cleaning)
            if refused is None:
                keys.append(exact_key(f"{left}\t{right}"))
                yield f"{section}\t{exact_key(pivot.casefold()):016x}\t{left}\t{right}"
            else:
                self.removed[refused] += 1


SplitOf = Callable[[str], str]
"""Returns the split of a section of a corpus."""


def _splits(path: Path, places: Mapping[str, str], whole: Mapping[str, str]) -> SplitOf:
    """Return where the sections of a spooled part are: a corpus may be whole in one split."""
    split = whole.get(path.stem.rsplit(".", 2)[0])
    return (lambda section: places.get(section, "train")) if split is None else lambda _: split


def _hold_out(source: Path, result: Path, split_of: SplitOf, hidden: array[int]) -> dict[str, int]:
    """Write the pairs of held-out sections, and return how many each split has.

    The keys of their texts are added to `hidden`.
    """
    held: dict[str, list[str]] = {"valid": [], "test": []}
    for line in read_lines(source):
        section, _, pair = line.partition("\t")
        if (split := split_of(section)) != "train":
            held[split].append(pair)
            hidden.extend(map(bare_key, pair.split("\t")[1:]))
    return {split: write_lines(result / split / source.name, held[split]) for split in held}


def _without(
    source: Path, result: Path, split_of: SplitOf, texts: NDArray[np.uint64]
) -> tuple[int, int]:
    """Write the training pairs: those of no held-out section and without a held-out text.

    `texts` are the sorted keys of held-out texts. Returns how many pairs were written, and how many
    were removed for such a text.
    """
    removed = 0

    def kept() -> Iterator[str]:
        nonlocal removed
        split = (line.partition("\t") for line in read_lines(source))
        lines = (pair for section, _, pair in split if split_of(section) == "train")
        while block := list(islice(lines, _LINES)):
            sides = (bare_key(text) for line in block for text in line.split("\t")[1:])
            keys = np.fromiter(sides, np.uint64, 2 * len(block)).reshape(-1, 2)
            held = np.atleast_1d(np.isin(keys, texts).any(axis=1))
            removed += int(held.sum())
            yield from (line for line, out in zip(block, held.tolist(), strict=True) if not out)

    written = write_lines(result / "train" / source.name, kept())
    return written, removed
