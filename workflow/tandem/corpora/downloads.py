"""Corpora that were fetched, and those that a job goes on without."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from tandem.corpora.fetch import refuse_other
from tandem.corpora.register import Dataset
from tandem.errors import TandemError

logger = logging.getLogger(__name__)

DOWNLOADS = Path("results/corpora/downloads")
"""A folder for each corpus, relative to that of the run."""


def fetched(datasets: Iterable[Dataset]) -> list[tuple[Dataset, str]]:
    """Return the corpora that were fetched, each with what `fetch` returned.

    An optional one of which a file is not there is left out, and the log says so.

    Raises:
        TandemError: none is left.
    """
    places = [(dataset, DOWNLOADS / dataset.name / dataset.file) for dataset in datasets]
    absent = [d.name for d, path in places if d.optional and not _complete(d, path.parent)]
    for name in absent:
        logger.warning("%s is left out: see %s/unreachable.txt", name, DOWNLOADS / name)
    if absent and len(absent) == len(places):
        note = DOWNLOADS / absent[0] / "unreachable.txt"
        raise TandemError(f"none of {', '.join(absent)} could be fetched. {note} says what to do")
    return [(dataset, str(path)) for dataset, path in places if dataset.name not in absent]


def verify(inputs: Iterable[str], datasets: Mapping[str, Dataset]) -> None:
    """Refuse a download that is not what the register names, whoever put it there: InputError.

    `inputs` are those of a job: files of corpora, or the folder of one that may be left out.
    """
    paths = {Path(path) for path in inputs if Path(path).is_relative_to(DOWNLOADS)}
    for name in sorted({path.relative_to(DOWNLOADS).parts[0] for path in paths} & {*datasets}):
        for part in datasets[name].parts():
            place = DOWNLOADS / name / part.file
            if part.sha256 and place.is_file() and paths & {place, place.parent}:
                refuse_other(part.sha256, place, place, f"the register names for {name}")


def _complete(dataset: Dataset, folder: Path) -> bool:
    return all((folder / file).exists() for file in dataset.files())
