"""Vectors of tokens from a pretrained encoder, which training may start from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.origins import Origin, stored
from tandem.errors import TandemError
from tandem.progress import progress_bar

if TYPE_CHECKING:
    from tandem.encoders.encoder import Encoder, Floats
    from tandem.encoders.model import SentenceEncoder
    from tandem.segmentation.ragged import Ragged
    from tandem.segmentation.segmenter import Segmenter

FREQUENT = 1e-3
"""`a` of `frequency_weights`, the paper's."""
_BATCH = 1024
_WORD = "▁"
"""What SentencePiece writes for a space."""


def on_principal_axes(vectors: NDArray, dimension: int) -> NDArray[np.float64]:
    """Return vectors, (n, d), centred, on their first `dimension` principal axes, float64.

    Raises:
        TandemError: they have fewer dimensions.
    """
    if vectors.shape[1] < dimension:
        problem = f"vectors of {vectors.shape[1]} numbers, and the encoder's have {dimension}"
        raise TandemError(f"{problem}. Set the encoder's dimension to {vectors.shape[1]} or less")
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)  # by rising eigenvalues
    return centred @ axes[:, : -dimension - 1 : -1]


def frequency_weights(shares: NDArray[np.float64], a: float = FREQUENT) -> NDArray[np.float32]:
    """Return a / (a + p) for the share p of each token in a text, (vocabulary,).

    So frequent words weigh less: Arora, Liang and Ma (2017), "A simple but tough-to-beat baseline
    for sentence embeddings".
    """
    return (a / (a + shares)).astype(np.float32)


def token_shares(sides: Iterable[Ragged], vocabulary: int) -> NDArray[np.float64]:
    """Return the share of each token of the vocabulary in segmented text, (vocabulary,)."""
    counts = np.zeros(vocabulary, np.int64)
    for side in sides:
        counts += np.bincount(side.ids, minlength=vocabulary)
    return counts / max(counts.sum(), 1)


def spelled(segmenter: Segmenter) -> list[str]:
    """Return each token of the vocabulary as it is written, without the marks of a segmenter."""
    texts = map(segmenter.segmentation.unmarked, segmenter.vocabulary)
    return [text.replace(_WORD, " ").strip() or text for text in texts]


def started_from(
    segmenter: Segmenter,
    kind: Encoder,
    seed: int,
    encodes: Mapping[Origin, Callable[[Sequence[str]], Floats]],
    shares: NDArray[np.float64],
) -> SentenceEncoder:
    """Return an encoder whose tokens have the vectors of pretrained encoders.

    Every token's text is encoded by itself, by each of `encodes`, to vectors of length 1, which
    stand side by side; they are centred, turned to their principal axes and cut to the encoder's
    dimension, weighed by `frequency_weights` of `shares`, (vocabulary,), and stretched to what a
    seed draws: numbers with a mean square of 1. The seed draws all other parameters.

    Raises:
        TandemError: the encoder has more dimensions than the vectors.
    """
    from tandem.encoders.composition import as_encoder, initialise

    table, composition = initialise(kind, len(segmenter), seed)
    texts = spelled(segmenter)
    rows = np.hstack([_encoded(texts, encode) for encode in encodes.values()])
    vectors = on_principal_axes(rows, kind.dimension) * frequency_weights(shares)[:, None]
    vectors /= max(np.sqrt((vectors**2).mean()), np.finfo(np.float32).tiny)
    table.numpy()[:] = vectors
    names = " and ".join(origin.name for origin in encodes)
    metadata = {"name": f"vectors of single tokens, from {names}", **stored(encodes)}
    return as_encoder(segmenter, table, composition, metadata)


def _encoded(texts: Sequence[str], encode: Callable[[Sequence[str]], Floats]) -> Floats:
    """Return the vectors of texts, each of length 1."""
    starts = progress_bar(range(0, len(texts), _BATCH), desc="tokens", unit="batch")
    rows = np.concatenate([encode(texts[start : start + _BATCH]) for start in starts])
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
