"""Averaging and LSTM composition against plain computations."""

import pytest
import torch
from torch.nn.utils.rnn import PackedSequence

from tandem.encoders.composition import Composition, initialise
from tandem.encoders.encoder import ENCODERS, Dropout, Tokens
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.lstm import Lstm, packed_order, states
from tandem.kernels import set_threads
from tandem.registry import ConfigurationError

AVERAGE = Composition(Averaging(dimension=6))

IDS = torch.tensor([0, 1, 1, 3, 2, 4, 4])
OFFSETS = torch.tensor([0, 3, 3, 4, 7])  # lengths 3, 0, 1, 3
LENGTHS = [3, 0, 1, 3]


def table():
    return torch.randn(5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_averaging_by_hand():
    rows = table()
    vectors = AVERAGE(Tokens(rows, IDS, OFFSETS))
    torch.testing.assert_close(vectors[0], (rows[0] + 2 * rows[1]) / 3)
    assert not vectors[1].any()  # an empty sentence has the zero vector
    torch.testing.assert_close(vectors[2], rows[3])


def drawn():
    """Dropout of the seven tokens that doubles what it keeps."""
    random = torch.Generator().manual_seed(2)
    keep = torch.randint(0, 2, (50,), generator=random, dtype=torch.uint8)
    return Dropout(keep, torch.randint(0, 44, (7,), generator=random), 2.0)


@pytest.mark.parametrize("compiled", [True, False])
def test_averaging_with_dropout_has_the_right_value_and_gradient(compiled):
    # single precision is compiled on a CPU, double precision is not
    kind, dropout = torch.float32 if compiled else torch.float64, drawn()
    factors = torch.stack([2 * dropout.keep[place : place + 6] for place in dropout.places])
    assert torch.equal(dropout.factors(6), factors.float())
    ours, plain = (table().to(kind).requires_grad_() for _ in range(2))
    weights = torch.randn(4, 6, dtype=kind)
    vectors = AVERAGE(Tokens(ours, IDS, OFFSETS, dropout))
    tokens = plain[IDS] * factors
    none = torch.zeros(6, dtype=kind)
    expected = torch.stack([tokens[0:3].mean(0), none, tokens[3], tokens[4:7].mean(0)])
    torch.testing.assert_close(vectors, expected)
    (vectors * weights).sum().backward()
    (expected * weights).sum().backward()
    torch.testing.assert_close(ours.grad, plain.grad)


@pytest.mark.parametrize("weights", [[1.0, 2.0, -1.0, 0.5], [0.0, 2.0, 0.0, 0.5]])
def test_averaging_without_dropout_has_the_right_gradient(weights):
    # a sentence of weight 0 has no part in the loss
    found = []
    for rows in (table().float(), table()):  # compiled, and not
        rows.requires_grad_()
        vectors = AVERAGE(Tokens(rows, IDS, OFFSETS))
        ((vectors**2).sum(1) * torch.tensor(weights)).sum().backward()
        found.append(rows.grad.double())
    assert found[0].any()
    torch.testing.assert_close(*found, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dropout", [None, drawn()])
def test_the_number_of_threads_changes_no_bit(dropout):
    found = []
    for threads in (1, 2):
        set_threads(threads)
        rows = table().float().requires_grad_()
        vectors = AVERAGE(Tokens(rows, IDS, OFFSETS, dropout))
        (vectors**2).sum().backward()
        found.append((vectors.detach(), rows.grad))
    set_threads(1)
    for one, two in zip(*found, strict=True):
        assert torch.equal(one, two)


def test_the_lstm_averages_each_sentence_by_itself():
    rows = table().float()
    torch.manual_seed(0)
    encoder = Composition(Lstm(dimension=6, hidden=4))
    vectors = encoder(Tokens(rows, IDS, OFFSETS))
    start = 0
    for index, length in enumerate(LENGTHS):
        if length:
            hidden, _ = encoder.weights(rows[IDS[start : start + length]].unsqueeze(1))
            torch.testing.assert_close(vectors[index], hidden[:, 0].mean(0))
        start += length
    assert not vectors[1].any()


def test_the_lstm_has_the_gradients_of_pytorchs():
    torch.manual_seed(0)
    lengths = torch.tensor([3, 9, 1, 9, 4])
    _, sizes, _ = packed_order(lengths.cumsum(0) - lengths, lengths)
    weights = torch.nn.LSTM(6, 4, bidirectional=True)
    inputs = torch.randn(26, 6, requires_grad=True)
    aim = torch.randn(26, 8)

    def gradients(hidden):
        return torch.autograd.grad((hidden * aim).sum(), [inputs, *weights.parameters()])

    expected = weights(PackedSequence(inputs, sizes))[0].data
    ours = states(weights, inputs, sizes)
    torch.testing.assert_close(ours, expected)
    torch.testing.assert_close(gradients(ours), gradients(expected))


def test_the_lstm_masks_its_input():
    rows = table().float()
    encoder = Composition(Lstm(dimension=6, hidden=4))
    none = encoder(Tokens(torch.zeros_like(rows), IDS, OFFSETS))
    nothing = Dropout(torch.zeros(50, dtype=torch.uint8), torch.arange(7), 2.0)
    masked = encoder(Tokens(rows, IDS, OFFSETS, nothing))
    torch.testing.assert_close(masked, none)


@pytest.mark.parametrize(
    ("values", "width"),
    [
        ({"kind": "averaging", "dimension": 30}, 30),
        ({"kind": "lstm", "hidden": 40}, 80),
        ({"kind": "gran", "dimension": 30, "hidden": 40}, 30),
    ],
)
def test_the_width_of_the_vectors(values, width):
    encoder = ENCODERS.parse(values)
    assert encoder.width == width
    assert ENCODERS.parse(ENCODERS.dump(encoder)) == encoder


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"kind": "lstn"},
            "no encoder 'lstn' (did you mean 'lstm'?); there are averaging, gran, lstm, "
            "posterior, pretrained, scorer, transformer",
        ),
        ({"kind": "averaging", "hidden": 4}, "unknown key 'hidden'; there are dimension"),
        (
            {"dimension": 3},
            "needs `kind`, one of averaging, gran, lstm, posterior, pretrained, scorer, "
            "transformer",
        ),
        ({"kind": "lstm", "dimension": 0}, "dimension: Input should be greater than 0"),
    ],
)
def test_what_is_no_encoder_is_refused(values, said):
    with pytest.raises(ConfigurationError) as refused:
        ENCODERS.parse(values)
    assert str(refused.value) == said


def test_initial_embeddings_are_standard_normal_and_leave_the_global_generator_alone():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    table, _ = initialise(Lstm(dimension=16, hidden=8), 20_000, seed=1)
    assert torch.equal(torch.rand(1), expected)
    assert table.mean().item() == pytest.approx(0, abs=0.01)
    assert table.std().item() == pytest.approx(1, abs=0.01)
