"""Pairs as they are loaded for training."""

import pytest

from tandem.segmentation import ragged
from tandem.training.pairs import load_pairs


@pytest.mark.parametrize(
    ("sides", "monolingual"),
    [(("en", "de"), False), (("en", "en-bt"), True), (("en-GB", "en"), True),
     (("pt-BR", "es"), False), (("en-kjv", "en-web"), True)],
)  # fmt: skip
def test_two_versions_of_one_language_are_monolingual(tmp_path, sides, monolingual):
    for side in sides:
        ragged.save_stream(tmp_path / f"train.{side}", [ragged.from_rows([[0], [1]])], 1)
    assert load_pairs(tmp_path, "train", sides).monolingual is monolingual
