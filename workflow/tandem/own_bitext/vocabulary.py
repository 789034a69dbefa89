"""The segmentation of bitext folders: one for all, learned from samples of their training pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem.encoders.measured import Languages, name_of
from tandem.files.io import read_json, read_lines
from tandem.own_bitext import recipes
from tandem.segmentation.segmenter import Segmenter, learn, segment_lines
from tandem.training.pairs import Pairs

MOST_UNKNOWN = 0.01
"""Largest share of pairs with a side of unknown tokens only that needs no warning."""


def segment(
    text: Path,
    pairs: Sequence[Languages],
    settings: Mapping[str, Any],
    segmenter: Segmenter | None,
    folder: Path,
) -> None:
    """Segment the training and validation splits into an existing folder.

    Args:
        text: has a bitext folder for each pair of languages, of its name. Their training pairs are
            shuffled: the first ones are the sample.
        pairs: the languages of the two sides of each.
        settings: those of the segmentation that are asked for.
        segmenter: what segments; None: one is learned.
        folder: where the segmenter goes, and segmented text into a folder for each pair.
    """
    places = {languages: text / name_of(languages) for languages in pairs}
    if segmenter is not None:
        segmenter.save(folder)
    else:
        segmenter = _learned(places, settings, folder)
    for languages, place in places.items():
        segmented = folder / place.name
        segmented.mkdir()
        for side in languages:
            for split in ("train", "valid"):
                lines = read_lines(place / f"{split}.{side}")
                segment_lines(segmenter, lines, side, segmented / f"{split}.{side}")


def shares(sizes: Sequence[int], most: int) -> list[int]:
    """Divide at most `most` pairs among texts of these sizes, equally.

    What a small text cannot fill goes to the larger ones.
    """
    result, left = [0] * len(sizes), most
    smallest_first = sorted(range(len(sizes)), key=lambda place: sizes[place])
    for number, place in enumerate(smallest_first):
        result[place] = min(sizes[place], left // (len(sizes) - number))
        left -= result[place]
    return result


def unknown(train: Pairs, valid: Pairs, beside: NDArray[np.bool_]) -> Iterator[str]:
    """Yield a warning of each part of the pairs of which many have a side without a token.

    `beside`, (training pairs,), is true of those of text beside one's own.
    """
    parts = (
        ("training pairs", train, ~beside),
        ("training pairs beside yours", train, beside),
        ("held-out pairs", valid, np.ones(len(valid.left), np.bool_)),
    )
    for name, pairs, mask in parts:
        size = int(mask.sum())
        lost = size - int(mask[pairs.usable].sum())
        if lost > MOST_UNKNOWN * size:
            yield (
                f"warning: {lost:,} of {size:,} {name} have a side of unknown tokens only, which "
                "no model can tell apart. Give more text, a larger --size or another --segmentation"
            )


def _learned(
    places: Mapping[Languages, Path], settings: Mapping[str, Any], folder: Path
) -> Segmenter:
    """Learn a segmentation of all languages."""
    sizes = [read_json(place / "splits.json")["train"] for place in places.values()]
    openers: dict[str, list[Callable[[], Iterator[str]]]] = {}
    samples = shares(sizes, recipes.sample(settings))
    for (languages, place), sample in zip(places.items(), samples, strict=True):
        for side in languages:
            opener = partial(_first, place / f"train.{side}", sample)
            openers.setdefault(side, []).append(opener)
    texts = {side: partial(_joined, opened) for side, opened in openers.items()}
    characters = Counter(chain.from_iterable(chain.from_iterable(t() for t in texts.values())))
    return learn(recipes.segmentation(sum(sizes), characters, texts, settings), texts, folder)


def _first(path: Path, lines: int) -> Iterator[str]:
    return islice(read_lines(path), lines)


def _joined(openers: Sequence[Callable[[], Iterator[str]]]) -> Iterator[str]:
    return chain.from_iterable(opener() for opener in openers)
