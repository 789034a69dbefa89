"""Training encoders for each language of a panel, with and without the marker, and scoring them.

Wieting et al. (2019), "Does Language Choice Matter?": SP models, the two languages segmented
separately. English is segmented once for a panel and its pieces have the first ids, so that beside
every language a seed gives English the same initial vectors, and the untrained encoder the same
score. Nothing but the scores is kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from tandem.encoders.model import SentenceEncoder
from tandem.io import atomic_folder
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmentation, Segmenter, learn
from tandem.tasks.pair_scores import PairScores, mean_of_years, task_correlations
from tandem.tasks.sts import cosine_similarity, read_index, read_task, select_score, tasks_of
from tandem.training.batches import Pairs
from tandem.training.loop import Run
from tandem.training.run import Embed, train_encoder, untrained_encoder
from wieting2019.languages.overlap import joint_vocabulary, mark, measured_overlap
from wieting2019.languages.panel import read_english, read_language
from wieting2019.languages.settings import LanguageEncoders

ENGLISH = "en"

_DECIMALS = 4


@dataclass(frozen=True)
class SegmentedTask:
    """An STS task as ids of the English vocabulary: two of (n,) sentences, and (n,) scores."""

    name: str
    gold: np.ndarray
    first: Ragged
    second: Ragged


@dataclass(frozen=True)
class English:
    """What all languages of a panel share: segmentation, sentences, scored and selection tasks."""

    segmenter: Segmenter
    sentences: Ragged
    tasks: tuple[SegmentedTask, ...]
    selection: SegmentedTask

    @property
    def pieces(self) -> list[str]:
        """The pieces of English; their places are their ids."""
        return self.segmenter.vocabulary


@dataclass(frozen=True)
class SegmentedLanguage:
    """A segmented language: the English rows that it translates, and its own ids and pieces."""

    code: str
    rows: np.ndarray
    sentences: Ragged
    pieces: list[str]


def scheme(pieces: int, character_coverage: float) -> Segmentation:
    """Return how each language is segmented: by pieces learned from its own text."""
    return Segmentation("sentencepiece", pieces, True, (), character_coverage)


def learn_english(
    panel: str | Path, pieces: int, character_coverage: float, folder: str | Path
) -> None:
    """Learn the pieces of a panel's English text, once for all its languages.

    Raises:
        TandemError: when the text has too little for the pieces asked for.
    """
    with atomic_folder(folder) as result:
        texts = {ENGLISH: lambda: read_english(panel)}
        learn(scheme(pieces, character_coverage), texts, result, threads=1)


def load_english(
    panel: str | Path,
    segmenter: str | Path,
    sts: str | Path,
    years: Sequence[int],
    selection: str,
) -> English:
    """Read and segment what all languages of a panel share.

    Args:
        panel: folder that `build_panel` wrote.
        segmenter: folder that `learn_english` wrote.
        sts: folder of STS tasks.
        years: of the tasks that are scored.
        selection: the task that chooses the epoch.
    """
    known, index = Segmenter.load(segmenter), read_index(sts)
    encode = known.encoder(ENGLISH)

    def segmented(name: str) -> SegmentedTask:
        task = read_task(Path(sts) / f"{name}.tsv", index.tasks[name]["languages"])
        return SegmentedTask(name, task.gold, encode(task.first), encode(task.second))

    tasks = tuple(map(segmented, tasks_of(index, years)))
    return English(known, encode(read_english(panel)), tasks, segmented(selection))


def load_language(panel: str | Path, code: str, how: Segmentation) -> SegmentedLanguage:
    """Read a language of a panel, learn its pieces from its own text, and segment it.

    Raises:
        TandemError: when the text has too little for the pieces asked for.
    """
    rows, translations = read_language(panel, code)
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        segmenter = learn(how, {code: lambda: translations}, Path(folder), threads=1)
        sentences = segmenter.encoder(code)(translations)
    return SegmentedLanguage(code, rows, sentences, segmenter.vocabulary)


def bitext(english: English, language: SegmentedLanguage, marked: bool) -> tuple[Pairs, list[str]]:
    """Return the pairs of a language as ids of one vocabulary, English pieces first, and it."""
    pieces = language.pieces
    if marked:
        pieces = mark(pieces, f"<{language.code}>", english.pieces)
    vocabulary, ids = joint_vocabulary(english.pieces, pieces)
    other = Ragged(ids[language.sentences.ids].astype(np.int32), language.sentences.offsets)
    return Pairs(english.sentences.gather(language.rows), other, monolingual=False), vocabulary


def train_languages(
    english: English, panel: str | Path, codes: Sequence[str], wanted: LanguageEncoders
) -> list[dict[str, Any]]:
    """Train and score the encoders of some languages of a panel, one after the other.

    Which languages are trained together changes no result.

    Returns:
        For each language: language, pairs, pieces (its own), overlap (see `Overlap`), and runs,
        what `train` returns for each marker and seed.
    """

    def scores(code: str) -> dict[str, Any]:
        language = load_language(panel, code, english.segmenter.scheme)
        text = english.sentences.gather(language.rows)
        other = language.sentences
        shared = measured_overlap(text.ids, english.pieces, other.ids, language.pieces)
        runs = [
            train(english, language, marked, wanted.run(seed))
            for marked in ((False, True) if wanted.marked else (False,))
            for seed in wanted.seeds
        ]
        measured = {"pairs": len(other), "pieces": len(language.pieces), "overlap": asdict(shared)}
        return {"language": code, **measured, "runs": runs}

    return [scores(code) for code in tqdm(codes, desc="training", unit=" languages")]


def train(english: English, language: SegmentedLanguage, marked: bool, run: Run) -> dict[str, Any]:
    """Train one encoder and score it, and its random start, on the STS tasks.

    Returns:
        marked, seed, pairs; score and random, the mean of years in Pearson's r x 100 of the epoch
        chosen on the selection task and of the untrained encoder; score_years and random_years, the
        same by year; epoch, the one chosen; selection, the score of each epoch, the start first.
    """
    pairs, vocabulary = bitext(english, language, marked)
    known, task = english.segmenter, english.selection
    segmenter = Segmenter(known.scheme, vocabulary, known.models)

    def select(embed: Embed) -> float:
        return select_score(embed, task.first, task.second, task.gold)

    start, _ = untrained_encoder(run.encoder, segmenter, run.seed, select)
    best, history = train_encoder(run, segmenter, pairs, select, device="cpu", show=False)
    score, score_years = _scores(best, english.tasks)
    random, random_years = _scores(start, english.tasks)
    return {
        "marked": marked,
        "seed": run.seed,
        "pairs": best.metadata["pairs"],
        "score": score,
        "score_years": score_years,
        "random": random,
        "random_years": random_years,
        "epoch": best.metadata["epoch"],
        "selection": [round(entry.validation, _DECIMALS) for entry in history],
    }


def _scores(
    encoder: SentenceEncoder, tasks: Sequence[SegmentedTask]
) -> tuple[float, dict[str, float]]:
    """Return the mean of years of Pearson's r x 100, and the mean of each year's tasks."""
    years = np.array([int(task.name.split(".")[0]) for task in tasks])
    embed = encoder.encode_ids
    scores = PairScores(
        tasks=tuple(task.name for task in tasks),
        years=tuple(years.tolist()),
        gold=tuple(task.gold for task in tasks),
        cosine=tuple(cosine_similarity(embed(task.first), embed(task.second)) for task in tasks),
    )
    r = task_correlations(scores)
    by_year = {str(year): _x100(r[years == year].mean()) for year in np.unique(years)}
    return _x100(mean_of_years(scores)), by_year


def _x100(value: float) -> float:
    """Correlation x 100, rounded so that the last bits of a sum do not reach the file."""
    return round(100 * float(value), _DECIMALS)
