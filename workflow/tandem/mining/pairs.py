"""The pairs that are written, and their counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tandem.errors import InputError, TandemError
from tandem.files.atomic import atomic_path
from tandem.mining.choice import in_order
from tandem.mining.sentences import Sentences
from tandem.own_bitext.mined import CHECK_LANGUAGE, NOTHING_KNOWN
from tandem.search.candidates import spread_in_parts
from tandem.search.margins import MinedPairs, Retrieval, Score
from tandem.text.spelling import same

_CHUNK = 1 << 16
"""Lines that are handed on to be sorted at a time."""


def check_searched(sides: Iterable[tuple[Sentences, str, int]], score: Score) -> None:
    """Refuse sides that have nothing to compare: their text, language and searched sentences.

    Raises:
        InputError: the model knows no word of a side, or a margin has one sentence to look at.
    """
    for side, language, count in sides:
        if not count:
            problem = NOTHING_KNOWN.format(what="line", language=language)
            raise InputError(side.files[0], None, problem, CHECK_LANGUAGE)
        if count == 1 and score is not Score.COSINE:
            problem = "one sentence only, and a margin compares it with others of its text"
            raise InputError(side.files[0], None, problem, "Set score: cosine, or give more")


def write_pairs(
    path: str, blocks: Iterable[MinedPairs], least: float, sides: tuple[Sentences, Sentences],
    retrieval: Retrieval, scratch: Path, memory_bytes: int,
) -> dict[str, Any]:  # fmt: skip
    """Write pairs that score `least` or more, at all places where these stand; return counts.

    A line has the score and both texts, as `tandem mine` writes them, then file, line and labels of
    the first, and those of the second. Lines are sorted in `scratch`, within so many bytes.

    Args:
        path: the file that is written.
        blocks: the pairs, best first, block by block.
        least: the lowest score that is written.
        sides: the sentences.
        retrieval: how the pairs were chosen.
        scratch: a folder in which lines are sorted.
        memory_bytes: most bytes that are sorted at a time.

    Raises:
        TandemError: no pair scores so much; nothing is written.
    """
    best = math.nan
    counts = dict.fromkeys(("proposed", "sentence_pairs", "pairs", "copies"), 0)

    def at_their_places() -> Iterator[MinedPairs]:
        nonlocal best
        for pairs in blocks:
            best = max(pairs.score[0], best) if len(pairs) else best
            kept = pairs.above(least)
            counts["proposed"] += len(pairs)
            counts["sentence_pairs"] += len(kept)
            yield from spread_in_parts(kept, sides[0].places, sides[1].places, retrieval, _CHUNK)

    with atomic_path(path) as place, open(place, "wb") as out:
        for rows in in_order(at_their_places(), scratch, memory_bytes):
            counts["pairs"] += len(rows)
            for source, target, score in zip(rows.source, rows.target, rows.score, strict=True):
                line, copy = _line(int(source), int(target), score, sides)
                counts["copies"] += copy
                out.write(line)
        if not counts["pairs"]:
            scores = f"scores {least:.3f} or more; the highest is {best:.3f}. Lower at_least"
            none = "has a score. Loosen the filters that refuse them, or give more text"
            reason = none if math.isnan(best) else scores
            raise TandemError(f"no pair {reason}; nothing is written")
    return counts


def _line(
    source: int, target: int, score: float, sides: tuple[Sentences, Sentences]
) -> tuple[bytes, bool]:
    """Return the line of two places, and whether they have the same sentence."""
    both = list(zip(sides, (source, target), strict=True))
    records = [side.record(place) for side, place in both]
    cells = [f"{score:.6f}", *(record[0].replace("\t", " ") for record in records)]
    for (side, place), record in zip(both, records, strict=True):
        file, number = side.where(place)
        cells += [file, str(number), *record[1:]]
    return ("\t".join(cells) + "\n").encode(), same(records[0][0], records[1][0])


def counted(side: Sentences, searched: int) -> dict[str, Any]:
    """Return the counts of a side; `searched` sentences have a word that the model knows."""
    return {
        "files": len(side.files),
        "lines": side.lines,
        "sentences": len(side),
        "searched": searched,
        "shards": len(side.shards),
    }
