"""Training encoders for each language of a panel, with and without the marker, and scoring them.

Wieting et al. (2019), "Does Language Choice Matter?": SP models, the two languages segmented
separately. English is segmented once for a panel and its pieces have the first ids, so that beside
every language a seed gives English the same initial vectors, and the untrained encoder the same
score. Every encoder is scored after its last epoch: no score chooses anything. Only the scores are
kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import Encoder
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.progress import progress_bar
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmentation import Segmentation
from tandem.segmentation.segmenter import Segmenter, learn
from tandem.tasks.task import MEAN, Task
from tandem.training.pairs import Pairs
from tandem.training.run import Run, train_encoder
from wieting2019.methods.english import ENGLISH
from wieting2019.methods.overlap import joint_vocabulary, mark, measured_overlap
from wieting2019.methods.panel import read_english, read_language

_DECIMALS = 4


@dataclass(frozen=True)
class English:
    """What all languages of a panel share.

    Attributes:
        segmenter: of English; the places of its vocabulary are the ids of English pieces.
        sentences: of the panel, as ids.
        task: what encoders are scored on: STS by years.
        data: what the task reads.
        unit: which mean of years is a language's score.
    """

    segmenter: Segmenter
    sentences: Ragged
    task: Task
    data: Mapping[str, Path]
    unit: str = MEAN
    _starts: dict[str, dict[str, float]] = field(default_factory=dict)

    def score(self, encoder: SentenceEncoder) -> dict[str, float]:
        """Return the means of years of Pearson's r x 100, and that of each year.

        Only the rows of English pieces are read, so one segmenter, which remembers the words of
        the STS sentences, serves every language.
        """
        table = encoder.table[: len(self.segmenter)]
        encoder = SentenceEncoder(self.segmenter, encoder.kind, table, encoder.weights)
        items = self.task.score(encoder, self.data)
        if self.unit not in (units := self.task.units(items)):
            problem = f"STS has no mean {self.unit!r}: there are {', '.join(units)}"
            raise TandemError(f"{problem}. Correct `unit` of figure1, or `subsets` of its task")
        # rounded, so that the last bits of a sum do not reach the file
        return {u: round(self.task.estimate(items, u), _DECIMALS) for u in units}

    def start(self, kind: Encoder, seed: int) -> dict[str, float]:
        """Return the scores of the untrained encoder, which all languages share."""
        key = f"{kind!r} {seed}"
        if key not in self._starts:
            drawn = initialise(kind, len(self.segmenter), seed)
            self._starts[key] = self.score(as_encoder(self.segmenter, *drawn))
        return self._starts[key]


@dataclass(frozen=True)
class SegmentedLanguage:
    """A segmented language: the rows of English that it translates, and its own ids and pieces."""

    code: str
    rows: np.ndarray
    sentences: Ragged
    pieces: list[str]


def load_english(
    panel: str | Path, segmenter: str | Path, sts: str | Path, task: Task, unit: str = MEAN
) -> English:
    """Read and segment what all languages of a panel share.

    Args:
        panel: folder that `build_panel` wrote.
        segmenter: folder that `learn_english` wrote.
        sts: folder of STS tasks.
        task: STS by years.
        unit: which mean of years is a language's score.
    """
    pieces = Segmenter.load(segmenter)
    sentences = pieces.encoder(ENGLISH)(read_english(panel))
    return English(pieces, sentences, task, {"sts": Path(sts)}, unit)


def load_language(panel: str | Path, code: str, how: Segmentation) -> SegmentedLanguage:
    """Read a language of a panel, learn its pieces from its own text, and segment it.

    Raises:
        TandemError: when the text is too small for so many pieces.
    """
    rows, translations = read_language(panel, code)
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        segmenter = learn(how, {code: lambda: translations}, Path(folder))
        sentences = segmenter.encoder(code)(translations)
    return SegmentedLanguage(code, rows, sentences, segmenter.vocabulary)


def bitext(english: English, language: SegmentedLanguage, marked: bool) -> tuple[Pairs, list[str]]:
    """Return a language's pairs as ids of a joint vocabulary, and it, with English pieces first."""
    pieces = language.pieces
    if marked:
        pieces = mark(pieces, f"<{language.code}>", english.segmenter.vocabulary)
    vocabulary, ids = joint_vocabulary(english.segmenter.vocabulary, pieces)
    other = Ragged(ids[language.sentences.ids].astype(np.int32), language.sentences.offsets)
    return Pairs(english.sentences.gather(language.rows), other, monolingual=False), vocabulary


def train_languages(
    english: English,
    panel: str | Path,
    codes: Sequence[str],
    runs: Sequence[Run],
    markers: Sequence[bool],
) -> list[dict[str, Any]]:
    """Train and score the encoders of some languages of a panel, one after the other.

    Which languages are trained together changes no result.

    Args:
        english: what the languages share.
        panel: folder that `build_panel` wrote.
        codes: of the languages.
        runs: what is trained for each of them; one run for each seed.
        markers: False for plain pieces, True for marked ones.

    Returns:
        For each language: language, pairs, pieces (its own), overlap (see `Overlap`), and runs,
        marked and what `train` returns for each marker and run.
    """

    def scores(code: str) -> dict[str, Any]:
        language = load_language(panel, code, english.segmenter.segmentation)
        text, pieces = english.sentences.gather(language.rows), english.segmenter.vocabulary
        other = language.sentences
        shared = measured_overlap(text.ids, pieces, other.ids, language.pieces)
        trained = []
        for marked in markers:
            pairs, vocabulary = bitext(english, language, marked)
            scored = (train(english, pairs, vocabulary, run) for run in runs)
            trained += [{"marked": marked, **scores} for scores in scored]
        measured = {"pairs": len(other), "pieces": len(language.pieces), "overlap": asdict(shared)}
        return {"language": code, **measured, "runs": trained}

    return [scores(code) for code in progress_bar(codes, desc="training", unit=" languages")]


def train(english: English, pairs: Pairs, vocabulary: list[str], run: Run) -> dict[str, Any]:
    """Train one encoder and score it, as it is after the last epoch, on the STS tasks.

    Returns:
        seed, pairs; score and random, the mean of years in Pearson's r x 100 of the trained
        and of the untrained encoder; score_years and random_years, the same by year, and other
        means; loss, of each epoch.
    """
    segmenter = Segmenter(english.segmenter.segmentation, vocabulary, english.segmenter.models)
    # on the CPU: many small trainings in one job, and many jobs side by side
    trained, history = train_encoder(run, segmenter, [pairs], None, device="cpu", show=False)
    score_years = english.score(trained)
    random_years = dict(english.start(run.encoder, run.seed))
    return {
        "seed": run.seed,
        "pairs": trained.metadata["pairs"],
        "score": score_years.pop(english.unit),
        "score_years": score_years,
        "random": random_years.pop(english.unit),
        "random_years": random_years,
        "loss": [round(entry.loss, _DECIMALS) for entry in history if entry.loss is not None],
    }
