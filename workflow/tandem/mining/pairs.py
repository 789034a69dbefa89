"""The pairs that are written, and their counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tandem.errors import InputError
from tandem.files.io import atomic_path
from tandem.mining.sentences import Sentences
from tandem.own_bitext.mined import CHECK_LANGUAGE, NOTHING_KNOWN
from tandem.search.candidates import spread
from tandem.search.margins import MinedPairs, Retrieval, Score
from tandem.text.spelling import same


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
    path: str, pairs: MinedPairs, sides: tuple[Sentences, Sentences], retrieval: Retrieval
) -> dict[str, Any]:
    """Write pairs of sentences, best first, at all places where these stand; return counts.

    A line has the score and both texts, as `tandem mine` writes them, then file, line and labels of
    the first, and those of the second.
    """
    rows = spread(pairs, sides[0].places, sides[1].places, retrieval)
    copies = 0
    with atomic_path(path) as place, open(place, "wb") as out:
        for source, target, score in zip(rows.source, rows.target, rows.score, strict=True):
            places = int(source), int(target)
            records = [side.record(place) for side, place in zip(sides, places, strict=True)]
            copies += same(records[0][0], records[1][0])
            cells = [f"{score:.6f}", *(record[0].replace("\t", " ") for record in records)]
            for side, number, record in zip(sides, places, records, strict=True):
                file, line = side.where(number)
                cells += [file, str(line), *record[1:]]
            out.write(("\t".join(cells) + "\n").encode())
    return {"pairs": len(rows), "sentence_pairs": len(pairs), "copies": copies}


def counted(side: Sentences, searched: int) -> dict[str, Any]:
    """Return the counts of a side; `searched` sentences have a word that the model knows."""
    return {
        "files": len(side.files),
        "lines": side.lines,
        "sentences": len(side),
        "searched": searched,
        "shards": len(side.shards),
    }
