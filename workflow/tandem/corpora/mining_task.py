"""Folders that hold a mining task, in the format of BUCC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path

from tandem.corpora.hidden_pairs import build_mining_task
from tandem.corpora.readers.bucc import MiningTask, parse_task, read_bucc
from tandem.corpora.register import Dataset
from tandem.corpora.settings import HiddenPairs
from tandem.errors import InputError
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_lines, write_lines
from tandem.text import Pair

PARTS = ("training", "test")
"""The threshold is chosen on the first and applied to the second."""

HELD_OUT = "held-out.txt"
"""Texts that no encoder that is tested on the task may have been trained on, one a line."""


def hide_pairs(
    pairs: Iterable[Pair], languages: tuple[str, str], task: HiddenPairs, folder: str | Path
) -> dict[str, int]:
    """Build a task from cleaned pairs in the order of their text, one side English, and write it.

    See `build_mining_task`, and `write_task` for the counts that are returned.
    """
    english = languages.index("en")
    aligned = [(n // task.section, p[english], p[1 - english]) for n, p in enumerate(pairs)]
    *parts, gold = build_mining_task(aligned, task.language, task.seed, task.share, task.sentences)
    others = (text for row in gold for text in aligned[row][1:])
    return write_task(folder, task.language, dict(zip(PARTS, parts, strict=True)), others)


def take_published(
    datasets: Mapping[str, tuple[Dataset, str | Path]], language: str, folder: str | Path
) -> dict[str, int]:
    """Write a published task, from the entry in the register and the archive of each of `PARTS`.

    `language` is that of the source side; the target is English. Raises as `read_bucc`.
    """
    parts = {
        part: read_bucc(path, language, "en", getattr(dataset.reader, "part", part))
        for part, (dataset, path) in datasets.items()
    }
    return write_task(folder, language, parts)


def write_task(
    folder: str | Path, language: str, parts: Mapping[str, MiningTask], others: Iterable[str] = ()
) -> dict[str, int]:
    """Write `<part>.<language>`, `<part>.en`, `<part>.gold` and `held-out.txt`, or nothing.

    What is held out are all sentences of the task, and `others`. Returns the number of lines of
    each file.
    """
    counts = {}
    with atomic_folder(folder) as result:
        for part, task in parts.items():
            files = {language: task.source.items(), "en": task.target.items(), "gold": task.gold}
            for ending, rows in files.items():
                name = f"{part}.{ending}"
                lines = (f"{first}\t{second}" for first, second in rows)
                counts[name] = write_lines(result / name, lines)
        texts = (side.values() for task in parts.values() for side in (task.source, task.target))
        held_out = sorted({*chain(*texts), *others})
        counts[HELD_OUT] = write_lines(result / HELD_OUT, held_out)
    return counts


def mining_language(folder: str | Path) -> str:
    """Return the language of a task's source side; InputError where a folder holds no task."""
    sides = {path.name.partition(".")[2] for path in Path(folder).glob(f"{PARTS[0]}.*")}
    languages = sides - {"en", "gold"}
    if len(languages) != 1:
        raise InputError(folder, None, "not a mining task", "Build it again")
    return languages.pop()


def read_part(folder: str | Path, part: str) -> MiningTask:
    """Read one part of a task that `write_task` wrote."""
    paths = [f"{folder}/{part}.{ending}" for ending in (mining_language(folder), "en", "gold")]
    return parse_task(*((path, read_lines(path)) for path in paths))


def gold_rows(task: MiningTask) -> list[tuple[int, int]]:
    """Return the gold list as (source row, target row); rows are in the order of the files."""
    source = {identifier: row for row, identifier in enumerate(task.source)}
    target = {identifier: row for row, identifier in enumerate(task.target)}
    return [(source[left], target[right]) for left, right in task.gold]
