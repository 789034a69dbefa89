"""Hardest negatives against a plain double loop."""

from contextlib import nullcontext

import numpy as np
import pytest
import torch

from tandem.machine import cpu_as_gpu
from tandem.objectives import negatives
from tandem.objectives.negatives import hardest


def plain(left, right, left_keys, right_keys, monolingual):
    """The definition, one sentence at a time."""
    vectors = np.concatenate([left, right]).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    keys = np.concatenate([left_keys, right_keys])
    count = len(left)
    chosen = []
    for side in (0, 1):
        for i in range(count):
            candidates = range(2 * count) if monolingual else (
                range(count, 2 * count) if side == 0 else range(count)
            )  # fmt: skip
            allowed = [
                j for j in candidates
                if keys[j] not in (left_keys[i], right_keys[i]) and j not in (i, i + count)
            ]  # fmt: skip
            query = vectors[i + side * count]
            chosen.append(max(allowed, key=lambda j: vectors[j] @ query) if allowed else None)
    return chosen[:count], chosen[count:]


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("monolingual", [False, True])
@pytest.mark.parametrize("count", [2, 5, 70, 200])
@pytest.mark.parametrize("place", [nullcontext, cpu_as_gpu])
def test_agrees_with_the_definition(count, monolingual, kind, place, monkeypatch):
    # single precision is compiled on a CPU, double precision is not
    monkeypatch.setattr(negatives, "BLOCK", 64)
    monkeypatch.setattr(negatives, "GPU_SCORES", 5_000)
    random = np.random.default_rng(count)
    left = random.normal(size=(count, 8)).astype(np.float32)
    right = random.normal(size=(count, 8)).astype(np.float32)
    left_keys, right_keys = np.arange(count), np.arange(count) + count
    if count > 60:  # some sentences spelt alike, on one side and across
        left_keys[7], right_keys[50], right_keys[3] = left_keys[8], right_keys[51], left_keys[60]
    expected = plain(left, right, left_keys, right_keys, monolingual)
    vectors, keys = np.concatenate([left, right]), np.concatenate([left_keys, right_keys])
    with place():
        chosen = hardest(torch.from_numpy(vectors).to(kind), torch.from_numpy(keys), monolingual)
    assert chosen.mask.all()
    assert chosen.for_left.tolist() == expected[0]
    assert chosen.for_right.tolist() == expected[1]


def test_a_bilingual_negative_is_of_the_other_language():
    left = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    right = torch.tensor([[0.0, 1.0], [0.5, 0.5], [1.0, 0.1]])
    keys = torch.arange(6)
    vectors = torch.cat([left, right])
    bilingual = hardest(vectors, keys, monolingual=False)
    # for s_0 = (1, 0): t_2 is nearest, though s_1 is nearer still
    assert bilingual.for_left[0] == 3 + 2
    assert (bilingual.for_left >= 3).all()
    assert (bilingual.for_right < 3).all()
    monolingual = hardest(vectors, keys, monolingual=True)
    assert monolingual.for_left[0] == 5  # cos 0.995 beats 0.994
    assert monolingual.for_left[1] == 5


@pytest.mark.parametrize("place", [nullcontext, cpu_as_gpu])
def test_says_so_when_nothing_may_be_chosen(place):
    vectors = torch.eye(2).repeat(2, 1)
    with place():
        chosen = hardest(vectors, torch.tensor([0, 0, 1, 1]), monolingual=False)
    assert not chosen.mask.any()


@pytest.mark.parametrize("monolingual", [False, True])
def test_half_precision_chooses_almost_as_well(monolingual):
    vectors = torch.randn(40, 8, generator=torch.Generator().manual_seed(0))
    half, full = (
        hardest(given, torch.arange(40), monolingual) for given in (vectors.bfloat16(), vectors)
    )
    cosines = torch.nn.functional.normalize(vectors) @ torch.nn.functional.normalize(vectors).T
    for side, rows in ("for_left", torch.arange(20)), ("for_right", torch.arange(20, 40)):
        lost = cosines[rows, getattr(full, side)] - cosines[rows, getattr(half, side)]
        assert lost.max() < 0.02
    assert half.mask.all()
