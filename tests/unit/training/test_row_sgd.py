"""Stochastic gradient descent: what it moves, its schedule, and resumption to the byte."""

import numpy as np
import pytest
import torch
from small_runs import TYPES, bitext

from tandem.encoders.kinds.transformer import Transformer
from tandem.objectives.kinds.additive_margin import AdditiveMargin
from tandem.training.recipe import Recipe
from tandem.training.row_optimizers import Rows, RowSgd
from tandem.training.run import Run, course_of

SMALL = Transformer(dimension=16, layers=1, heads=2, hidden=8, filter=16, output=8)
RECIPE = Recipe(
    epochs=8, batch=16, optimizer="sgd", learning_rate=0.1, decay="tenth", embedding_multiplier=5
)


def trainer():
    objective = AdditiveMargin(hard=2, megabatch=3)
    return course_of(Run(SMALL, objective, RECIPE, 5), TYPES, [bitext(reverse=False)])


def test_rows_move_against_their_gradients_and_others_stay():
    table = torch.arange(12.0).reshape(4, 3)
    optimizer = RowSgd(table.clone(), 0.5, 10, lambda steps: np.where(steps < 2, 1, 0.1))
    index, gradient = torch.tensor([2, 0]), torch.tensor([[1.0, 0, -1], [2, 2, 2]])
    for factor in (1, 0.1):
        before = optimizer.table.clone()
        rows = optimizer.fetch(index)
        assert isinstance(rows, Rows) and torch.equal(rows.values, before[index])
        rows.values.requires_grad_()
        rows.values.backward(gradient)
        optimizer.update(rows)
        expected = before.index_add(0, index, -0.5 * factor * gradient)
        torch.testing.assert_close(optimizer.settle(), expected)
        assert optimizer.rate() == 0.5 * factor


def test_the_rate_is_a_tenth_after_33_of_40_updates():
    factors = RECIPE.factors(np.arange(1, 82), 80)
    assert factors.tolist() == [1.0] * 66 + [0.1] * 14 + [0.0]


def test_the_loss_falls():
    run = trainer()
    run.run(None, show=False)
    losses = [epoch.loss for epoch in run.progress.history]
    assert losses[-1] < 0.8 * losses[1]


@pytest.mark.parametrize("stop", [2, 7])
def test_training_that_is_stopped_goes_on_to_the_same_bytes(tmp_path, stop):
    whole, first, second = trainer(), trainer(), trainer()
    whole.run(None, show=False)
    calls = iter(range(100))
    first.run(None, tmp_path / "c", show=False, stopped=lambda: next(calls) == stop)
    assert not first.finished
    second.run(None, tmp_path / "c", show=False)
    assert whole.best.keys() == second.best.keys()
    assert all(torch.equal(whole.best[name], second.best[name]) for name in whole.best)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_embeddings_have_a_rate_of_their_own(optimizer):
    """A multiplier of 5 is a fifth of the rate for the weights, and the same rate for the table."""
    changes = {"optimizer": optimizer, "embedding_multiplier": 1.0, "epochs": 1}
    one = RECIPE.model_copy(update=changes)
    five = one.model_copy(update={"embedding_multiplier": 5.0, "learning_rate": 0.02})
    steps = {}
    for name, recipe in (("one", one), ("five", five)):
        run = course_of(Run(SMALL, AdditiveMargin(), recipe, 5), TYPES, [bitext(16, reverse=False)])
        learner = run.learner
        table = learner.optimizer.table.clone()
        weights = [weight.detach().clone() for weight in learner.composition.parameters()]
        run.run(None, show=False)
        moved = [after.detach() - b for after, b in zip(learner.composition.parameters(), weights,
                                                        strict=True)]  # fmt: skip
        steps[name] = learner.optimizer.table - table, moved
    torch.testing.assert_close(steps["five"][0], steps["one"][0])
    for fifth, whole in zip(steps["five"][1], steps["one"][1], strict=True):
        torch.testing.assert_close(5 * fifth, whole, atol=1e-5, rtol=1e-3)
