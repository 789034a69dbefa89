"""Losses of generative models, by hand."""

import numpy as np
import pytest
import torch
from small_generative import MODELS, generative, posterior
from small_runs import TYPES, bitext
from torch.nn import functional

from tandem.encoders.encoder import Tokens
from tandem.generation.batches import Text
from tandem.generation.networks import Draws, Gaussian, Losses, Networks, losses
from tandem.generation.tables import RowTables, Tables


def networks(model="bgt", seed=1, **settings):
    torch.manual_seed(seed)
    made_of = Networks(posterior(), generative(**MODELS[model] | settings)).eval()
    return made_of, Tables(made_of.draw_tables(TYPES))


def texts(count=7):
    pairs = bitext(count)
    sides = (Text.of(side, TYPES) for side in (pairs.left, pairs.right))
    return [Text(*map(torch.from_numpy, side)) for side in sides]


def test_the_divergence_is_that_of_two_gaussians():
    mean, log_variance = torch.randn(4, 3), torch.randn(4, 3)
    reference = torch.distributions.kl_divergence(
        torch.distributions.Normal(mean, (0.5 * log_variance).exp()),
        torch.distributions.Normal(0.0, 1.0),
    )
    torch.testing.assert_close(Gaussian(mean, log_variance).divergence(), reference.sum())
    assert Gaussian(torch.zeros(2, 3), torch.zeros(2, 3)).divergence() == 0


def test_draws_have_the_mean_and_the_variance():
    torch.manual_seed(2)
    gaussian = Gaussian(torch.full((20_000, 1), 3.0), torch.full((20_000, 1), np.log(4.0)))
    drawn = gaussian.draw()
    assert drawn.mean().item() == pytest.approx(3, abs=0.05)
    assert drawn.std().item() == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize("model", MODELS)
def test_each_model_has_its_losses_and_nothing_else(model):
    network, tables = networks(model)
    summed = losses(network, tables, texts(), Draws())
    objective = network.objective
    assert (summed.reconstruction > 0) == (objective.reconstructs != "none")
    assert (summed.translation > 0) == (objective.translates != "none")
    assert (summed.divergence > 0) == objective.prior
    writers = len(objective.reconstructed) + len(objective.translated)
    assert len(network.decoders) == writers
    assert len(network.encoders) == (3 if objective.language_variables else 1)
    (3 * summed.reconstruction + summed.translation + summed.divergence).backward()
    # every part is learned, but the variance where there is no prior
    idle = {n for n, p in network.named_parameters() if p.grad is None or not p.grad.abs().sum()}
    assert all("log_variance" in name for name in idle)
    assert len(idle) == (0 if objective.prior else len(network.encoders))


def test_a_translation_reads_the_mean_of_the_other_side():
    network, tables = networks("english-trans")
    first, second = texts()
    summed = losses(network, tables, [first, second], Draws())
    semantic = network.encoders["semantic"]
    mean = semantic(Tokens(tables.tables["semantic"], first.ids, first.offsets))
    writer = network.decoders["translate1"]
    states = writer(tables.tables["translate1.inputs"][second.inputs], mean)
    joined = torch.cat([states.flatten(0, 1)[second.places], mean[second.rows]], 1)
    scores = joined @ tables.tables["translate1.outputs"].T
    reference = functional.cross_entropy(
        scores, second.labels, reduction="sum", label_smoothing=0.1
    )
    torch.testing.assert_close(summed.translation, reference)


def test_sides_take_turns_in_giving_the_meaning_of_a_pair():
    network, tables = networks("bgt-without-language", sampled=False, translates="none")
    pairs = bitext(4)

    def reconstructed(pair, turn, other):
        """Return the loss of a pair alone, whose second side is read with other words or not."""
        first, second = (
            Text.of(side.part(pair, pair + 1), TYPES) for side in (pairs.left, pairs.right)
        )
        if other:
            second = second._replace(ids=(second.ids - 43) % 50 + 50)  # what is written stays
        sides = [Text(*map(torch.from_numpy, side)) for side in (first, second)]
        return losses(network, tables, sides, Draws(turn)).reconstruction

    for pair in range(4):
        for turn in (0, 1, 2):
            same = reconstructed(pair, turn, False) == reconstructed(pair, turn, True)
            assert same == (turn % 2 == 0)  # alone, a pair has the number 0
    # in a batch, every other pair
    sides = [Text(*map(torch.from_numpy, Text.of(s, TYPES))) for s in (pairs.left, pairs.right)]
    whole = losses(network, tables, sides, Draws(1)).reconstruction
    alone = [reconstructed(pair, 1 + pair, False) for pair in range(4)]
    torch.testing.assert_close(whole, torch.stack(alone).sum())


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_softmax_of_rows_is_that_of_all_where_all_are_drawn(smoothing):
    network, tables = networks("bilingual-trans", smoothing=smoothing)
    sides = texts()
    reference = losses(network, tables, sides, Draws())
    rows = RowTables(tables.tables, lambda name: 0.01, 10, np.ones_like, (0.9, 0.98))
    fetch(rows, sides, drawn=TYPES + 1)
    for got, wanted in zip(losses(network, rows, sides, Draws()), reference, strict=True):
        torch.testing.assert_close(got, wanted)


def test_a_softmax_of_drawn_rows_is_close_to_that_of_all():
    network, tables = networks("bilingual-trans")
    sides = texts(3)
    reference = float(losses(network, tables, sides, Draws()).translation.detach())
    rows = RowTables(tables.tables, lambda name: 0.01, 10, np.ones_like, (0.9, 0.98))
    drawn = []
    for seed in range(30):
        fetch(rows, sides, drawn=40, seed=seed)
        drawn.append(float(losses(network, rows, sides, Draws()).translation.detach()))
    assert np.mean(drawn) == pytest.approx(reference, rel=0.01)
    assert np.std(drawn) > 0


def fetch(rows, sides, drawn, seed=1):
    for name in rows.tables:
        if name == "semantic":
            rows.fetch(name, np.concatenate([side.ids.numpy() for side in sides]))
            continue
        side = sides[int(name.partition(".")[0][-1])]
        if name.endswith("inputs"):
            rows.fetch(name, side.inputs.numpy().ravel())
        else:
            rows.fetch(name, side.labels.numpy(), drawn, np.random.default_rng(seed))


def test_the_weight_is_of_the_divergence():
    parts = Losses(torch.tensor(3.0), torch.tensor(2.0), torch.tensor(10.0))
    assert parts.total(0.5) == 10
