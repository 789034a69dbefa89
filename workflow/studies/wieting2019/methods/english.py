"""The pieces of a panel's English text, which all its languages share.

It is a separate module so that a change of the training code rebuilds no panel.
"""

from __future__ import annotations

from pathlib import Path

from tandem.files.atomic import atomic_folder
from tandem.segmentation.kinds.sentencepiece import Sentencepiece
from tandem.segmentation.segmenter import learn
from wieting2019.methods.panel import read_english

ENGLISH = "en"


def segmentation(pieces: int, character_coverage: float) -> Sentencepiece:
    """Return the segmentation of each language, whose pieces are learned from its own text."""
    return Sentencepiece(size=pieces, separate=True, character_coverage=character_coverage)


def learn_english(
    panel: str | Path, pieces: int, character_coverage: float, folder: str | Path
) -> None:
    """Learn the pieces of a panel's English text, once for all its languages.

    Raises:
        TandemError: when the text is too small for so many pieces.
    """
    with atomic_folder(folder) as result:
        texts = {ENGLISH: lambda: read_english(panel)}
        learn(segmentation(pieces, character_coverage), texts, result)
