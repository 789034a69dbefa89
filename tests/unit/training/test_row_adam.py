"""Adam on the rows in use against PyTorch's dense Adam on the whole table."""

from functools import partial

import numpy as np
import pytest
import torch

from tandem.training.recipe import Recipe
from tandem.training.row_optimizers import RowAdam

ROWS, DIMENSION, STEPS = 40, 6, 300


def batches(seed):
    random = np.random.default_rng(seed)
    for _ in range(STEPS):
        # some rows often, some rarely, some never
        index = np.unique((random.random(4) ** 3 * (ROWS - 3)).astype(np.int64))
        target = random.normal(size=(len(index), DIMENSION)).astype(np.float32)
        yield torch.from_numpy(index), torch.from_numpy(target)


def loss(values, target):
    return ((values - target) ** 2).sum() * 0.01


@pytest.mark.parametrize("betas", [(0.9, 0.999), (0.9, 0.98)])
@pytest.mark.parametrize("decay", ["none", "linear"])
def test_follows_the_dense_optimiser(decay, betas):
    # in double precision: near a gradient of zero Adam makes much of a last digit
    random = torch.Generator().manual_seed(0)
    start = torch.randn(ROWS, DIMENSION, generator=random, dtype=torch.float64)
    dense = start.clone().requires_grad_()
    reference = torch.optim.Adam([dense], lr=0.01, betas=betas)
    factors = partial(Recipe(decay=decay).factors, total=STEPS)
    optimizer = RowAdam(start.clone(), 0.01, STEPS, factors, betas)
    for step, (index, target) in enumerate(batches(1)):
        reference.zero_grad()
        if decay == "linear":
            reference.param_groups[0]["lr"] = 0.01 * (1 - step / STEPS)
        loss(dense[index], target).backward()
        rows = optimizer.fetch(index)
        torch.testing.assert_close(rows.values, dense[index].detach(), rtol=0, atol=2e-5)
        rows.values.requires_grad_()
        loss(rows.values, target).backward()
        reference.step()
        optimizer.update(rows)
        if step == 150:
            optimizer.settle()
    torch.testing.assert_close(optimizer.settle(), dense.detach(), rtol=0, atol=2e-5)
    assert torch.equal(optimizer.table[-3:], start[-3:])  # rows never touched never move


def test_reading_changes_nothing():
    optimizer = RowAdam(torch.randn(ROWS, DIMENSION), 0.01, STEPS)
    for index, target in list(batches(2))[:20]:
        rows = optimizer.fetch(index)
        rows.values.requires_grad_()
        loss(rows.values, target).backward()
        optimizer.update(rows)
    before = {name: tensor.clone() for name, tensor in optimizer.state().items()}
    once = optimizer.fetch(torch.arange(ROWS)).values
    assert torch.equal(once, optimizer.fetch(torch.arange(ROWS)).values)
    for name, tensor in optimizer.state().items():
        assert torch.equal(tensor, before[name])


def test_rows_that_a_gradient_flows_to_outlast_others():
    optimizer = RowAdam(torch.randn(ROWS, DIMENSION), 0.01, STEPS)
    kept = optimizer.fetch(torch.arange(5)).values
    with torch.no_grad():
        for index in (torch.arange(7, 9), torch.arange(ROWS), torch.arange(9, 11)):
            assert torch.equal(optimizer.fetch(index).values, optimizer.table[index])
    optimizer.fetch(torch.arange(20, 25))
    assert torch.equal(kept, optimizer.table[:5])


def test_compiled_steps_are_those_of_array_operations():
    start = torch.randn(ROWS, DIMENSION, generator=torch.Generator().manual_seed(3))
    compiled, plain = RowAdam(start.clone(), 0.01, STEPS), RowAdam(start.clone(), 0.01, STEPS)
    plain._compiled = False
    for index, target in batches(4):
        for optimizer in (compiled, plain):
            rows = optimizer.fetch(index)
            rows.values.requires_grad_()
            loss(rows.values, target).backward()
            optimizer.update(rows)
    for name, tensor in plain.state().items():
        torch.testing.assert_close(compiled.state()[name], tensor, rtol=0, atol=1e-4)
    torch.testing.assert_close(compiled.settle(), plain.settle(), rtol=0, atol=1e-4)


def test_a_row_whose_gradient_is_zero_misses_the_step():
    start = torch.randn(ROWS, DIMENSION, generator=torch.Generator().manual_seed(3))
    whole, part = RowAdam(start.clone(), 0.01, STEPS), RowAdam(start.clone(), 0.01, STEPS)
    for number, (index, target) in enumerate(batches(5)):
        moving = (index + number) % 3 != 0
        for optimizer, chosen in ((whole, torch.ones_like(moving)), (part, moving)):
            rows = optimizer.fetch(index[chosen])
            rows.values.requires_grad_()
            loss(rows.values, target[chosen]).backward()
            rows.values.grad[~moving[chosen]] = 0
            optimizer.update(rows)
    for name, tensor in part.state().items():
        assert torch.equal(whole.state()[name], tensor)
