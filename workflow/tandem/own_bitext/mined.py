"""Translations out of two texts that are not aligned, and the threshold that they must reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from tandem.encoders.measured import name_of, qualities, quality_in
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.search import margins
from tandem.search.candidates import Candidates, candidates, spread, without_copies
from tandem.search.margins import MinedPairs, Retrieval, Score
from tandem.search.neighbours import IndexKind, Neighbours, search
from tandem.text.spelling import key
from tandem.text.values import one_of, texts, two_languages

NEIGHBOURS = 4
"""Neighbours of a sentence in the margins that thresholds are calibrated for."""
NOTHING_KNOWN = "no {what} has a word that the model knows in the language {language}"
CHECK_LANGUAGE = "Check that it is the language of the text"


class Mined(NamedTuple):
    """A pair of sentences, its score, and where they stand in their texts, from 0."""

    score: float
    first: str
    second: str
    source: int
    target: int


def calibrated(
    encoder: SentenceEncoder, score: Score, languages: Sequence[str], k: int = NEIGHBOURS
) -> float:
    """Return the threshold that was calibrated for a score when an encoder was trained.

    TandemError where it has none, none in these languages, or none for so many neighbours.
    """
    if k != NEIGHBOURS and score is not Score.COSINE:
        problem = f"thresholds are calibrated for margins over {NEIGHBOURS} neighbours, not {k}"
        raise TandemError(f"{problem}. Give a number")
    measured = quality_in(encoder.metadata, languages)
    if score not in (limits := measured.get("thresholds", {})):
        parts = qualities(encoder.metadata).items()
        others = [name for name, part in parts if name and score in part.get("thresholds", {})]
        where = f" for {name_of(languages)}" if others else ""
        if measured:
            why = "of the pairs to calibrate on too many had no word that it knows"
        elif others:
            why = f"those that it has are for {', '.join(others)}"
        elif "dimension_before" in encoder.metadata:
            why = "compress --dimensions changed its cosines, and none was measured since"
        else:
            why = "it was not trained by tandem train"
        raise TandemError(
            f"this model has no calibrated threshold for the {score}{where}: {why}. Give a number, "
            "or measure one: tandem evaluate MODEL FILES --languages ... prints it"
        )
    return float(limits[score])


def lowest(
    encoder: SentenceEncoder,
    at_least: float | str | None,
    score: Score,
    languages: Sequence[str],
    k: int = NEIGHBOURS,
) -> float:
    """Return the lowest score of pairs to keep: `at_least`, or for None and "auto" the calibrated.

    TandemError where it is no number, or the encoder has no such threshold.
    """
    if at_least is None or at_least == "auto":
        return calibrated(encoder, score, languages, k)
    if isinstance(at_least, str) or math.isnan(at_least):
        raise TandemError(f'at_least is {at_least!r}. Give a number, or "auto"')
    return at_least


def choose(
    sides: tuple[Candidates, Candidates],
    near: Callable[[int], Neighbours],
    least: float,
    score: Score,
    retrieval: Retrieval,
    k: int,
    drop_copies: bool = False,
) -> tuple[MinedPairs, float]:
    """Return the pairs of places that are proposed and score `least` or more, and the best score.

    Args:
        sides: the different sentences of both texts.
        near: finds so many neighbours of each.
        drop_copies: a sentence that stands in both texts is not proposed for itself.

    Raises:
        TandemError: a margin is asked for where a text has only one sentence.
    """
    for name, side in zip(("first", "second"), sides, strict=True):
        if len(side) == 1 and score is not Score.COSINE:
            raise TandemError(
                f"the {name} text has one sentence only, and a margin compares it with others of "
                'its text. Score by the cosine (--score cosine, in Python score="cosine"), or give '
                "more sentences"
            )
    if drop_copies:
        lists = without_copies(near(k + 1), *sides, k)
    else:
        lists = near(k)
    pairs = margins.mine(lists, score, retrieval)
    best = max(pairs.score, default=math.nan)
    return spread(pairs.above(least), *sides, retrieval), best


def mine(
    encoder: SentenceEncoder,
    first: Iterable[str],
    second: Iterable[str],
    languages: Sequence[str],
    *,
    at_least: float | Literal["auto"] | None = "auto",
    score: Score | str = Score.RATIO,
    retrieval: Retrieval | str = Retrieval.MAX,
    k: int = NEIGHBOURS,
    index: IndexKind | str = IndexKind.EXACT,
    memory_bytes: int | None = None,
    drop_copies: bool = False,
) -> list[Mined]:
    """Find the sentences of two texts that translate each other, the best pair first.

    Sentences that differ in nothing but case and white space are searched as one, and all their
    places come back, as `spread` says. A sentence without a word that the encoder knows is in no
    pair. Both texts and their vectors are held in memory; `tandem mine` holds them on disk.

    Args:
        encoder: one that knows both languages.
        first: sentences of the first language.
        second: sentences of the second language.
        languages: codes of the two, such as ("en", "de").
        at_least: lowest score of a pair that is returned; "auto" or None: the threshold that was
            calibrated when the encoder was trained, which keeps 95% of true pairs.
        score: cosine, or a margin over the k nearest: ratio, distance, yang-9, yang-10.
        retrieval: which pairs are proposed: max (each different sentence with one other at most),
            intersection, forward or backward.
        k: neighbours that a margin looks at.
        index: exact, or for large texts ivf or hnsw, which may miss neighbours.
        memory_bytes: bound on memory while searching; None: 2 GiB beside what is held already.
        drop_copies: do not propose a sentence that stands in both texts for itself.

    Raises:
        TandemError: a text is none, or too short; a language is unknown; there is no threshold.
    """
    score = one_of(Score, score, "score")
    kinds = one_of(IndexKind, index, "index"), one_of(Retrieval, retrieval, "retrieval")
    least = lowest(encoder, at_least, score, two_languages(languages), k)
    lines = list(texts(first, "first")), list(texts(second, "second"))
    left, right = map(partial(_searched, encoder), lines, languages)
    near = partial(
        search, left[1], right[1],
        index=kinds[0], memory_bytes=memory_bytes, device=encoder.device,
    )  # fmt: skip
    pairs, _ = choose((left[0], right[0]), near, least, score, kinds[1], k, drop_copies)
    rows = zip(pairs.score.tolist(), pairs.source.tolist(), pairs.target.tolist(), strict=True)
    return [Mined(value, lines[0][i], lines[1][j], i, j) for value, i, j in rows]


def _searched(
    encoder: SentenceEncoder, text: Sequence[str], language: str
) -> tuple[Candidates, np.ndarray]:
    """Return the different sentences of a text that the encoder knows, and their vectors (c, d)."""
    if not text:
        raise TandemError("one of the texts is empty. Give some sentences")
    different = candidates(np.fromiter(map(key, text), np.uint64, len(text)))
    vectors = encoder.encode([text[place] for place in different.firsts], language)
    there = np.asarray(vectors.any(1))
    if not there.any():
        problem = NOTHING_KNOWN.format(what="sentence of the text", language=language)
        raise TandemError(f"{problem}. {CHECK_LANGUAGE}")
    return different.take(there), vectors if there.all() else vectors[there]
