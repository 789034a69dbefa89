"""Which languages are compared, on how much text, and on which English sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tandem.errors import TandemError


@dataclass(frozen=True)
class Selection:
    """The languages, most text first, and the number of pairs that each is cut to."""

    languages: tuple[str, ...]
    pairs: int


@dataclass(frozen=True)
class PairedRows:
    """The same English sentences in every language: `rows[code]` holds their line numbers.

    Each array has shape (sentences,), counts from 0 and follows the order of `sentences`.
    """

    sentences: tuple[str, ...]
    rows: dict[str, NDArray[np.int64]]


def choose_languages(counts: Mapping[str, int], number: int, least: int = 1) -> Selection:
    """Choose the `number` languages with most pairs; they are cut to what the last one has.

    Args:
        counts: pairs with English, after cleaning, of each language.
        number: how many languages are compared.
        least: fewest pairs that a language must have (the paper's 100,000, for instance).

    Raises:
        TandemError: when fewer languages qualify.
    """
    enough = [code for code, pairs in counts.items() if pairs >= least]
    ranked = sorted(enough, key=lambda code: (-counts[code], code))
    if number < 1 or len(ranked) < number:
        raise TandemError(
            f"{number} languages were asked for, and {len(ranked)} of {len(counts)} have at least "
            f"{least:,} pairs: ask for fewer, or lower the least number of pairs"
        )
    chosen = tuple(ranked[:number])
    return Selection(chosen, counts[chosen[-1]])


def paired_rows(
    english: Mapping[str, Sequence[str]], seed: int, limit: int | None = None
) -> PairedRows:
    """Find the English sentences that every language has, for a paired comparison.

    A sentence that a language holds several times is taken where it first stands there. The order
    depends on the set of shared sentences and the seed alone, not on the order of any corpus.

    Args:
        english: for each language the English side of its bitext.
        seed: of the order of the sentences, and so of the choice when there is a limit.
        limit: number of sentences to keep; None keeps all.

    Raises:
        TandemError: when the languages share no sentence, or fewer than the limit.
    """
    first = {
        code: {sentence: row for row, sentence in reversed(list(enumerate(sentences)))}
        for code, sentences in english.items()
    }
    shared = sorted(set.intersection(*map(set, first.values()))) if first else []
    if not shared or (limit is not None and len(shared) < limit):
        raise TandemError(
            f"the {len(first)} languages share {len(shared):,} English sentences, and "
            f"{limit or 1:,} are needed: leave out the languages with least text, or ask for fewer"
        )
    order = np.random.default_rng(seed).permutation(len(shared))[:limit]
    sentences = tuple(shared[position] for position in order)
    rows = {
        code: np.array([found[sentence] for sentence in sentences], dtype=np.int64)
        for code, found in first.items()
    }
    return PairedRows(sentences, rows)
