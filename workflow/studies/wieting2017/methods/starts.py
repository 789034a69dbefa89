"""The encoders that training starts from."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tandem.encoders.token_vectors import frequency_weights
from wieting2017.methods.word_vectors import start_vectors, started

if TYPE_CHECKING:
    from tandem.encoders.encoder import Encoder
    from tandem.encoders.model import SentenceEncoder
    from tandem.segmentation.segmenter import Segmenter
    from wieting2017.methods.settings import Experiment

logger = logging.getLogger(__name__)


def starts(
    experiment: Experiment,
    compared: str,
    segmenter: Segmenter,
    kind: Encoder,
    seeds: Iterable[int],
    files: Sequence[str],
    shares: str | Path,
) -> dict[int, SentenceEncoder]:
    """Return the encoder that training starts from, by seed.

    Args:
        experiment: says what words start from.
        compared: the entry of the comparison whose encoder it is.
        segmenter: of English, into words.
        kind: the encoder's.
        seeds: draw whatever words do not start from.
        files: the file or folder of word vectors; empty: the seed draws them.
        shares: file of the share of each word in the study's text, (vocabulary,).
    """
    source, vectors = experiment.start or experiment.baseline or "what the seed draws", {}
    if files:
        vectors = start_vectors(Path(files[0]), segmenter.units("en"), kind.dimension)
        logger.info("%d of %d words have vectors in %s", len(vectors), len(segmenter), source)
    a = experiment.encoders[compared].frequent
    weights = frequency_weights(np.load(shares), a) if a else None
    return {seed: started(segmenter, kind, seed, vectors, source, weights) for seed in seeds}
