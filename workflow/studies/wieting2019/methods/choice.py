"""Which languages are compared, on how much text, and on which English sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tandem.errors import TandemError

Keys = NDArray[np.uint64]
"""English sentences, each as 64 bits."""


def choose_languages(
    counts: Mapping[str, int], number: int | None, least: int = 1, pairs: int | None = None
) -> tuple[tuple[str, ...], int]:
    """Choose the `number` languages with most pairs, and the number of pairs that each is cut to.

    Args:
        counts: pairs with English, after cleaning, of each language.
        number: how many languages are compared; None for all that have enough.
        least: fewest pairs that a language must have; the paper's are 100,000.
        pairs: number that every language is cut to; None for as many as the smallest has.

    Returns:
        The languages, most text first, and the number of pairs that each is cut to.

    Raises:
        TandemError: when fewer languages qualify, or none.
    """
    least = max(least, pairs or 1)
    enough = [code for code, count in counts.items() if count >= least]
    ranked = sorted(enough, key=lambda code: (-counts[code], code))
    wanted = len(ranked) if number is None else number
    if wanted < 1 or len(ranked) < wanted:
        raise TandemError(
            f"{wanted or 1} languages were asked for, and {len(ranked)} of {len(counts)} have at "
            f"least {least:,} pairs: ask for fewer, or lower the least number of pairs"
        )
    chosen = tuple(ranked[:wanted])
    return chosen, pairs or counts[chosen[-1]]


def share_sentences(english: Mapping[str, Keys], pairs: int, seed: int) -> dict[str, Keys]:
    """Choose English sentences so that the languages have as many as possible in common.

    Sentences are ranked by the number of languages that have them, then at random, and each
    language takes the first `pairs` that it has: where enough sentences are in all languages, all
    get the same ones, a fully paired comparison. The ranking depends on the sets of sentences and
    the seed alone, not on the order of any corpus.

    Args:
        english: for each language the keys of its English sentences, each once, any order.
        pairs: sentences that each language gets.
        seed: of the order among sentences that as many languages have.

    Returns:
        For each language `pairs` keys in the order of the ranking.

    Raises:
        TandemError: when a language has fewer sentences.
    """
    for code, sentences in english.items():
        if len(sentences) < pairs:
            raise TandemError(
                f"{code} has {len(sentences):,} English sentences, and {pairs:,} are asked"
            )
    keys, languages = np.unique(np.concatenate(list(english.values())), return_counts=True)
    order = np.lexsort((np.random.default_rng(seed).permutation(len(keys)), -languages))
    rank = np.empty(len(keys), dtype=np.int64)
    rank[order] = np.arange(len(keys))
    return {
        code: keys[order[np.sort(rank[np.searchsorted(keys, sentences)])[:pairs]]]
        for code, sentences in english.items()
    }


def shared_share(chosen: Mapping[str, Keys]) -> float:
    """Return which share of a language's English sentences another language has, on average."""
    if len(chosen) < 2:
        return 1.0
    _, languages = np.unique(np.concatenate(list(chosen.values())), return_counts=True)
    both = float(np.sum(languages * (languages - 1)))
    return both / ((len(chosen) - 1) * sum(map(len, chosen.values())))
