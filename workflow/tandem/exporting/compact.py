"""Averaging encoders in less room: fewer dimensions, on principal axes, and shorter numbers."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import numpy as np

from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision
from tandem.errors import TandemError
from tandem.exporting.card import INSTALL, NAME, ROUNDED, Card, model_card, with_corpora
from tandem.files.atomic import atomic_folder

_USAGE = """```python
from tandem import SentenceEncoder

model = SentenceEncoder.load("{place}")
vectors = model.encode(sentences, "{language}")
```

Or with its command: `tandem encode {place} my.{language} --language {language}`.
To install Tandem: {install}."""


def save_with_card(
    encoder: SentenceEncoder,
    folder: str | Path,
    card: Card,
    precision: Precision,
    place: str = "path/to/this/folder",
) -> None:
    """Write an averaging encoder as a folder that `load` reads, with a model card, README.md.

    What the card says of its text is kept in the metadata, so that copies have it. `place` is the
    name or the folder that the card tells its reader to load.
    """
    described = copy(encoder)
    described.metadata = with_corpora(encoder.metadata, card) | {NAME: card.name}
    if precision is not Precision.FLOAT32:
        described.metadata[ROUNDED] = str(precision)
    with atomic_folder(folder) as temporary:
        language = "en" if "en" in encoder.languages else encoder.languages[0]
        usage = _USAGE.format(language=language, install=INSTALL, place=place)
        text = model_card(encoder, card, usage, precision=precision)
        (temporary / "README.md").write_text(text, encoding="utf-8", newline="\n")
        described.write(temporary, precision)


def narrowed(encoder: SentenceEncoder, dimensions: int) -> SentenceEncoder:
    """Return an averaging encoder with the first `dimensions` principal axes of another's table.

    The table X, a row for each token, has the second moment M = X^T X with eigenvectors Q, by
    falling eigenvalues l_1 >= l_2 >= ... The new table is the first k = `dimensions`
    columns of X Q.

    Why: Q is orthogonal, and a mean of rows of X Q is the mean of the rows of X times Q; so at full
    width all dot products, lengths and cosines of sentences stay. Of all projections onto k
    dimensions, this one loses least of the rows: the sum of |x - Q_k Q_k^T x|^2 is the sum of the
    l_j with j > k (Eckart and Young, 1936). The mean is not taken out: cosines are of vectors as
    they are, and moving the origin changes them. All rows count alike: where frequent tokens count
    for more, function words take the first axes, and the score of the selection task falls.

    The least loss on rows is not always the least on a task: measure what k dimensions cost on the
    task that they are for.

    Raises:
        TandemError: it is of another kind, or has fewer dimensions.
    """
    kind = encoder.kind
    if not kind.rotatable:
        raise TandemError(
            f"an encoder of kind {kind.kind!r} keeps its dimensions: only an averaging one has "
            "vectors that can be rotated"
        )
    if not 1 <= dimensions <= kind.dimension:
        raise TandemError(f"dimensions is {dimensions}, not from 1 to {kind.dimension}")
    table = encoder.table.astype(np.float64)
    axes = np.linalg.eigh(table.T @ table).eigenvectors[:, ::-1]  # falling: eigh has them rise
    # an axis has two directions: take the one in which its largest component is positive
    largest = np.take_along_axis(axes, np.abs(axes).argmax(0, keepdims=True), 0)
    rotated = table @ (axes * np.sign(largest))[:, :dimensions]
    # cosines change, so that the calibrated thresholds no longer hold
    metadata = {key: value for key, value in encoder.metadata.items() if key != "quality"}
    metadata["dimension_before"] = kind.dimension
    return SentenceEncoder(
        encoder.segmenter,
        kind.model_copy(update={"dimension": dimensions}),
        np.ascontiguousarray(rotated, np.float32),
        metadata=metadata,
    )
