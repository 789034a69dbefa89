"""Mining tasks built from aligned sentences: translations hidden among sentences that have none.

As in BUCC (Zweigenbaum et al., 2018, "Overview of the Third BUCC Shared Task").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from tandem.corpora.readers.bucc import MiningTask
from tandem.errors import TandemError
from tandem.text.spelling import collapse, key

Aligned = tuple[Hashable, str, str]
"""Section, English text and other text of an aligned sentence."""


class BuiltTasks(NamedTuple):
    """A training and a test part, and which aligned sentences hold their gold."""

    training: MiningTask
    test: MiningTask
    excluded: frozenset[int]
    """Numbers of the aligned sentences that hold a gold sentence, or a text equal to one but for
    case and white space, or its other translations."""


def build_mining_task(
    aligned: Sequence[Aligned], language: str, seed: int, share: float, most: int | None = None
) -> BuiltTasks:
    """Hide translations among sentences that have none, as in BUCC; English is the target.

    Sentences whose texts agree on either side, but for case and white space, form a family of
    translations; one of each family is used, so no distractor equals or translates another
    sentence of its part by chance. Sections are drawn until they have enough sentences, and gold
    pairs from all of these. Their other sentences go to one of two halves, with all of their
    section, so that distractors come from other sections. The training part has the first half's
    other language and the second half's English, the test part the reverse: each half serves
    twice, and no part holds both texts of a distractor.

    Args:
        language: code of the other language, which begins its ids: fr-000000001.
        share: gold pairs over the sentences of a side.
        most: sentences of a side, but for the last section; the task never takes more than a third
            of the text. None: it takes all of the text.

    Raises:
        TandemError: when too few sentences or sections are left.
    """
    rng = np.random.default_rng(seed)
    families = {members[0]: members for members in _families(aligned)}
    count = len(families) if most is None else min(2 * most, len(families) // 3)
    chosen = _in_sections(aligned, [*families], count, rng)
    # a side holds g gold and e others with g / (g + e) = share; both parts use 2g + 2e sentences
    gold_size = int(len(chosen) / 2 * share)
    if gold_size < 1:
        problem = f"{len(chosen)} distinct aligned sentences make no mining task"
        raise TandemError(f"{problem} with a share of {share}. Give more sentences")
    order = rng.permutation(len(chosen))
    gold = [order[:gold_size], order[gold_size : 2 * gold_size]]
    rest = [chosen[place] for place in np.sort(order[2 * gold_size :])]
    halves = _halves(_by_section(aligned, rest), gold_size * (1 - share) / share / 2, rng)
    size = min(map(len, halves))
    parts = []
    for places, others in zip(gold, (halves, halves[::-1]), strict=True):
        pairs = [chosen[place] for place in places]
        wide = [rng.permutation(half)[:size].tolist() for half in others]
        parts.append(_task(aligned, language, pairs, wide, rng))
    members = {row for places in gold for place in places for row in families[chosen[place]]}
    return BuiltTasks(parts[0], parts[1], frozenset(members))


def _families(aligned: Sequence[Aligned]) -> list[list[int]]:
    """Return the numbers of aligned sentences joined by an equal text, smallest first.

    Both languages share one space of keys: an untranslated name joins what holds it. Sentences
    with an empty side are left out.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = [row for row, (_, *texts) in enumerate(aligned) if all(map(collapse, texts))]
    keys = np.array([[key(text) for text in aligned[row][1:]] for row in rows], np.uint64)
    texts, nodes = np.unique(keys, return_inverse=True)
    left, right = nodes.reshape(-1, 2).T
    shape = (len(texts), len(texts))
    _, family = connected_components(coo_array((np.ones(len(rows)), (left, right)), shape), False)
    families: dict[int, list[int]] = defaultdict(list)
    for row, number in zip(rows, family[left].tolist(), strict=True):
        families[number].append(row)
    return sorted(families.values())


def _in_sections(
    aligned: Sequence[Aligned], rows: Sequence[int], count: int, rng: np.random.Generator
) -> list[int]:
    """Return the rows of some sections, drawn until there are `count` of them, in order."""
    sections, taken = _by_section(aligned, rows), list[int]()
    for section in rng.permutation(len(sections)).tolist():
        if len(taken) < count:
            taken += sections[section]
    return sorted(taken)


def _by_section(aligned: Sequence[Aligned], rows: Sequence[int]) -> list[list[int]]:
    """Return the rows of each section."""
    sections: dict[Hashable, list[int]] = defaultdict(list)
    for row in rows:
        sections[aligned[row][0]].append(row)
    return list(sections.values())


def _halves(
    members: Sequence[Sequence[int]], least: float, rng: np.random.Generator
) -> list[list[int]]:
    """Deal whole sections to two halves of about one size, of at least so many sentences."""
    # large sections first, in random order among equals: what is dealt last evens the halves out
    order = sorted(rng.permutation(len(members)).tolist(), key=lambda s: -len(members[s]))
    halves: list[list[int]] = [[], []]
    for section in order:
        min(halves, key=len).extend(members[section])
    size = min(map(len, halves))
    if size < least:
        problem = f"the sections are too few or too uneven: the smaller half has {size} sentences"
        raise TandemError(f"{problem}. Divide the text into more sections")
    return halves


def _task(
    aligned: Sequence[Aligned],
    language: str,
    gold: Sequence[int],
    others: Sequence[Sequence[int]],
    rng: np.random.Generator,
) -> MiningTask:
    """Shuffle gold and other sentences together on each side and number them from 1."""
    texts: list[dict[str, str]] = []
    names: list[dict[int, str]] = []
    for prefix, column, rest in ((language, 2, others[0]), ("en", 1, others[1])):
        rows = rng.permutation(np.array([*gold, *rest])).tolist()
        ids = {row: f"{prefix}-{number:09d}" for number, row in enumerate(rows, start=1)}
        texts.append({ids[row]: collapse(aligned[row][column]) for row in rows})
        names.append(ids)
    pairs = sorted((names[0][row], names[1][row]) for row in gold)
    return MiningTask(texts[0], texts[1], pairs)
