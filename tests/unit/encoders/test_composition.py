"""Averaging and LSTM composition against plain computations."""

import pytest
import torch

from tandem.encoders import composition
from tandem.encoders.composition import Averaging, BidirectionalLstm, EncoderConfig

IDS = torch.tensor([0, 1, 1, 3, 2, 4, 4])
OFFSETS = torch.tensor([0, 3, 3, 4, 7])  # lengths 3, 0, 1, 3
LENGTHS = [3, 0, 1, 3]


def table():
    return torch.randn(5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_averaging_by_hand():
    rows = table()
    vectors = Averaging()(rows, IDS, OFFSETS, None)
    torch.testing.assert_close(vectors[0], (rows[0] + 2 * rows[1]) / 3)
    assert not vectors[1].any()  # an empty sentence has the zero vector
    torch.testing.assert_close(vectors[2], rows[3])


def test_averaging_with_masks_has_the_right_value_and_gradient(monkeypatch):
    monkeypatch.setattr(composition, "CHUNK", 4)  # sentences across chunks
    random = torch.Generator().manual_seed(2)
    mask = torch.bernoulli(torch.full((7, 6), 0.7, dtype=torch.float64), generator=random) / 0.7
    masks = list(mask.split(4))
    rows = table().requires_grad_()
    vectors = Averaging()(rows, IDS, OFFSETS, masks)
    tokens = rows[IDS] * mask
    expected = torch.stack([tokens[0:3].mean(0), torch.zeros(6), tokens[3], tokens[4:7].mean(0)])
    torch.testing.assert_close(vectors, expected)
    assert torch.autograd.gradcheck(lambda t: Averaging()(t, IDS, OFFSETS, masks), (rows,))


def test_the_lstm_averages_each_sentence_by_itself():
    rows = table().float()
    torch.manual_seed(0)
    encoder = BidirectionalLstm(6, 4)
    vectors = encoder(rows, IDS, OFFSETS, None)
    start = 0
    for index, length in enumerate(LENGTHS):
        if length:
            hidden, _ = encoder.lstm(rows[IDS[start : start + length]].unsqueeze(1))
            torch.testing.assert_close(vectors[index], hidden[:, 0].mean(0))
        start += length
    assert not vectors[1].any()


def test_the_lstm_masks_its_input():
    rows = table().float()
    encoder = BidirectionalLstm(6, 4)
    none = encoder(torch.zeros_like(rows), IDS, OFFSETS, None)
    masked = encoder(rows, IDS, OFFSETS, [torch.zeros(7, 6)])
    torch.testing.assert_close(masked, none)


@pytest.mark.parametrize(
    ("config", "width"),
    [(EncoderConfig("averaging", 300), 300), (EncoderConfig("lstm", 300, 150), 300)],
)
def test_output_width(config, width):
    assert config.output_dimension == width
