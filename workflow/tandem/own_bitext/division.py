"""The text of a training, divided: what one pair of languages holds out, none of them trains on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.bitext import build_bitext
from tandem.corpora.origins import stored
from tandem.corpora.split import NOWHERE, Elsewhere
from tandem.encoders.measured import Languages, name_of
from tandem.errors import InputError, TandemError
from tandem.files.io import atomic_folder, read_json, read_lines, write_json, write_lines
from tandem.filtering.kinds.ratio import MEASURED, usual_ratio
from tandem.own_bitext.asked import Asked
from tandem.own_bitext.inputs import Source
from tandem.text import Pair
from tandem.text.spelling import key

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
    """Yield what filters that removed over a fifth of a bitext removed, and what was not drawn."""
    cleaning, splits = (read_json(place / f"{name}.json") for name in ("cleaning", "splits"))
    if splits["also"] < splits["also_read"]:
        yield (
            f"of {splits['also_read']:,} pairs beside your {splits['own']:,}, {splits['also']:,} "
            "are drawn: more would count for more than yours (--also-per-pair)"
        )
    for name, pairs in cleaning.get("examples", {}).items():
        yield (
            f"warning: the filter {name} left out {cleaning['removed'][name]:,} of "
            f"{cleaning['read']:,} pairs, such as:"
        )
        for sides in pairs:
            yield f"  {' / '.join(f'{t[:_WIDTH]}...' if len(t) > _WIDTH else t for t in sides)}"


def pairs_in(folder: Path, split: str, languages: Languages) -> Iterator[Pair]:
    """Yield the pairs of a split of a bitext folder."""
    return zip(*(read_lines(folder / f"{split}.{side}") for side in languages), strict=True)


def _divided(
    how: Asked, sources: Sequence[Source], languages: Languages, text: Path, elsewhere: Elsewhere
) -> Elsewhere:
    """Write one bitext folder; return the keys of what it holds out."""
    place = text / name_of(languages)
    main, beside = ([s for s in sources if s.aside == aside] for aside in (False, True))
    text_of = {s.corpus.name: s.pairs(languages) for s in main}
    sizes = [_count([source], languages) for source in beside]
    drawn = min(sum(sizes), how.also_per_pair * _count(main, languages)) if beside else 0
    measured = (islice(s.pairs(languages), MEASURED) for s in main)
    usual = usual_ratio(chain.from_iterable(measured))
    settings = how.bitext(list(text_of), languages, usual)
    try:
        splits = build_bitext(
            text_of, settings, place, most_held_out=MOST_HELD_OUT, elsewhere=elsewhere,
            aside=_drawn(beside, sizes, languages, drawn, how.seed),
        )  # fmt: skip
    except InputError:
        raise  # it names the file
    except TandemError as error:
        if len(how.pairs) > 1:
            raise TandemError(f"{place.name}: {error}") from error
        raise
    read = read_json(place / "cleaning.json")["sources"]
    counts = {"own": sum(map(read.get, text_of)), "also_read": sum(sizes), "also": drawn}
    write_json(place / "splits.json", splits | counts)
    return Elsewhere(*(_keys(place, split, languages) for split in Elsewhere._fields))


def _count(sources: Iterable[Source], languages: Languages) -> int:
    return sum(1 for source in sources for _ in source.pairs(languages))


def _drawn(
    sources: Sequence[Source],
    sizes: Sequence[int],
    languages: Languages,
    drawn: int,
    seed: int,
) -> dict[str, Iterable[Pair]]:
    """Return so many of the pairs of all sources together, drawn by a seed, in their order."""
    taken = np.random.default_rng(seed).permutation(sum(sizes)) < drawn
    ends = np.cumsum(sizes, dtype=int)
    return {
        source.corpus.name: compress(source.pairs(languages), taken[end - size : end])
        for source, size, end in zip(sources, sizes, ends, strict=True)
    }


def _keys(place: Path, split: str, languages: Languages) -> NDArray[np.uint64]:
    texts = chain.from_iterable(pairs_in(place, split, languages))
    return np.fromiter(map(key, texts), np.uint64)


def _all(held: Iterable[Elsewhere]) -> Elsewhere:
    return Elsewhere(*map(np.concatenate, zip(NOWHERE, *held, strict=True)))


def _leave_out(place: Path, languages: Languages, held: set[int]) -> None:
    """Drop the training pairs that have a text with one of these keys; count them."""
    pairs = pairs_in(place, "train", languages)
    free = (held.isdisjoint(map(key, pair)) for pair in pairs)
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
    splits["train"] -= left_out
    splits["dropped_overlapping"] += left_out
    write_json(place / "splits.json", splits)
