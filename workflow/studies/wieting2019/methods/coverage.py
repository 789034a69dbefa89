"""How much of the test text an encoder reads: tokens that its vocabulary has, in whole or in part.

What a vocabulary lacks is left out of a sentence. WORD has a word or not, so that much of a text on
another subject than its own is not read at all; of SentencePieces and trigrams nearly every word
has some. So a lead over WORD may be one of vocabulary rather than of training.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.sts_data import Index, read_task
from tandem.text.tokens import tokens


def token_counts(
    segmenter: Segmenter, language: str, sentences: Sequence[str]
) -> NDArray[np.int64]:
    """Count the tokens of each sentence, and those that the segmenter reads: (2, sentences).

    A token is a word or a mark, the same for every segmenter (`tandem.text.tokens`).
    """
    rows = [tokens(sentence) for sentence in sentences]
    distinct = list(dict.fromkeys(chain.from_iterable(rows)))
    lengths = segmenter.encoder(language)(distinct).lengths()
    read = {token for token, length in zip(distinct, lengths.tolist(), strict=True) if length}
    counts = [(len(row), sum(token in read for token in row)) for row in rows]
    return np.array(counts, np.int64).reshape(-1, 2).T


def share_read(segmenter: Segmenter, folder: Path, index: Index, tasks: Sequence[str]) -> float:
    """Return the share x 100 of the tokens of some STS tasks that a segmenter reads."""
    total = np.zeros(2, np.int64)
    for name in tasks:
        pairs = read_task(folder / f"{name}.tsv", index.tasks[name]["languages"])
        for lines, language in zip((pairs.first, pairs.second), pairs.languages, strict=True):
            total += token_counts(segmenter, language, lines).sum(axis=1)
    return 100 * float(total[1] / total[0])
