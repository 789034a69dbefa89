"""The transformer: what it reads, its four poolings, and that padding changes nothing."""

import pytest
import torch
from pydantic import ValidationError

from tandem.encoders.composition import Composition
from tandem.encoders.encoder import Dropout, Tokens
from tandem.encoders.kinds.transformer import Transformer, waves
from tandem.encoders.rows import blocks

SMALL = {"dimension": 6, "layers": 2, "heads": 2, "hidden": 8, "filter": 16, "output": 5}
IDS = torch.tensor([0, 1, 1, 3, 2, 4, 4])
OFFSETS = torch.tensor([0, 3, 3, 4, 7])  # lengths 3, 0, 1, 3


def made(**settings):
    torch.manual_seed(0)
    return Composition(Transformer(**SMALL, **settings)).double()


def table(rows=5):
    return torch.randn(rows, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def by_hand(parts, inputs):
    """Return the vector of one sentence from its embeddings, (tokens, 6), one head at a time."""
    states = parts["input"](inputs) + waves(len(inputs), 8)
    for layer in parts["layers"].layers:
        attention = layer.self_attn
        queries, keys, values = (
            states @ w.T + b
            for w, b in zip(attention.in_proj_weight.chunk(3), attention.in_proj_bias.chunk(3),
                            strict=True)
        )  # fmt: skip
        heads = []
        for head in (slice(0, 4), slice(4, 8)):
            weights = (queries[:, head] @ keys[:, head].T / 2).softmax(1)  # 2: the root of 4
            heads.append(weights @ values[:, head])
        states = layer.norm1(states + attention.out_proj(torch.cat(heads, 1)))
        inside = layer.linear2(layer.linear1(states).relu())
        states = layer.norm2(states + inside)
    weight = parts["attention"](states).softmax(0)
    pools = states.amax(0), states.mean(0), states[0], (weight * states).sum(0)
    return parts["output"](torch.cat(pools))


def test_follows_its_equations_and_gives_an_empty_sentence_zeros():
    encoder, rows = made(), table()
    vectors = encoder(Tokens(rows, IDS, OFFSETS))
    assert vectors.shape == (4, 5) and not vectors[1].any()
    for sentence in (0, 2, 3):
        tokens = IDS[OFFSETS[sentence] : OFFSETS[sentence + 1]]
        torch.testing.assert_close(vectors[sentence], by_hand(encoder.weights, rows[tokens]))
    empty = Tokens(rows, IDS[:0], torch.zeros(3, dtype=torch.int64))
    assert encoder(empty).tolist() == [[0.0] * 5] * 2


def test_the_mean_of_states_may_be_the_vector():
    torch.manual_seed(0)
    settings = SMALL | {"dimension": 8}
    encoder = Composition(Transformer(**settings, pooling="mean")).double()
    rows = torch.randn(5, 8, dtype=torch.float64)
    vectors = encoder(Tokens(rows, IDS, OFFSETS))
    assert vectors.shape == (4, 8) and not vectors[1].any()
    for sentence in (0, 2, 3):
        inputs = rows[IDS[OFFSETS[sentence] : OFFSETS[sentence + 1]]]
        states = encoder.weights["layers"]((inputs + waves(len(inputs), 8)).unsqueeze(0))[0]
        torch.testing.assert_close(vectors[sentence], states.mean(0))
    assert {name.partition(".")[0] for name, _ in encoder.weights.named_parameters()} == {"layers"}
    with pytest.raises(ValidationError, match="dimension and hidden are the same, not 6 and 8"):
        Transformer(**SMALL, pooling="mean")


def test_words_are_the_sums_of_their_parts():
    grouped, plain, rows = made(grouped=True), made(), table()
    # a sentence of two words, of parts 1 2 and 3; one without words; one of the word 4
    ids, offsets = torch.tensor([0, 1, 2, 0, 3, 0, 4]), torch.tensor([0, 5, 5, 7])
    words = torch.stack([rows[1] + rows[2], rows[3], rows[4]])
    expected = plain(Tokens(words, torch.tensor([0, 1, 2]), torch.tensor([0, 2, 2, 3])))
    torch.testing.assert_close(grouped(Tokens(rows, ids, offsets)), expected)


def test_what_is_too_long_is_cut():
    rows, long = table(), torch.tensor([1, 2, 3, 4, 2])
    cut = made(longest=3)(Tokens(rows, long, torch.tensor([0, 5])))
    torch.testing.assert_close(cut, made()(Tokens(rows, long[:3], torch.tensor([0, 3]))))


def test_the_order_of_tokens_counts():
    encoder, offsets = made(), torch.tensor([0, 2])
    texts = (Tokens(table(), torch.tensor(ids), offsets) for ids in ([1, 3], [3, 1]))
    one, other = (encoder(text)[0] for text in texts)
    assert (one - other).abs().max() > 1e-3


def test_dropout_is_of_embeddings_and_gradients_reach_everything():
    encoder, rows = made(), table().requires_grad_()
    keep = torch.tensor([0, 1] * 20, dtype=torch.uint8)
    dropout = Dropout(keep, torch.arange(len(IDS)) % 3, 2.0)
    vectors = encoder(Tokens(rows, IDS, OFFSETS, dropout))
    dropped = rows[IDS] * dropout.factors(6)
    torch.testing.assert_close(vectors, encoder(Tokens(dropped, torch.arange(len(IDS)), OFFSETS)))
    vectors.square().sum().backward()
    assert all(p.grad is not None and p.grad.any() for p in encoder.parameters())
    assert rows.grad.any(1).tolist() == [True] * 5


def test_sentences_of_like_lengths_are_read_together_within_a_bound():
    lengths = torch.tensor([3, 0, 9, 2, 3, 1])
    found = [block.tolist() for block in blocks(lengths, most=6)]
    assert found == [[2], [0, 4], [3, 5]]
    assert list(blocks(torch.tensor([0, 0]), 6)) == []


def test_heads_must_divide_the_states():
    with pytest.raises(ValidationError, match="hidden, 10, is no multiple of heads, 4"):
        Transformer(hidden=10, heads=4)


def test_it_is_composed_alike_without_gradients():
    kind = Transformer(**SMALL)
    torch.manual_seed(0)
    trained = Composition(kind)
    weights = {name: value.numpy() for name, value in trained.state_dict().items()}
    compose = kind.composer(table().float().numpy(), weights, "cpu")
    expected = kind.compose(trained.weights, Tokens(table().float(), IDS, OFFSETS))
    torch.testing.assert_close(torch.from_numpy(compose(IDS.numpy(), OFFSETS.numpy())), expected)
    assert kind.weight_shapes() == {name: value.shape for name, value in weights.items()}
