"""A batch of languages on all cores: one process for each, one thread for each encoder.

Many jobs of seconds would starve a scheduler, so the workflow runs languages in batches. What a
batch holds and how many processes work on it changes no result: every encoder is trained by one
thread from random numbers of its own. A batch that was stopped keeps the encoders it has finished.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from tandem.io import read_json, sha256, write_json
from tandem.languages import runs
from tandem.languages.panel import panel_languages, read_english, read_language
from tandem.languages.runs import English, Run, SegmentedLanguage
from tandem.processes import worker_pool
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.sts import Task, read_index, read_task, tasks_of

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Study:
    """What is trained for every language, and how.

    Attributes:
        pieces: SentencePieces of each language, at most.
        character_coverage: share of characters that they model.
        dimension: of the embeddings.
        training: everything in `TrainingConfig` but the seed.
        seeds: of the encoders.
        marked: train each encoder a second time with the language's pieces marked.
        years: of the STS tasks that are scored.
        selection: the STS task that chooses the epoch.
    """

    pieces: int
    character_coverage: float
    dimension: int
    training: Mapping[str, Any]
    seeds: Sequence[int]
    marked: bool
    years: Sequence[int]
    selection: str

    def runs(self, code: str) -> list[Run]:
        """Return the encoders of one language."""
        marks = (False, True) if self.marked else (False,)
        return [Run(code, marked, seed) for marked in marks for seed in self.seeds]


def run_batch(
    study: Study,
    panel: str | Path,
    segmenter: str | Path,
    sts: str | Path,
    batch: slice,
    workers: int,
    scratch: str | Path,
    code: str,
) -> list[dict[str, Any]]:
    """Train and score the encoders of some languages of a panel.

    Args:
        study: what is trained.
        panel: folder that `tandem.languages.panel.build_panel` wrote.
        segmenter: of the panel's English text.
        sts: folder of STS tasks.
        batch: which of the panel's languages, in their order.
        workers: processes.
        scratch: folder that keeps finished encoders' scores; it is removed in the end.
        code: digest of the code; scores that other code left in `scratch` are not taken up.

    Returns:
        For each language: language, pairs, pieces (its own), overlap (see `runs.Overlap`) and
        runs, the scores of each encoder (see `runs.train`).
    """
    codes = panel_languages(panel)[batch]
    english = load_english(study, panel, segmenter, sts)
    finished = Path(scratch) / _fingerprint(study, panel, segmenter, sts, codes, code)
    texts = [(code, read_language(panel, code)) for code in codes]
    how = runs.scheme(study.pieces, study.character_coverage)
    with _Pool(workers, english, study) as pool:
        arguments = [(code, text.rows, text.translations, how) for code, text in texts]
        languages = list(pool(_segment, arguments, "segmenting"))
        todo = [
            (language, run, finished / f"{run.code}.{'marked.' * run.marked}{run.seed}.json")
            for language in languages
            for run in study.runs(language.code)
        ]
        scores = list(pool(_train, todo, "training"))
    each = len(study.runs(""))
    measured = [
        {
            "language": language.code,
            "pairs": len(language.rows),
            "pieces": len(language.pieces),
            "overlap": asdict(runs.overlap(english, language)),
            "runs": scores[each * number : each * (number + 1)],
        }
        for number, language in enumerate(languages)
    ]
    shutil.rmtree(scratch, ignore_errors=True)
    return measured


def load_english(
    study: Study, panel: str | Path, segmenter: str | Path, sts: str | Path
) -> English:
    """Read and segment what all languages of a panel share."""
    index = read_index(sts)

    def task(name: str) -> Task:
        return read_task(Path(sts) / f"{name}.tsv", index.tasks[name]["languages"])

    return runs.segment_english(
        Segmenter.load(segmenter),
        read_english(panel),
        [task(name) for name in tasks_of(index, study.years)],
        task(study.selection),
    )


class _Pool:
    """Maps a function over items, in order, in this process or in several."""

    def __init__(self, workers: int, english: English, study: Study) -> None:
        """Hand every process what all items share."""
        self._workers, self._shared = workers, (english, study)
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Pool:
        """Start the processes."""
        if self._workers > 1:
            self._executor = worker_pool(self._workers, _prepare, *self._shared)
        else:
            _prepare(*self._shared)
        return self

    def __exit__(self, *_: object) -> None:
        """End them; after an error, without what has not begun."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def __call__(
        self, function: Callable[[Item], Result], items: Sequence[Item], title: str
    ) -> Iterator[Result]:
        """Yield the results in the order of the items, under a progress bar."""
        apply = map if self._executor is None else self._executor.map
        return iter(tqdm(apply(function, items), total=len(items), desc=title))


_shared: tuple[English, Study] | None = None


def _prepare(english: English, study: Study) -> None:
    """Keep in a process what every item needs."""
    global _shared
    _shared = english, study


def _segment(arguments: tuple[Any, ...]) -> SegmentedLanguage:
    """Segment one language."""
    return runs.segment_language(*arguments)


def _train(arguments: tuple[SegmentedLanguage, Run, Path]) -> dict[str, Any]:
    """Train one encoder, or read the scores that a stopped batch left."""
    language, run, path = arguments
    if not path.is_file():
        english, study = _shared
        training = dict(study.training)
        write_json(path, runs.train(english, language, run, study.dimension, training))
    return read_json(path)


def _fingerprint(
    study: Study,
    panel: str | Path,
    segmenter: str | Path,
    sts: str | Path,
    codes: Iterable[str],
    code: str,
) -> str:
    """Return a digest of all that the scores depend on, so that stale ones are never taken up."""
    names = ["english.txt", *(f"{code}.tsv" for code in codes)]
    files = [Path(panel) / name for name in names]
    files += [path for folder in (segmenter, sts) for path in sorted(Path(folder).iterdir())]
    digest = hashlib.sha256(json.dumps([code, asdict(study)], sort_keys=True).encode())
    for path in files:
        digest.update(f"{path.name} {sha256(path)}\n".encode())
    return digest.hexdigest()[:16]
