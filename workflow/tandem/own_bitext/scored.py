"""Pairs and their scores in a program: similarity, scoring, filtering, retrieval, calibration.

The commands of the same names do this for whole files, in constant memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from tandem.encoders.measured import with_quality
from tandem.encoders.model import SEGMENTED, SentenceEncoder
from tandem.encoders.named import open_encoder
from tandem.errors import TandemError
from tandem.filtering.filter import parse_filters
from tandem.filtering.stream import apply
from tandem.own_bitext.mined import lowest
from tandem.own_bitext.quality import different, quality
from tandem.search.margins import Score
from tandem.search.neighbours import NOBODY, search
from tandem.statistics.cosine import cosine_similarity
from tandem.text import Filled, Pair
from tandem.text.batches import batches, of_pair
from tandem.text.values import text_pairs, texts


class Scored(NamedTuple):
    """A pair of sentences and its cosine."""

    score: float
    first: str
    second: str


class Hit(NamedTuple):
    """A sentence of a corpus: its cosine with a query, its place in the corpus, and itself."""

    score: float
    place: int
    text: str


@overload
def similarity(  # type: ignore[overload-overlap]  # a text by itself is no list
    encoder: SentenceEncoder, first: str, second: str, languages: Sequence[str]
) -> float: ...


@overload
def similarity(
    encoder: SentenceEncoder, first: Iterable[str], second: Iterable[str], languages: Sequence[str]
) -> NDArray[np.float32]: ...


def similarity(
    encoder: SentenceEncoder,
    first: str | Iterable[str],
    second: str | Iterable[str],
    languages: Sequence[str],
) -> float | NDArray[np.float32]:
    """Return the cosine of two sentences, or those of the pairs of two lists, (pairs,).

    Args:
        encoder: one that knows both languages.
        first: a sentence, or sentences, of the first language.
        second: as many of the second language.
        languages: codes of the two, such as ("en", "de").

    Raises:
        TandemError: the lists differ in length, or something in them is not text.
    """
    sides = [[side] if isinstance(side, str) else [*side] for side in (first, second)]
    if isinstance(first, str) != isinstance(second, str) or len(sides[0]) != len(sides[1]):
        counts = " and ".join(f"{len(side):,}" for side in sides)
        raise TandemError(f"{counts} sentences are no pairs. Give two texts, or two equal lists")
    left, right = map(encoder.encode, sides, languages)
    cosines = np.asarray(cosine_similarity(left, right), np.float32)
    return float(cosines[0]) if isinstance(first, str) else cosines


def score(
    encoder: SentenceEncoder,
    pairs: Iterable[Pair],
    languages: Sequence[str],
    *,
    at_least: float | Literal["auto"] | None = -1.0,
) -> Iterator[Scored]:
    """Yield the pairs with their cosines, in order, reading a thousand at a time.

    A pair of which a side is blank is left out.

    Args:
        encoder: one that knows both languages.
        pairs: such as those of `read_bitext`.
        languages: codes of the two sides.
        at_least: lowest cosine of a pair that is yielded; "auto" or None: the threshold that was
            calibrated when the encoder was trained, which keeps 95% of true pairs.

    Raises:
        TandemError: a pair is not two texts, or the encoder has no threshold.
    """
    least = lowest(encoder, at_least, Score.COSINE, languages)
    for batch in batches(Filled(text_pairs(pairs)), SEGMENTED, of_pair):
        left, right = map(encoder.encode, zip(*batch, strict=True), languages)
        for pair, cosine in zip(batch, cosine_similarity(left, right).tolist(), strict=True):
            if cosine >= least:
                yield Scored(cosine, *pair)


def filter(  # noqa: A001  (as the command is called)
    pairs: Iterable[Pair], filters: Mapping[str, Any], languages: Sequence[str]
) -> Iterator[Pair]:
    """Yield the pairs that pass all filters, in order, white space collapsed.

    Args:
        pairs: such as those of `read_bitext`.
        filters: settings by name, such as `{"ratio": {"maximum": 2.5}}`; see `docs/filtering.md`.
        languages: codes of the two sides.

    Raises:
        TandemError: a pair is not two texts, or a setting makes no sense.
    """
    parsed = parse_filters(filters, files=True)
    for block in apply(text_pairs(pairs), parsed, languages, open_encoder):
        for line in block.kept.decode().split("\n")[:-1]:
            left, right = line.split("\t")
            yield left, right


def retrieve(
    encoder: SentenceEncoder,
    queries: Iterable[str],
    corpus: Iterable[str],
    languages: Sequence[str],
    *,
    k: int = 1,
    memory_bytes: int | None = None,
) -> list[list[Hit]]:
    """Return the `k` nearest sentences of a corpus for each query, the best first.

    A query without known tokens has none.

    Args:
        encoder: one that knows both languages.
        queries: sentences of the first language.
        corpus: sentences of the second language.
        languages: codes of the two.
        k: how many to find for each query.
        memory_bytes: as of `mine`.

    Raises:
        TandemError: the corpus is empty, something is not text, or a text stands for a list.
    """
    wanted, text = list(texts(queries, "queries")), list(texts(corpus, "corpus"))
    if not text:
        raise TandemError("the corpus is empty. Give some sentences")
    if not wanted:
        return []
    left, right = map(encoder.encode, (wanted, text), languages)
    near = search(left, right, k, memory_bytes=memory_bytes, device=encoder.device).forward
    return [
        [
            Hit(float(cosine), int(place), text[place])
            for place, cosine in zip(places, cosines, strict=True)
            if place != NOBODY and vector.any()
        ]
        for vector, places, cosines in zip(left, *near, strict=True)
    ]


def calibrate(
    encoder: SentenceEncoder, pairs: Iterable[Pair], languages: Sequence[str]
) -> dict[str, Any]:
    """Choose an encoder's thresholds by true pairs that it was not trained on.

    They are those that keep 95% of the first half of the pairs; the second half says how good they
    are; a pair of which a side is blank is in neither. Both are returned, and kept in
    `metadata["quality"]`, where `mine` and `score` find them; `save` the encoder to keep them for
    the commands.

    Args:
        encoder: one that knows both languages.
        pairs: sentences and their translations, some hundred or more.
        languages: codes of the two sides.

    Raises:
        TandemError: a pair is not two texts, or fewer than four pairs differ.
    """
    measured = quality(encoder, different(Filled(text_pairs(pairs))), [], languages)
    result = {"languages": [*languages], **measured}
    encoder.metadata["quality"] = with_quality(encoder.metadata, languages, result)
    return result
