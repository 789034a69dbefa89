"""Folders that hold a mining task as BUCC publishes its own, and what hides in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tandem.corpora.hidden_pairs import build_mining_task
from tandem.corpora.readers.bucc import MiningTask, read_bucc
from tandem.corpora.register import Dataset
from tandem.errors import InputError, TandemError
from tandem.io import atomic_folder, read_lines, write_lines

PARTS = ("training", "test")
"""The threshold is chosen on the first and applied to the second."""

HELD_OUT = "held-out.txt"
"""Texts that no encoder that is tested on the task may have been trained on, one a line."""


def hide_pairs(
    pairs: Iterable[tuple[str, str]],
    languages: tuple[str, str],
    folder: str | Path,
    *,
    section: int,
    share: float,
    seed: int,
) -> dict[str, int]:
    """Build a task from a bitext and write it: see `write_task`.

    Args:
        pairs: cleaned pairs in the order of their text.
        languages: of the two sides; one of them is English.
        folder: where to write.
        section: consecutive pairs that make a section, all of whose sentences but the hidden ones
            stay on one side of one part.
        share: of the sentences of a side that have a translation.
        seed: of what is hidden where.

    Returns:
        Counts of sentences and gold pairs.

    Raises:
        TandemError: as `build_mining_task`.
    """
    english = languages.index("en")
    aligned = [
        (number // section, pair[english], pair[1 - english]) for number, pair in enumerate(pairs)
    ]
    language = languages[1 - english]
    built = build_mining_task(aligned, language, seed=seed, share=share)
    held_out = {text for row in built.excluded for text in aligned[row][1:]}
    parts = dict(zip(PARTS, (built.training, built.test), strict=True))
    return write_task(folder, language, parts, held_out)


def take_published(
    datasets: Mapping[str, tuple[Dataset, str | Path]], language: str, folder: str | Path
) -> dict[str, int]:
    """Write a task whose parts are published: archives of BUCC, each with its gold list.

    Args:
        datasets: for each of `PARTS`, its entry in the register and the archive.
        language: of the source side; the target is English.
        folder: where to write.

    Raises:
        InputError: as `read_bucc`.
        TandemError: when a part comes without its gold list.
    """
    parts = {
        part: read_bucc(path, language, "en", getattr(dataset.reader, "part", part))
        for part, (dataset, path) in datasets.items()
    }
    held_out = set()
    for part, task in parts.items():
        if task.gold is None:
            name = datasets[part][0].name
            raise TandemError(f"{name} comes without its gold list. Use a part that has one")
        for left, right in task.gold:
            held_out |= {task.source[left], task.target[right]}
    return write_task(folder, language, parts, held_out)


def write_task(
    folder: str | Path, language: str, parts: Mapping[str, MiningTask], held_out: Iterable[str]
) -> dict[str, int]:
    """Write `<part>.<language>`, `<part>.en`, `<part>.gold` and `held-out.txt`, or nothing.

    Returns:
        Counts: `<part>.<language>`, `<part>.en`, `<part>.gold`.
    """
    counts = {}
    with atomic_folder(folder) as result:
        for part, task in parts.items():
            for name, rows in (
                (f"{part}.{language}", task.source.items()),
                (f"{part}.en", task.target.items()),
                (f"{part}.gold", task.gold or ()),
            ):
                lines = (f"{first}\t{second}" for first, second in rows)
                counts[name] = write_lines(result / name, lines)
        write_lines(result / HELD_OUT, sorted(held_out))
    return counts


def language_of(folder: str | Path) -> str:
    """Return the language of a task's source side; the target is English.

    Raises:
        InputError: the folder holds no task.
    """
    sides = {path.name.partition(".")[2] for path in Path(folder).glob(f"{PARTS[0]}.*")}
    languages = sides - {"en", "gold"}
    if len(languages) != 1:
        raise InputError(folder, None, "not a mining task", "Build it again")
    return languages.pop()


def read_part(folder: str | Path, part: str) -> MiningTask:
    """Read one part of a task that `write_task` wrote."""
    stem = Path(folder) / part
    source, target = (dict(_rows(Path(f"{stem}.{side}"))) for side in (language_of(folder), "en"))
    return MiningTask(source, target, list(_rows(Path(f"{stem}.gold"))))


def gold_rows(task: MiningTask) -> list[tuple[int, int]]:
    """Return the gold list of a task as (source row, target row), rows in the order of its files.

    Raises:
        TandemError: when the task comes without its gold list.
    """
    if task.gold is None:
        raise TandemError("this mining task has no gold list. Use a part that has one")
    source = {identifier: row for row, identifier in enumerate(task.source)}
    target = {identifier: row for row, identifier in enumerate(task.target)}
    return [(source[left], target[right]) for left, right in task.gold]


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the two columns of each line."""
    for number, line in enumerate(read_lines(path), start=1):
        first, tab, second = line.partition("\t")
        if not tab:
            raise InputError(path, number, "no tab", "Delete the folder: it is made again")
        yield first, second
