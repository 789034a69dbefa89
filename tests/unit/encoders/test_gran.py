"""GRAN against its equations, written out token by token."""

import pytest
import torch

from tandem.encoders.composition import Composition
from tandem.encoders.encoder import Dropout, Tokens
from tandem.encoders.kinds.gran import Gran

IDS = torch.tensor([0, 1, 1, 3, 2, 4, 4])
OFFSETS = torch.tensor([0, 3, 3, 4, 7])  # lengths 3, 0, 1, 3


@pytest.fixture
def encoder():
    torch.manual_seed(0)
    return Composition(Gran(dimension=6, hidden=4)).double()


def table():
    return torch.randn(5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def by_hand(weights, inputs):
    """Return the vector of one sentence from the embeddings of its tokens, (tokens, 6)."""
    lstm, gate = weights["lstm"], weights["gate"]
    from_input, from_hidden, input_bias, hidden_bias = lstm.all_weights[0]
    state = cell = torch.zeros(4, dtype=torch.float64)
    gated = []
    for x in inputs:
        sums = from_input @ x + input_bias + from_hidden @ state + hidden_bias
        into, forget, new, out = sums.chunk(4)
        cell = forget.sigmoid() * cell + into.sigmoid() * new.tanh()
        state = out.sigmoid() * cell.tanh()
        w_x, w_h = gate.weight[:, :6], gate.weight[:, 6:]
        gated.append(x * torch.sigmoid(w_x @ x + w_h @ state + gate.bias))
    return torch.stack(gated).mean(0)


def test_follows_its_equations_and_gives_an_empty_sentence_zeros(encoder):
    rows = table()
    vectors = encoder(Tokens(rows, IDS, OFFSETS))
    assert not vectors[1].any()
    for sentence in (0, 2, 3):
        tokens = IDS[OFFSETS[sentence] : OFFSETS[sentence + 1]]
        torch.testing.assert_close(vectors[sentence], by_hand(encoder.weights, rows[tokens]))
    empty = Tokens(rows, IDS[:0], torch.zeros(3, dtype=torch.int64))
    assert encoder(empty).tolist() == [[0.0] * 6] * 2


def test_a_batch_is_its_sentences_one_by_one(encoder):
    rows = table()
    vectors = encoder(Tokens(rows, IDS, OFFSETS))
    for sentence, (start, end) in enumerate(zip(OFFSETS[:-1], OFFSETS[1:], strict=True)):
        alone = encoder(Tokens(rows, IDS[start:end], torch.tensor([0, end - start])))
        torch.testing.assert_close(alone[0], vectors[sentence])


def test_what_comes_before_a_token_counts_and_what_comes_after_does_not(encoder):
    rows, offsets = table(), torch.tensor([0, 2])
    one, other = (encoder(Tokens(rows, torch.tensor(ids), offsets))[0] for ids in ([0, 3], [3, 0]))
    assert not torch.allclose(one, other)
    first = encoder(Tokens(rows, torch.tensor([0]), torch.tensor([0, 1])))[0]
    second = 2 * one - first  # the mean is of both: what the second token has added
    changed = rows.clone()
    changed[3] += 1
    later = encoder(Tokens(changed, torch.tensor([0, 3]), offsets))[0]
    assert not torch.allclose(2 * later - first, second)
    alone = encoder(Tokens(changed, torch.tensor([0]), torch.tensor([0, 1])))[0]
    torch.testing.assert_close(alone, first)


def test_has_the_gradients_of_finite_differences(encoder):
    rows = table().requires_grad_()
    weights = torch.randn(4, 6, dtype=torch.float64)

    def total(embeddings):
        return (encoder(Tokens(embeddings, IDS, OFFSETS)) * weights).sum()

    assert torch.autograd.gradcheck(total, rows)
    for parameter in encoder.parameters():
        (gradient,) = torch.autograd.grad(total(table()), parameter)
        place, step = tuple(0 for _ in parameter.shape), 1e-6
        ends = []
        for sign in (1, -1):
            with torch.no_grad():
                parameter[place] += sign * step
                ends.append(total(table()))
                parameter[place] -= sign * step
        slope = (ends[0] - ends[1]) / (2 * step)
        torch.testing.assert_close(gradient[place], slope, rtol=1e-5, atol=1e-8)
        assert gradient.any()


def test_dropout_masks_the_embeddings(encoder):
    keep = torch.randint(0, 2, (50,), generator=torch.Generator().manual_seed(2))
    places = torch.randint(0, 44, (7,), generator=torch.Generator().manual_seed(3))
    dropout = Dropout(keep.to(torch.uint8), places, 2.0)
    rows, sentence = table(), torch.arange(7)
    # one sentence: its tokens keep their order, so each meets its own mask
    whole = torch.tensor([0, 7])
    masked = encoder(Tokens(rows, IDS, whole, dropout))
    plain = encoder(Tokens(rows[IDS] * dropout.factors(6), sentence, whole))
    torch.testing.assert_close(masked, plain)
    assert not torch.allclose(masked, encoder(Tokens(rows, IDS, whole)))
