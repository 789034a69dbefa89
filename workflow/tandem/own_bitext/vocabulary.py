"""The segmentation of a bitext folder: learned from a sample of its training pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from tandem.files.io import read_json, read_lines
from tandem.own_bitext import recipes
from tandem.segmentation.segmenter import Segmenter, learn, segment_lines


def segment(
    text: Path,
    languages: Sequence[str],
    settings: Mapping[str, Any],
    segmenter: Segmenter | None,
    folder: Path,
) -> None:
    """Segment the training and validation splits into an existing folder.

    Args:
        text: the bitext folder, whose training pairs are shuffled: the first ones are the sample.
        languages: of the two sides.
        settings: those of the segmentation that are asked for.
        segmenter: what segments; None: one is learned.
        folder: where segmented text and the segmenter go.
    """
    if segmenter is not None:
        segmenter.save(folder)
    else:
        pairs = read_json(text / "splits.json")["train"]
        sample = recipes.sample(settings)
        texts = {side: partial(_first, text / f"train.{side}", sample) for side in languages}
        characters = Counter(chain.from_iterable(chain.from_iterable(t() for t in texts.values())))
        kind = recipes.segmentation(pairs, characters, languages, settings)
        segmenter = learn(kind, texts, folder)
    for side in languages:
        for split in ("train", "valid"):
            lines = read_lines(text / f"{split}.{side}")
            segment_lines(segmenter, lines, side, folder / f"{split}.{side}")


def _first(path: Path, lines: int) -> Iterator[str]:
    return islice(read_lines(path), lines)
