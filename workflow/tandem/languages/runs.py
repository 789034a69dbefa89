"""Training one encoder for each language, marker and seed of a panel, and scoring it.

Wieting et al. (2019), "Does Language Choice Matter?": SP models, the two languages segmented
separately. English is segmented once for a panel and its pieces have the first ids, so that beside
every language a seed gives English the same initial vectors, and the untrained encoder the same
score. Nothing but the scores is kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor, nn

from tandem.encoders.composition import EncoderConfig
from tandem.encoders.model import SentenceEncoder
from tandem.languages.overlap import (
    Overlap,
    joint_vocabulary,
    mark,
    piece_counts,
    sentencepiece_overlap,
)
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segmenter import Segmenter, learn
from tandem.tasks.pair_scores import PairScores, mean_of_years, task_correlations
from tandem.tasks.sts import Task, cosine_similarity, select_score
from tandem.training.batches import Pairs
from tandem.training.loop import Trainer, TrainingConfig

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

    scheme: Segmentation
    models: dict[str, Path]
    pieces: tuple[str, ...]
    sentences: Ragged
    tasks: tuple[SegmentedTask, ...]
    selection: SegmentedTask


@dataclass(frozen=True)
class SegmentedLanguage:
    """A segmented language: the English rows that it translates, and its own ids and pieces."""

    code: str
    rows: np.ndarray
    sentences: Ragged
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """One encoder to train: whose language, whether its pieces are marked, with which seed."""

    code: str
    marked: bool
    seed: int


def scheme(size: int, character_coverage: float) -> Segmentation:
    """Return how each language is segmented: by pieces learned from its own text."""
    return Segmentation(
        kind="sentencepiece", size=size, separate=True, character_coverage=character_coverage
    )


def segment_english(
    segmenter: Segmenter, sentences: Sequence[str], tasks: Sequence[Task], selection: Task
) -> English:
    """Segment what all languages of a panel share."""
    encode = segmenter.encoder(ENGLISH)

    def segmented(task: Task) -> SegmentedTask:
        return SegmentedTask(task.name, task.gold, encode(task.first), encode(task.second))

    return English(
        segmenter.scheme,
        segmenter.models,
        tuple(segmenter.vocabulary),
        encode(sentences),
        tuple(map(segmented, tasks)),
        segmented(selection),
    )


def segment_language(
    code: str, rows: np.ndarray, translations: Sequence[str], how: Segmentation
) -> SegmentedLanguage:
    """Learn a language's pieces from its own text, and segment it.

    Args:
        code: of the language.
        rows: (n,) the English sentences that the translations belong to.
        translations: the n sentences of the language.
        how: it is segmented.

    Raises:
        TandemError: when the text has too little for the pieces asked for.
    """
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        segmenter = learn(how, {code: lambda: translations}, Path(folder))
        sentences = segmenter.encoder(code)(translations)
    return SegmentedLanguage(code, rows, sentences, tuple(segmenter.vocabulary))


def overlap(english: English, language: SegmentedLanguage) -> Overlap:
    """Measure how much of the language's English text its own pieces cover."""
    text = english.sentences.gather(language.rows)
    return sentencepiece_overlap(
        piece_counts(text.ids, english.pieces),
        piece_counts(language.sentences.ids, language.pieces),
    )


def bitext(english: English, language: SegmentedLanguage, marked: bool) -> tuple[Pairs, list[str]]:
    """Return the pairs of a language as ids of one vocabulary, English pieces first, and it."""
    pieces: Sequence[str] = language.pieces
    if marked:
        pieces = mark(pieces, f"<{language.code}>", english.pieces)
    vocabulary, ids = joint_vocabulary(english.pieces, pieces)
    other = Ragged(ids[language.sentences.ids].astype(np.int32), language.sentences.offsets)
    return Pairs(english.sentences.gather(language.rows), other, monolingual=False), vocabulary


def train(
    english: English,
    language: SegmentedLanguage,
    run: Run,
    dimension: int,
    training: dict[str, Any],
) -> dict[str, Any]:
    """Train one encoder and score it, and its random start, on the STS tasks.

    Returns:
        marked, seed; score and random, the mean of years in Pearson's r x 100 of the epoch chosen
        on the selection task and of the untrained encoder; score_years and random_years, the same
        by year; epoch, the one chosen; selection, the score of each epoch, the start first.
    """
    pairs, vocabulary = bitext(english, language, run.marked)
    segmenter = Segmenter(english.scheme, vocabulary, english.models)
    architecture = EncoderConfig("averaging", dimension)
    config = TrainingConfig(**training, seed=run.seed)
    trainer = Trainer(architecture, len(vocabulary), pairs, config)
    start: list[PairScores] = []

    def validate(table: Tensor, composition: nn.Module) -> float:
        encoder = SentenceEncoder(architecture, segmenter, table, composition)
        if not start:  # the first call is for the untrained encoder
            start.append(score(encoder, english.tasks))
        task = english.selection
        found = select_score(encoder.encode_ids, task.first, task.second, task.gold)
        composition.train()
        return found

    trained = trainer.run(validate, show=False)
    best = SentenceEncoder(architecture, segmenter, trained.table, trained.composition)
    scores = score(best, english.tasks)
    return {
        "marked": run.marked,
        "seed": run.seed,
        "pairs": trained.pairs,
        "score": _x100(mean_of_years(scores)),
        "score_years": _years(scores),
        "random": _x100(mean_of_years(start[0])),
        "random_years": _years(start[0]),
        "epoch": trained.best_epoch,
        "selection": [round(entry.validation, _DECIMALS) for entry in trained.history],
    }


def score(encoder: SentenceEncoder, tasks: Sequence[SegmentedTask]) -> PairScores:
    """Return the cosine of every pair of the tasks."""
    return PairScores(
        tasks=tuple(task.name for task in tasks),
        years=tuple(int(task.name.split(".")[0]) for task in tasks),
        gold=tuple(task.gold for task in tasks),
        cosine=tuple(
            cosine_similarity(encoder.encode_ids(task.first), encoder.encode_ids(task.second))
            for task in tasks
        ),
    )


def _years(scores: PairScores) -> dict[str, float]:
    """Return the mean over each year's tasks of Pearson's r x 100."""
    r, years = task_correlations(scores), np.asarray(scores.years)
    return {str(year): _x100(r[years == year].mean()) for year in np.unique(years)}


def _x100(value: float) -> float:
    """Correlation x 100, rounded so that the last bits of a sum do not reach the file."""
    return round(100 * float(value), _DECIMALS)
