"""Fewer dimensions on principal axes, and cards of compact models."""

import numpy as np
import pytest
import torch

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision
from tandem.errors import TandemError
from tandem.exporting.card import Card, Score, markdown_table
from tandem.exporting.compact import narrowed, save_with_card
from tandem.segmentation.kinds.sentencepiece import Sentencepiece
from tandem.segmentation.segmenter import learn
from tandem.statistics.cosine import cosine_similarity

ENGLISH = ["the cat sat on the mat", "a dog ran and ran", "the dog saw the cat"] * 4
CZECH = ["kočka seděla na rohoži", "pes běžel", "pes viděl kočku"] * 4
TEXTS = {"en": lambda: ENGLISH, "cs": lambda: CZECH}
PIECES = Sentencepiece(size=60)
WIDTH = 12


def made(folder, kind="averaging"):
    """An encoder whose dimensions depend on each other, and whose mean is not 0."""
    (folder / "segmenter").mkdir()
    segmenter = learn(PIECES, TEXTS, folder / "segmenter")
    encoder = ENCODERS.parse({"kind": kind, "dimension": WIDTH})
    table, composition = initialise(encoder, len(segmenter), seed=1)
    mixed = torch.randn(WIDTH, WIDTH, generator=torch.Generator().manual_seed(2))
    return as_encoder(segmenter, table @ mixed + 1, composition, {"pairs": 7})


def moment(encoder):
    table = encoder.table.astype(np.float64)
    return table.T @ table


def test_at_full_width_cosines_and_lengths_stay(tmp_path):
    encoder = made(tmp_path)
    rotated = narrowed(encoder, WIDTH)
    one, other = [*ENGLISH, ""], [*CZECH, "pes"]
    before, after = (
        (each.encode(one, "en"), each.encode(other, "cs")) for each in (encoder, rotated)
    )
    assert np.abs(before[0] - after[0]).max() > 0.1
    np.testing.assert_allclose(cosine_similarity(*after), cosine_similarity(*before), atol=1e-5)
    np.testing.assert_allclose(
        np.linalg.norm(after[0], axis=1), np.linalg.norm(before[0], axis=1), rtol=1e-5
    )


def test_the_axes_are_uncorrelated_and_the_first_hold_the_most(tmp_path):
    encoder = made(tmp_path)
    found = moment(narrowed(encoder, WIDTH))
    shares = found.diagonal()
    eigenvalues = np.linalg.eigvalsh(moment(encoder))[::-1]
    np.testing.assert_allclose(shares, eigenvalues, rtol=1e-5, atol=1e-6)
    assert np.abs(found - np.diag(shares)).max() < 1e-4 * shares[0]
    assert (np.diff(shares) <= 0).all()


def test_no_other_projection_keeps_more(tmp_path):
    encoder = made(tmp_path)
    kept = moment(narrowed(encoder, 4)).trace()
    whole, random = moment(encoder), np.random.default_rng(3)
    for _ in range(200):
        axes = np.linalg.qr(random.standard_normal((WIDTH, 4))).Q
        assert (axes.T @ whole @ axes).trace() < kept


def test_the_first_dimensions_are_those_of_the_rotated_table(tmp_path):
    encoder = made(tmp_path)
    whole, part = narrowed(encoder, WIDTH), narrowed(encoder, 5)
    assert np.array_equal(part.table, whole.table[:, :5])
    assert (part.dimension, part.encode(["the cat"], "en").shape) == (5, (1, 5))
    assert part.metadata == {"pairs": 7, "dimension_before": WIDTH}
    assert encoder.metadata == {"pairs": 7}
    part.save(tmp_path / "part", Precision.INT8)
    assert SentenceEncoder.load(tmp_path / "part").dimension == 5


def test_an_axis_points_where_its_largest_component_is_positive(tmp_path):
    encoder = made(tmp_path)
    encoder.table = np.zeros_like(encoder.table)
    encoder.table[0, 3], encoder.table[1, 5] = 2.0, 1.0
    assert narrowed(encoder, 2).table[:2].tolist() == [[2.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("dimensions", [0, -1, WIDTH + 1])
def test_a_width_that_cannot_be_is_refused(dimensions, tmp_path):
    with pytest.raises(TandemError, match=f"not from 1 to {WIDTH}"):
        narrowed(made(tmp_path), dimensions)


def test_an_lstm_keeps_its_dimensions(tmp_path):
    with pytest.raises(TandemError, match="lstm.*averaging"):
        narrowed(made(tmp_path, kind="lstm"), 4)


def test_a_card_says_how_to_use_the_folder_and_what_was_measured(tmp_path):
    encoder = made(tmp_path)
    card = Card("Many", [("books", "CC0-1.0")], [Score("STS", "r x 100", 61.25, 60, 62.5)])
    save_with_card(encoder, tmp_path / "model", card, Precision.INT8)
    text = (tmp_path / "model/README.md").read_text(encoding="utf-8")
    for part in (
        "# Many", "| books | CC0-1.0 |", "| STS | r x 100 | 61.2 | 60.0 to 62.5 |",
        "library_name: tandem", "does not count", "--language en",
        "before the numbers were rounded to int8",
    ):  # fmt: skip
        assert part in text
    assert "sentence-transformers" not in text
    assert "`pip install .` in a clone" in text and "tandem-bitext" not in text
    assert SentenceEncoder.load(tmp_path / "model").dimension == WIDTH
    (tmp_path / "model/README.md").write_text("another text")
    with pytest.raises(TandemError, match=r"README\.md"):
        SentenceEncoder.load(tmp_path / "model")
    save_with_card(encoder, tmp_path / "whole", card, Precision.FLOAT32)
    assert "rounded" not in (tmp_path / "whole/README.md").read_text(encoding="utf-8")


def test_a_bar_ends_no_cell_of_a_table():
    table = markdown_table(("corpus", "licence"), [("a|b", "CC0\n1.0"), ("c", 2)])
    assert table.split("\n")[2:] == [r"| a\|b | CC0 1.0 |", "| c | 2 |"]


def test_a_card_names_the_lowest_of_many_scores(tmp_path):
    scores = [Score(f"retrieval, {k:02d}", "P@1 x 100", 40.0 + k, 30, 99) for k in range(20)]
    card = Card("Many", scores=[*scores, Score("sts, mean", "r x 100", 61, 60, 62)])
    save_with_card(made(tmp_path), tmp_path / "model", card, Precision.FLOAT32, "many")
    assert 'load("many")' in (tmp_path / "model/README.md").read_text(encoding="utf-8")
    limits = (tmp_path / "model/README.md").read_text(encoding="utf-8").split("## Limits")[1]
    lowest = "; ".join(f"retrieval, {k:02d} {40 + k}.0" for k in range(5))
    assert f"Lowest of 20 figures in P@1 x 100: {lowest}." in limits
    assert "r x 100:" not in limits.replace("P@1 x 100:", "")
