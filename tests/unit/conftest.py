"""What the tests of several rooms share."""

import sys

import numpy as np
import pytest

from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder
from tandem.segmentation import ragged
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn


@pytest.fixture(autouse=True)
def same_draws():
    """Let PyTorch draw the same numbers in every run of a test, whatever ran before it."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(1)


@pytest.fixture
def validation(tmp_path):
    """Return a function that writes a segmented validation split and returns its folder."""

    def write(**sides):
        for side, rows in sides.items():
            ragged.save_stream(tmp_path / f"valid.{side}", [ragged.from_rows(rows)], 3)
        return tmp_path

    return write


@pytest.fixture(scope="session")
def words(tmp_path_factory):
    """An encoder of the words en0 to en59 and de0 to de59: `de7` is near `en7`.

    `name` is a word of both languages.
    """
    sides = [[*(f"{language}{n}" for n in range(60)), "name"] for language in ("en", "de")]
    texts = {"en": lambda: sides[0], "de": lambda: sides[1]}
    segmenter = learn(Words(size=500), texts, tmp_path_factory.mktemp("words"))
    table = np.zeros((len(segmenter), 16), np.float32)
    vectors = np.random.default_rng(1).standard_normal((61, 2, 16))
    for n, (english, german) in enumerate(zip(*sides, strict=True)):
        table[segmenter.vocabulary.index(english)] = vectors[n, 0]
        table[segmenter.vocabulary.index(german)] = vectors[n, 0] + 0.3 * vectors[n, 1]
    return SentenceEncoder(segmenter, Averaging(dimension=16), table)
