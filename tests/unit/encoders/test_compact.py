"""Fewer dimensions on principal axes, and how probable tokens are."""

import numpy as np
import pytest
import torch

from tandem import encoders
from tandem.encoders.card import Card
from tandem.encoders.compact import narrowed, save_with_card, token_probabilities
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.model import SentenceEncoder, initialise
from tandem.encoders.precision import Precision
from tandem.errors import TandemError
from tandem.segmentation.pieces import load_pieces, piece_scores
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segmenter import learn
from tandem.tasks.sts_data import cosine_similarity

ENGLISH = ["the cat sat on the mat", "a dog ran and ran", "the dog saw the cat"] * 4
CZECH = ["kočka seděla na rohoži", "pes běžel", "pes viděl kočku"] * 4
TEXTS = {"en": lambda: ENGLISH, "cs": lambda: CZECH}
PIECES = Segmentation(kind="sentencepiece", size=60)
WIDTH = 12


def made(folder, scheme=PIECES, kind="averaging"):
    """An encoder whose dimensions depend on each other, and whose mean is not 0."""
    (folder / "segmenter").mkdir()
    segmenter = learn(scheme, TEXTS, folder / "segmenter")
    encoder = ENCODERS.parse({"kind": kind, "dimension": WIDTH})
    table, composition = initialise(encoder, len(segmenter), seed=1)
    mixed = torch.randn(WIDTH, WIDTH, generator=torch.Generator().manual_seed(2))
    return SentenceEncoder(segmenter, table @ mixed + 1, composition, {"pairs": 7})


def moment(encoder):
    table = encoder.table.double()
    return table.T @ (token_probabilities(encoder.segmenter).unsqueeze(1) * table)


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
    eigenvalues = torch.linalg.eigvalsh(moment(encoder)).flip(0)
    torch.testing.assert_close(shares, eigenvalues, rtol=1e-5, atol=1e-6)
    assert (found - shares.diag()).abs().max() < 1e-4 * shares[0]
    assert (shares.diff() <= 0).all()


def test_no_other_projection_keeps_more(tmp_path):
    encoder = made(tmp_path)
    kept = moment(narrowed(encoder, 4)).trace()
    whole, generator = moment(encoder), torch.Generator().manual_seed(3)
    for _ in range(200):
        normal = torch.randn(WIDTH, 4, generator=generator, dtype=torch.float64)
        axes = torch.linalg.qr(normal).Q
        assert (axes.T @ whole @ axes).trace() < kept


def test_the_first_dimensions_are_those_of_the_rotated_table(tmp_path):
    encoder = made(tmp_path)
    whole, part = narrowed(encoder, WIDTH), narrowed(encoder, 5)
    assert torch.equal(part.table, whole.table[:, :5])
    assert (part.dimension, part.encode(["the cat"], "en").shape) == (5, (1, 5))
    assert part.metadata == {"pairs": 7, "dimension_before": WIDTH}
    assert encoder.metadata == {"pairs": 7}
    part.save(tmp_path / "part", Precision.INT8)
    assert encoders.load(tmp_path / "part").dimension == 5


def test_frequent_tokens_decide_the_axes(tmp_path):
    encoder = made(tmp_path)
    probabilities = token_probabilities(encoder.segmenter)
    rare, frequent = probabilities.argmin(), probabilities.argmax()
    encoder.table = torch.zeros_like(encoder.table)
    encoder.table[frequent, 3], encoder.table[rare, 5] = 1.0, 1.0
    found = narrowed(encoder, 1).table[:, 0]
    assert (found[frequent], found[rare]) == (1.0, 0.0)  # not -1: the direction is fixed


def test_pieces_are_as_probable_as_their_model_says(tmp_path):
    segmenter = made(tmp_path).segmenter
    found = token_probabilities(segmenter)
    scores = piece_scores(load_pieces(segmenter.models["en"]))
    wanted = np.exp([scores[piece] for piece in segmenter.vocabulary])
    np.testing.assert_allclose(found.numpy(), wanted / wanted.sum())
    assert found.dtype == torch.float64


@pytest.mark.parametrize("other", [{"separate": True}, {"marked": ("cs",)}])
def test_models_of_several_languages_count_alike(other, tmp_path):
    segmenter = made(tmp_path, PIECES.model_copy(update=other)).segmenter
    found, wanted = token_probabilities(segmenter), np.zeros(len(segmenter))
    for language in ("en", "cs"):
        ids = segmenter.units(language)
        for piece, score in piece_scores(load_pieces(segmenter.models[language])).items():
            wanted[ids[piece]] += np.exp(score)
    np.testing.assert_allclose(found.numpy(), wanted / wanted.sum())
    assert (found > 0).all()


def test_words_are_equally_probable(tmp_path):
    found = token_probabilities(made(tmp_path, Segmentation(kind="words", size=9)).segmenter)
    assert found.tolist() == [1 / len(found)] * len(found)


@pytest.mark.parametrize("dimensions", [0, -1, WIDTH + 1])
def test_a_width_that_cannot_be_is_refused(dimensions, tmp_path):
    with pytest.raises(TandemError, match=f"not from 1 to {WIDTH}"):
        narrowed(made(tmp_path), dimensions)


def test_an_lstm_keeps_its_dimensions(tmp_path):
    with pytest.raises(TandemError, match="lstm.*averaging"):
        narrowed(made(tmp_path, kind="lstm"), 4)


def test_a_card_says_how_to_use_the_folder_and_what_was_measured(tmp_path):
    encoder = made(tmp_path)
    card = Card("Many", [("books", "CC0-1.0")], [("STS", "r x 100", 61.25)])
    save_with_card(encoder, tmp_path / "model", card, Precision.INT8)
    text = (tmp_path / "model/README.md").read_text(encoding="utf-8")
    for part in (
        "# Many", "| books | CC0-1.0 |", "| STS | r x 100 | 61.25 |", "library_name: tandem",
        "--language en", "before the numbers were rounded to int8",
    ):  # fmt: skip
        assert part in text
    assert "sentence-transformers" not in text
    assert encoders.load(tmp_path / "model").dimension == WIDTH
    (tmp_path / "model/README.md").write_text("another text")
    with pytest.raises(TandemError, match=r"README\.md"):
        encoders.load(tmp_path / "model")
    save_with_card(encoder, tmp_path / "whole", card, Precision.FLOAT32)
    assert "rounded" not in (tmp_path / "whole/README.md").read_text(encoding="utf-8")
