"""Decoders: what they see, and where the vector enters."""

import pytest
import torch

from tandem.generation.decoders import _joined, decoder
from tandem.objectives.kinds.generative import Generative

LATENT = 6
PLACES = [("word",), ("attention",), ("logit",), ("word", "attention", "logit"), ("hidden",)]


def objective(kind, places, **settings):
    return Generative(
        decoder=kind, places=places, dimension=8, heads=2, filter=12, dropout=0.0, **settings
    )


def cases():
    for places in PLACES:
        for kind in ("transformer", "lstm"):
            if kind == "lstm" or "hidden" not in places:
                yield kind, places


@pytest.mark.parametrize(("kind", "places"), list(cases()))
def test_a_state_sees_what_stands_before_it_and_the_vector_where_it_enters(kind, places):
    torch.manual_seed(1)
    network = decoder(objective(kind, places, layers=2), LATENT)
    embedded, vectors = torch.randn(3, 5, 8), torch.randn(3, LATENT)
    states = network(embedded, vectors)
    assert states.shape == (3, 5, 8)
    later = embedded.clone()
    later[:, 3:] = torch.randn(3, 2, 8)
    torch.testing.assert_close(network(later, vectors)[:, :3], states[:, :3])
    assert not torch.allclose(network(later, vectors)[:, 3], states[:, 3])
    # beside the logits it enters after the states
    moved = not torch.allclose(network(embedded, vectors + 1), states)
    assert moved == (places != ("logit",))


@pytest.mark.parametrize("kind", ["transformer", "lstm"])
def test_a_sentence_does_not_see_another(kind):
    torch.manual_seed(1)
    network = decoder(objective(kind, ("attention", "logit")), LATENT)
    embedded, vectors = torch.randn(3, 5, 8), torch.randn(3, LATENT)
    alone = network(embedded[1:2], vectors[1:2])
    torch.testing.assert_close(network(embedded, vectors)[1:2], alone)


def test_a_map_of_state_and_vector_is_that_of_both_joined():
    layer = torch.nn.Linear(8 + LATENT, 8)
    states, vectors = torch.randn(3, 5, 8), torch.randn(3, LATENT)
    joined = torch.cat([states, vectors.unsqueeze(1).expand(-1, 5, -1)], 2)
    torch.testing.assert_close(_joined(layer, states, vectors), layer(joined))


def test_dropout_is_that_of_training_alone():
    network = decoder(
        objective("transformer", ("attention",)).model_copy(update={"dropout": 0.5}), LATENT
    )
    embedded, vectors = torch.randn(2, 4, 8), torch.randn(2, LATENT)
    assert not torch.equal(network(embedded, vectors), network(embedded, vectors))
    network.eval()
    assert torch.equal(network(embedded, vectors), network(embedded, vectors))


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"reconstructs": "none", "translates": "none"}, "something must be written"),
        ({"reconstructs": "none"}, "of what is reconstructed"),
        ({"places": ("hidden",)}, "only an LSTM has a first hidden state"),
        ({"dimension": 9, "heads": 2}, "no multiple of 2 heads"),
        ({"places": ()}, "at least 1 item"),
        ({"drawn": 0}, "greater than 0"),
    ],
)
def test_what_contradicts_itself_is_refused(values, problem):
    with pytest.raises(ValueError, match=problem):
        Generative(**values)
