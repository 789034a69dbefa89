"""Averaging and LSTM composition against plain computations."""

import pytest
import torch
from torch.nn.utils.rnn import PackedSequence

from tandem.encoders.averaging import Averaging
from tandem.encoders.composition import Composition, TokenDropout
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.lstm import Lstm
from tandem.encoders.packed_lstm import hidden_states
from tandem.registry import ConfigurationError

AVERAGE = Composition(Averaging(dimension=6))

IDS = torch.tensor([0, 1, 1, 3, 2, 4, 4])
OFFSETS = torch.tensor([0, 3, 3, 4, 7])  # lengths 3, 0, 1, 3
LENGTHS = [3, 0, 1, 3]


def table():
    return torch.randn(5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_averaging_by_hand():
    rows = table()
    vectors = AVERAGE(rows, IDS, OFFSETS)
    torch.testing.assert_close(vectors[0], (rows[0] + 2 * rows[1]) / 3)
    assert not vectors[1].any()  # an empty sentence has the zero vector
    torch.testing.assert_close(vectors[2], rows[3])


def drawn():
    random = torch.Generator().manual_seed(2)
    keep = torch.randint(0, 2, (50,), generator=random, dtype=torch.uint8)
    return TokenDropout(keep, torch.tensor([0, 3, 44, 9, 9, 20, 31]), 2.0)


def test_a_token_is_masked_by_its_window():
    dropout = drawn()
    factors = dropout.factors(6)
    assert factors[2].tolist() == (2.0 * dropout.keep[44:50]).tolist()


def test_averaging_with_dropout_has_the_right_value_and_gradient():
    dropout, weights = drawn(), torch.randn(4, 6)
    compiled, plain = (table().float().requires_grad_() for _ in range(2))
    vectors = AVERAGE(compiled, IDS, OFFSETS, dropout)
    tokens = plain[IDS] * dropout.factors(6)
    expected = torch.stack([tokens[0:3].mean(0), torch.zeros(6), tokens[3], tokens[4:7].mean(0)])
    torch.testing.assert_close(vectors, expected)
    (vectors * weights).sum().backward()
    (expected * weights).sum().backward()
    torch.testing.assert_close(compiled.grad, plain.grad)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    results = []
    for threads in (1, 2):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        rows = table().float().requires_grad_()
        vectors = AVERAGE(rows, IDS, OFFSETS, drawn())
        vectors.square().sum().backward()
        results.append((vectors.detach(), rows.grad))
    assert torch.equal(results[0][0], results[1][0])
    assert torch.equal(results[0][1], results[1][1])


def test_the_lstm_averages_each_sentence_by_itself():
    rows = table().float()
    torch.manual_seed(0)
    encoder = Composition(Lstm(dimension=6, hidden=4))
    vectors = encoder(rows, IDS, OFFSETS)
    start = 0
    for index, length in enumerate(LENGTHS):
        if length:
            hidden, _ = encoder.weights(rows[IDS[start : start + length]].unsqueeze(1))
            torch.testing.assert_close(vectors[index], hidden[:, 0].mean(0))
        start += length
    assert not vectors[1].any()


def test_the_lstm_and_its_gradient_are_those_of_pytorch():
    rows = table().float()
    torch.manual_seed(0)
    encoder, weights = Composition(Lstm(dimension=6, hidden=4)), torch.randn(7, 8)
    order, sizes = torch.tensor([0, 4, 3, 1, 5, 2, 6]), torch.tensor([3, 2, 2])
    results = []
    for packed in (False, True):
        tokens = rows[IDS][order].requires_grad_()
        encoder.zero_grad()
        if packed:
            hidden = hidden_states(encoder.weights, tokens, sizes)
        else:
            hidden = encoder.weights(PackedSequence(tokens, sizes))[0].data
        (hidden * weights).sum().backward()
        results.append([hidden.detach(), tokens.grad, *(p.grad for p in encoder.parameters())])
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found, expected)


def test_the_lstm_masks_its_input():
    rows = table().float()
    encoder = Composition(Lstm(dimension=6, hidden=4))
    none = encoder(torch.zeros_like(rows), IDS, OFFSETS)
    masked = encoder(
        rows,
        IDS,
        OFFSETS,
        TokenDropout(torch.zeros(9, dtype=torch.uint8), torch.zeros(7).long(), 1.0),
    )
    torch.testing.assert_close(masked, none)


@pytest.mark.parametrize(
    ("values", "width"),
    [({"kind": "averaging", "dimension": 30}, 30), ({"kind": "lstm", "hidden": 40}, 80)],
)
def test_the_width_of_the_vectors(values, width):
    encoder = ENCODERS.parse(values)
    assert encoder.width == width
    assert ENCODERS.parse(ENCODERS.dump(encoder)) == encoder


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"kind": "lstn"}, "no encoder 'lstn' (did you mean 'lstm'?); there are averaging, lstm"),
        ({"kind": "averaging", "hidden": 4}, "unknown key 'hidden'; there are dimension"),
        ({"dimension": 3}, "needs `kind`, one of averaging, lstm"),
        ({"kind": "lstm", "dimension": 0}, "dimension: Input should be greater than 0"),
    ],
)
def test_what_is_no_encoder_is_refused(values, said):
    with pytest.raises(ConfigurationError) as refused:
        ENCODERS.parse(values)
    assert str(refused.value) == said
