"""The text of a training, divided: what one pair of languages holds out, none of them trains on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, count
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.bitext import ASIDE, build_bitext
from tandem.corpora.origins import stored
from tandem.corpora.split import NOWHERE, Elsewhere
from tandem.encoders.measured import Languages, name_of
from tandem.errors import InputError, TandemError
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_json, read_lines, write_json, write_lines
from tandem.filtering.kinds.ratio import MEASURED, usual_ratio
from tandem.own_bitext.asked import Asked
from tandem.own_bitext.inputs import Source
from tandem.text import Pair
from tandem.text.draws import reservoir
from tandem.text.spelling import bare_key

T = TypeVar("T")

_WIDTH = 60
"""Characters of a text that a warning shows."""
ORIGINS = "origins.json"
MOST_HELD_OUT = 0.05
"""Largest share of the pairs that is held out for each of the three purposes."""


def divide(how: Asked, sources: Sequence[Source], folder: Path) -> None:
    """Write a bitext folder for each pair of languages, of its name.

    A text that one of them holds out is held out for the same purpose in the others, or left out.
    ORIGINS has the corpora whose licences are known, as metadata have them.
    Memory: that of one at a time, and the keys of all that is held out.

    Raises:
        TandemError: one of them has too few pairs.
    """
    with atomic_folder(folder) as text:
        held: list[Elsewhere] = []
        for languages in how.pairs:
            mine = [source for source in sources if set(source.languages) == set(languages)]
            held.append(_divided(how, mine, languages, text, _all(held)))
        for number, languages in enumerate(how.pairs):
            if later := held[number + 1 :]:
                _leave_out(text / name_of(languages), languages, {*chain(*_all(later))})
        origins = stored(source.origin for source in sources if source.origin)
        write_json(text / ORIGINS, origins)


def losses(place: Path) -> Iterator[str]:
    """Yield what filters that removed over a fifth of a bitext removed, and what was not drawn.

    Text beside it is counted apart.
    """
    cleaning, splits = (read_json(place / f"{name}.json") for name in ("cleaning", "splits"))
    if splits["also"] < splits["also_read"]:
        yield (
            f"of {splits['also_read']:,} pairs beside your {splits['own']:,}, {splits['also']:,} "
            "are drawn: more would count for more than yours (--also-per-pair)"
        )
    for part, where in ((cleaning, ""), (cleaning.get("also", {}), " beside yours")):
        for name, pairs in part.get("examples", {}).items():
            yield (
                f"warning: the filter {name} left out {part['removed'][name]:,} of "
                f"{part['read']:,} pairs{where}, such as:"
            )
            for sides in pairs:
                yield f"  {' / '.join(f'{t[:_WIDTH]}...' if len(t) > _WIDTH else t for t in sides)}"


def main_training(folder: Path, languages: Languages) -> Iterator[Pair]:
    """Yield the training pairs of a bitext folder without those of text beside it."""
    return compress(pairs_in(folder, "train", languages), ~beside(folder))


def beside(folder: Path) -> NDArray[np.bool_]:
    """Tell which training pairs of a bitext folder are of text beside one's own, (pairs,)."""
    if (path := folder / ASIDE).exists():
        return np.load(path)
    return np.zeros(read_json(folder / "splits.json")["train"], np.bool_)


def pairs_in(folder: Path, split: str, languages: Languages) -> Iterator[Pair]:
    """Yield the pairs of a split of a bitext folder."""
    return zip(*(read_lines(folder / f"{split}.{side}") for side in languages), strict=True)


def _divided(
    how: Asked, sources: Sequence[Source], languages: Languages, text: Path, elsewhere: Elsewhere
) -> Elsewhere:
    """Write one bitext folder; return the keys of what it holds out."""
    place = text / name_of(languages)
    main, others = ([s for s in sources if s.aside == aside] for aside in (False, True))
    size, usual = _measured(main, languages)
    sizes = [sum(1 for _ in source.pairs(languages)) for source in others]
    drawn = min(sum(sizes), how.also_per_pair * size)
    text_of = _by_name(main, (source.pairs(languages) for source in main))
    also = _by_name(others, _drawn(others, sizes, languages, drawn, how.seed))
    settings = how.bitext(list(text_of), languages, usual)
    try:
        splits = build_bitext(
            text_of, settings, place, most_held_out=MOST_HELD_OUT, elsewhere=elsewhere, aside=also
        )
    except InputError:
        raise  # it names the file
    except TandemError as error:
        if len(how.pairs) > 1:
            raise TandemError(f"{place.name}: {error}") from error
        raise
    counts = {"own": size, "also_read": sum(sizes), "also": drawn}
    write_json(place / "splits.json", splits | counts)
    return Elsewhere(*(_keys(place, split, languages) for split in Elsewhere._fields))


def _measured(sources: Sequence[Source], languages: Languages) -> tuple[int, float]:
    """Return the number of pairs of some sources together, and the usual ratio of their lengths.

    That is of pairs drawn from all of them: text is often sorted, by kind or by length.
    """
    pairs = chain.from_iterable(source.pairs(languages) for source in sources)
    drawn, size = reservoir(pairs, MEASURED, seed=0)
    return size, usual_ratio(drawn)


def _by_name(sources: Iterable[Source], texts: Iterable[T]) -> dict[str, T]:
    """Return a text of each source by its name; names that repeat are numbered.

    A file may be called as a dictionary is.
    """
    named: dict[str, T] = {}
    for source, text in zip(sources, texts, strict=True):
        name = source.corpus.name
        others = (f"{name} ({number})" for number in count(2))
        named[next(free for free in chain([name], others) if free not in named)] = text
    return named


def _drawn(
    sources: Sequence[Source],
    sizes: Sequence[int],
    languages: Languages,
    drawn: int,
    seed: int,
) -> list[Iterator[Pair]]:
    """Return, by source, so many of the pairs of all together, drawn by a seed, in their order."""
    taken = np.random.default_rng(seed).permutation(sum(sizes)) < drawn
    ends = np.cumsum(sizes, dtype=int)
    return [
        compress(source.pairs(languages), taken[end - size : end])
        for source, size, end in zip(sources, sizes, ends, strict=True)
    ]


def _keys(place: Path, split: str, languages: Languages) -> NDArray[np.uint64]:
    texts = chain.from_iterable(pairs_in(place, split, languages))
    return np.fromiter(map(bare_key, texts), np.uint64)


def _all(held: Iterable[Elsewhere]) -> Elsewhere:
    return Elsewhere(*map(np.concatenate, zip(NOWHERE, *held, strict=True)))


def _leave_out(place: Path, languages: Languages, held: set[int]) -> None:
    """Drop the training pairs that have a text with one of these bare keys; count them."""
    pairs = pairs_in(place, "train", languages)
    free = (held.isdisjoint(map(bare_key, pair)) for pair in pairs)
    rows = np.fromiter(free, np.bool_)
    left_out = int(len(rows) - rows.sum())
    if left_out == len(rows):
        problem = f"{place.name}: other pairs of languages hold out texts of all {left_out:,} pairs"
        raise TandemError(f"{problem}. Give more text, or lower --held-out")
    if not left_out:
        return
    for side in languages:
        path = place / f"train.{side}"
        write_lines(path, compress(read_lines(path), rows))
    splits = read_json(place / "splits.json")
    also = 0
    if (path := place / ASIDE).exists():
        aside = np.load(path)
        also = int(aside[~rows].sum())
        np.save(path, aside[rows])
        splits["also_train"] -= also
        splits["also_overlapping"] += also
    splits["train"] -= left_out
    splits["dropped_overlapping"] += left_out - also
    write_json(place / "splits.json", splits)
