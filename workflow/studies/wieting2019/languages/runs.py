"""Training encoders for each language of a panel, with and without the marker, and scoring them.

Wieting et al. (2019), "Does Language Choice Matter?": SP models, the two languages segmented
separately. English is segmented once for a panel and its pieces have the first ids, so that beside
every language a seed gives English the same initial vectors, and the untrained encoder the same
score. Nothing but the scores is kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from tandem.encoders.model import SentenceEncoder
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segmenter import Segmenter, learn
from tandem.tasks.selection import Select, by_similarity
from tandem.tasks.sts import MEAN
from tandem.tasks.task import Task
from tandem.training.batches import Pairs
from tandem.training.loop import Run
from tandem.training.run import train_encoder, untrained_encoder
from wieting2019.languages.english import ENGLISH
from wieting2019.languages.overlap import joint_vocabulary, mark, measured_overlap
from wieting2019.languages.panel import read_english, read_language
from wieting2019.languages.settings import LanguageEncoders

_DECIMALS = 4


@dataclass(frozen=True)
class English:
    """What all languages of a panel share.

    Attributes:
        segmenter: of English; the places of its vocabulary are the ids of English pieces.
        sentences: of the panel, as ids.
        select: scores an encoder after each epoch.
        task: scores it in the end: STS by years.
        data: what the task reads.
    """

    segmenter: Segmenter
    sentences: Ragged
    select: Select
    task: Task
    data: Mapping[str, Path]


@dataclass(frozen=True)
class SegmentedLanguage:
    """A segmented language: the English rows that it translates, and its own ids and pieces."""

    code: str
    rows: np.ndarray
    sentences: Ragged
    pieces: list[str]


def load_english(
    panel: str | Path, segmenter: str | Path, sts: str | Path, selection: str | Path, task: Task
) -> English:
    """Read and segment what all languages of a panel share.

    Args:
        panel: folder that `build_panel` wrote.
        segmenter: folder that `learn_english` wrote.
        sts: folder of STS tasks.
        selection: the STS task that chooses the epoch.
        task: STS by years.
    """
    known = Segmenter.load(segmenter)
    sentences = known.encoder(ENGLISH)(read_english(panel))
    return English(known, sentences, by_similarity(known, selection), task, {"sts": Path(sts)})


def load_language(panel: str | Path, code: str, how: Segmentation) -> SegmentedLanguage:
    """Read a language of a panel, learn its pieces from its own text, and segment it.

    Raises:
        TandemError: when the text has too little for the pieces asked for.
    """
    rows, translations = read_language(panel, code)
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        segmenter = learn(how, {code: lambda: translations}, Path(folder))
        sentences = segmenter.encoder(code)(translations)
    return SegmentedLanguage(code, rows, sentences, segmenter.vocabulary)


def bitext(english: English, language: SegmentedLanguage, marked: bool) -> tuple[Pairs, list[str]]:
    """Return the pairs of a language as ids of one vocabulary, English pieces first, and it."""
    pieces = language.pieces
    if marked:
        pieces = mark(pieces, f"<{language.code}>", english.segmenter.vocabulary)
    vocabulary, ids = joint_vocabulary(english.segmenter.vocabulary, pieces)
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
        text, pieces = english.sentences.gather(language.rows), english.segmenter.vocabulary
        other = language.sentences
        shared = measured_overlap(text.ids, pieces, other.ids, language.pieces)
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
    known, select = english.segmenter, english.select
    segmenter = Segmenter(known.scheme, vocabulary, known.models)
    start, _ = untrained_encoder(run.encoder, segmenter, run.seed, select)
    best, history = train_encoder(run, segmenter, pairs, select, device="cpu", show=False)
    score, score_years = _scores(best, english)
    random, random_years = _scores(start, english)
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


def _scores(encoder: SentenceEncoder, english: English) -> tuple[float, dict[str, float]]:
    """Return the mean of years of Pearson's r x 100, and that of each year."""
    task = english.task
    items = task.score(encoder, english.data)
    # rounded, so that the last bits of a sum do not reach the file
    by_year = {unit: round(task.estimate(items, unit), _DECIMALS) for unit in task.units(items)}
    return by_year.pop(MEAN), by_year
