"""Labelled pairs as ids, to be trained on.

    segmenter/                            the vocabulary
    {train,valid}.{left,right}.*.npy      the sentences' ids, see `ragged`
    {train,valid}.{left,right}.keys.npy   (pairs,) int64, equal for sentences that say the same
    {train,valid}.labels.npy              (pairs,) int64, 1 where both sides do, else 0

The validation split is what an epoch is selected by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from tandem.corpora.labelled import Line, read_training
from tandem.segmentation.ragged import Ragged, concatenate, save_array, save_stream
from tandem.segmentation.segmentation import LINES, Segmentation
from tandem.segmentation.segmenter import Segmenter, learn

SPLITS = {"train": "train.tsv", "valid": "selection.tsv"}
"""The splits that training reads, and what each is made from."""


def segment_labelled(
    corpus: Path, segmentation: Segmentation, folder: Path, segmenter: Segmenter | None = None
) -> Segmenter:
    """Write the files that the head of this module lists into an existing folder.

    `segmenter` is used as it is and copied; without one it is learned from the training sentences.

    Raises:
        TandemError: it does not know a language of the pairs.
    """
    (folder / "segmenter").mkdir()
    if segmenter is None:
        train = corpus / SPLITS["train"]
        codes = {c for x in read_training(train) for c in (x.left_language, x.right_language)}
        texts = {code: partial(_texts, train, code) for code in sorted(codes)}
        segmenter = learn(segmentation, texts, folder / "segmenter")
    else:
        segmenter.save(folder / "segmenter")
    for split, name in SPLITS.items():
        lines: Callable[[], Iterable[Line]] = partial(read_training, corpus / name)
        for side in ("left", "right"):
            ids = _segmented(lines(), segmenter, side)
            save_stream(folder / f"{split}.{side}", ids, len(segmenter) - 1)
            _save(folder / f"{split}.{side}.keys.npy", (getattr(x, f"{side}_key") for x in lines()))
        _save(folder / f"{split}.labels.npy", (line.label for line in lines()))
    return segmenter


def _save(path: Path, numbers: Iterable[int]) -> None:
    save_array(path, [np.fromiter(numbers, np.int64)], np.int64)


def _texts(path: Path, language: str) -> Iterator[str]:
    """Yield the sentences of a language."""
    for line in read_training(path):
        if line.left_language == language:
            yield line.left
        if line.right_language == language:
            yield line.right


def _segmented(lines: Iterable[Line], segmenter: Segmenter, side: str) -> Iterator[Ragged]:
    """Yield the ids of a side of lines, in which languages may change from line to line."""
    stream = iter(lines)
    while block := list(islice(stream, LINES)):
        codes = [getattr(line, f"{side}_language") for line in block]
        parts, places = [], []
        for code in sorted(set(codes)):
            here = [number for number, other in enumerate(codes) if other == code]
            parts.append(segmenter.encoder(code)(_side([block[n] for n in here], side)))
            places += here
        yield concatenate(parts).gather(np.argsort(places))


def _side(lines: Sequence[Line], side: str) -> list[str]:
    return [getattr(line, side) for line in lines]
