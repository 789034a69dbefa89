"""The pairs that training pairs are chosen from, and those held apart to train what scores pairs.

candidates.tsv has reference, paraphrase, cost of the translation (empty where there is none);
apart.tsv has reference, back-translation; about.json what share of the references the translator
was trained on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tandem.corpora.collection import Part
from tandem.errors import TandemError
from tandem.files.io import read_lines, write_lines
from tandem.text.spelling import key


class Candidate(NamedTuple):
    """A pair; the cost of its translation, negative log-probability per token, where known."""

    reference: str
    paraphrase: str
    cost: float | None

    @property
    def sides(self) -> tuple[str, str]:
        """The two texts."""
        return self.reference, self.paraphrase


def back_translated(folder: Path, sides: tuple[str, str], split: str) -> Iterator[Candidate]:
    """Yield the pairs of a back-translated corpus's split, with their costs.

    wieting2017, section 5.6: the negative log-probability of a translation, divided by its tokens.
    """
    references, translations = (read_lines(folder / f"{split}.{side}") for side in sides)
    scores = read_lines(folder / f"{split}.{sides[1]}.scores.tsv")
    next(scores)
    for reference, translation, row in zip(references, translations, scores, strict=True):
        log_probability, tokens = row.split("\t")
        yield Candidate(reference, translation, -float(log_probability) / max(int(tokens), 1))


def versions(
    folder: Path, parts: Iterable[Part], pair: Sequence[str] | None, seed: int
) -> Iterator[Candidate]:
    """Yield the pairs of two versions of a text, or of any two, in an order that the seed draws.

    Raises:
        TandemError: the collection does not pair these two.
    """
    every = {(part.left, part.right): part for part in parts if part.monolingual}
    chosen = [part for sides, part in every.items() if not pair or {*sides} == {*pair}]
    if not chosen:
        problem = f"{folder}: no pairs of {' and '.join(pair or ['two versions'])}"
        listed = ", ".join(map(" and ".join, every))
        raise TandemError(f"{problem}; there are {listed or 'none'}. Name two of these")
    rows = [
        line.split("\t")[1:3] for part in chosen for line in read_lines(part.path(folder, "train"))
    ]
    for place in np.random.default_rng(seed).permutation(len(rows)).tolist():
        left, right = rows[place]
        yield Candidate(left, right, None)


def parallel(folder: Path, sides: tuple[str, str]) -> Iterator[Candidate]:
    """Yield the training pairs of a bitext, in the order that its own seed drew."""
    both = (read_lines(folder / f"train.{side}") for side in sides)
    for left, right in zip(*both, strict=True):
        yield Candidate(left, right, None)


def control(candidates: list[Candidate], kind: str, seed: int) -> Iterator[Candidate]:
    """Yield each reference with a random other one, or with itself."""
    others = list(range(len(candidates)))
    if kind == "random":
        # each takes the next in a random circle, so never itself
        circle = np.random.default_rng(seed).permutation(len(candidates))
        others = np.roll(circle, 1)[np.argsort(circle)].tolist()
    for pair, other in zip(candidates, others, strict=True):
        yield Candidate(pair.reference, candidates[other].reference, None)


def met_share(folder: Path, trained_on: Path) -> float:
    """Return the share of the references, candidates and apart, that a translator was trained on.

    Text is the same if only case and white space differ. `trained_on` is the file of the target
    side of the translator's training pairs.
    """
    trained = set(map(key, read_lines(trained_on)))
    references = [pair.reference for pair in read(folder)]
    references += [reference for reference, _ in read_apart(folder)]
    return sum(key(reference) in trained for reference in references) / len(references)


def write(folder: Path, candidates: Iterable[Candidate], number: int) -> None:
    """Write the first `number` pairs into an existing folder.

    Raises:
        TandemError: there are fewer.
    """
    rows = (
        f"{pair.reference}\t{pair.paraphrase}\t{'' if pair.cost is None else f'{pair.cost:.6f}'}"
        for pair in islice(candidates, number)
    )
    written = write_lines(folder / "candidates.tsv", rows)
    if written < number:
        raise TandemError(f"{folder.name} has {written:,} pairs, and {number:,} are asked for")


def read(folder: str | Path) -> list[Candidate]:
    """Return the pairs that training pairs are chosen from."""
    rows = (line.split("\t") for line in read_lines(Path(folder) / "candidates.tsv"))
    return [Candidate(left, right, float(cost) if cost else None) for left, right, cost in rows]


def read_apart(folder: str | Path) -> list[tuple[str, str]]:
    """Return the pairs held apart; none for a text without a translator."""
    path = Path(folder) / "apart.tsv"
    if not path.exists():
        return []
    rows = (line.split("\t") for line in read_lines(path))
    return [(left, right) for left, right in rows]
