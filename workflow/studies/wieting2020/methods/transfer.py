"""Scores of style transfer: whether an output has the version's manner, the meaning, its words."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tandem.errors import TandemError
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks.groups import GROUPS, drawn_means, drawn_times
from tandem.tasks.task import Encodes, Items, Places
from tandem.text.tokens import tokens
from wieting2020.methods.styles import Classifier, Triple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.generation.saving import Generator
    from tandem.statistics.correlation import FloatArray

MANNERS = ("style", "other")
"""Of which verse of a triple a model writes in the manner: see `Triple`."""
UNITS = ("style", "meaning", "mismatch", "bleu")
"""Share of outputs that the classifier takes for the version of the style, cosine of their meaning
to the source, cosine to the source of another triple, which they have nothing to do with, BLEU to
that version's true verse; all x 100."""
LANGUAGE = "en"
"""The language of all versions."""
_ORDER = 4


def controls(triples: Sequence[Triple]) -> dict[str, list[str]]:
    """Return outputs to compare with: the source and the style copied, and the true verse."""
    return {
        "copy": [triple.source for triple in triples],
        "style": [triple.style for triple in triples],
        "reference": [triple.reference for triple in triples],
    }


def path_of(plan: Places, experiment: str, seed: int, manner: str = MANNERS[0]) -> str:
    """Return the file of what a model wrote in the manner of a verse, a line for each triple."""
    return plan.path("restyled", experiment, manner, f"seed{seed}.txt")


def written(
    generator: Generator, triples: Sequence[Triple], beam: int, manner: str = MANNERS[0]
) -> Iterator[str]:
    """Yield what a model writes for each triple, by beam search.

    It reads the source and a verse of the triple, whose `manner` is wanted; a model without
    language variables reads the source alone.
    """
    from tandem.generation.writing import restyled

    has_styles = LANGUAGE in generator.languages
    styles = [getattr(triple, manner) for triple in triples] if has_styles else None
    sources = [triple.source for triple in triples]
    yield from restyled(generator, sources, styles, LANGUAGE, beam)


def score(
    outputs: Sequence[str], triples: Sequence[Triple], classifier: Classifier, encoder: Encodes
) -> Items:
    """Score outputs item by item.

    Items: `style`, `meaning` and `mismatch`, (n,), and `bleu`, (n, 10): the lengths of output and
    true verse, then the n-grams in common and all n-grams of the output, of one to four; `groups`,
    (n,), numbers that triples of one verse share.

    Raises:
        TandemError: there are not as many outputs as triples, or all triples are of one verse.
    """
    if len(outputs) != len(triples):
        raise TandemError(f"{len(outputs)} outputs for {len(triples)} triples: give one for each")
    told = zip(classifier.told(outputs), triples, strict=True)
    sources = [triple.source for triple in triples]
    every = encoder.encode([*outputs, *sources], language=LANGUAGE)
    vectors, meanings = every[: len(outputs)], every[len(outputs) :]
    _, groups = np.unique([triple.place for triple in triples], return_inverse=True)
    return {
        "style": np.array([version == triple.style_version for version, triple in told], float),
        "meaning": cosine_similarity(vectors, meanings),
        "mismatch": cosine_similarity(vectors, meanings[_elsewhere(groups)]),
        "bleu": _overlaps(outputs, [triple.reference for triple in triples]),
        "groups": groups,
    }


def _elsewhere(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each triple the place of the next one of another verse, after the last the first.

    Neighbours are of the same versions, as triples are drawn.
    """
    if (groups == groups[0]).all():
        raise TandemError("all triples are of one verse. Draw them from several")
    count = len(groups)
    rows = np.arange(count)
    others = (rows + 1) % count
    while (same := groups[others] == groups).any():
        others = np.where(same, (others + 1) % count, others)
    return others


def _overlaps(outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
    import sacrebleu

    metric = sacrebleu.BLEU(tokenize="none", effective_order=True, max_ngram_order=_ORDER)
    scored = [
        metric.sentence_score(" ".join(tokens(output)), [" ".join(tokens(reference))])
        for output, reference in zip(outputs, references, strict=True)
    ]
    return np.array([[s.sys_len, s.ref_len, *s.counts, *s.totals] for s in scored], np.float64)


def _bleu(sums: np.ndarray) -> float:
    """Return corpus BLEU from sums over items, (10,)."""
    import sacrebleu

    whole = np.round(sums).astype(int).tolist()
    counts, totals = whole[2 : 2 + _ORDER], whole[2 + _ORDER :]
    lengths = whole[0], whole[1]
    score = sacrebleu.BLEU.compute_bleu(counts, totals, *lengths, smooth_method="exp").score
    return float(score)


def estimate(items: Items, unit: str) -> float:
    """Return a figure x 100."""
    if unit == "bleu":
        return _bleu(items[unit].sum(0))
    return 100 * float(items[unit].mean())


def draws(systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
    """Bootstrap a figure of several systems on the same items: (systems, resamples), x 100.

    Verses are resampled, each with all its triples.
    """
    named = [{unit: items[unit], f"{unit}{GROUPS}": items["groups"]} for items in systems]
    drawn = drawn_times(named, [unit], resamples, [seed, zlib.crc32(unit.encode())])
    if unit == "bleu":
        return np.array([[_bleu(row) for row in drawn[unit] @ items[unit]] for items in systems])
    return 100 * drawn_means(named, unit, drawn[unit])
