"""The objectives of labelled pairs against their equations."""

import math

import pytest
import torch
from torch.nn import functional

from tandem.errors import TandemError
from tandem.objectives.contrastive import Pool
from tandem.objectives.kinds.additive_margin_scale import AdditiveMarginScale
from tandem.objectives.kinds.scaled_cosine import ScaledCosine

PAIRS, WIDTH = 7, 5
LABELS = torch.tensor([1, 0, 1, 1, 0, 0, 1])


@pytest.fixture
def vectors():
    return torch.randn(2 * PAIRS, WIDTH, generator=torch.Generator().manual_seed(1))


def loss_of(objective, vectors, keys=None, labels=LABELS, batch=slice(0, PAIRS)):
    keys = torch.arange(2 * PAIRS) if keys is None else keys
    chosen = objective.choose(Pool(vectors, keys, monolingual=True, labels=labels))
    rows = objective.rows(torch.arange(PAIRS), chosen)
    compared = torch.stack([vectors[group[batch]] for group in rows])
    return objective.loss(compared, *objective.part(chosen, batch))


def of_equation_4(vectors, s, m, gamma, hard=lambda i: (), spared=()):
    """Equations 1 to 4, word for word; a pair labelled 0 has its own sentence as paraphrase."""
    x, y = vectors.chunk(2)
    total = 0.0
    for i in range(PAIRS):
        angle = [torch.arccos(functional.cosine_similarity(x[i], other, dim=0)) for other in y]
        own = angle[i] if LABELS[i] else torch.zeros(())
        p = torch.exp(s * torch.cos(own + m))
        others = [j for j in range(PAIRS) if j != i and (i, j) not in spared]
        n = sum(torch.exp(s * torch.cos(angle[j])) for j in others)
        told = [] if LABELS[i] else [i]
        h = sum(torch.exp(s * torch.cos(angle[j])) for j in (*told, *hard(i)))
        total -= torch.log(p / (p + n + gamma * h))
    return float(total / PAIRS)


@pytest.mark.parametrize(("s", "m", "gamma"), [(0.5, 0.5, 1.0), (20.0, 0.2, 3.0)])
def test_the_loss_is_the_papers(vectors, s, m, gamma):
    objective = AdditiveMarginScale(scale=s, margin=m, gamma=gamma)
    expected = of_equation_4(vectors, s, m, gamma)
    assert float(loss_of(objective, vectors)) == pytest.approx(expected, rel=1e-5)


def test_without_an_angle_the_margin_is_of_the_cosine(vectors):
    plain = AdditiveMarginScale(scale=10, margin=0.3, angular=False, gamma=0)
    x, y = functional.normalize(vectors).chunk(2)
    scores = 10 * x @ y.T
    own = torch.where(LABELS == 1, scores.diagonal(), torch.tensor(10.0)) - 3
    others = scores.masked_fill(torch.eye(PAIRS, dtype=torch.bool), -torch.inf)
    every = torch.cat([own[:, None], others], 1)
    assert loss_of(plain, vectors) == pytest.approx(float((every.logsumexp(1) - own).mean()))


def test_the_most_similar_of_the_pool_count_again(vectors):
    objective = AdditiveMarginScale(scale=5, margin=0.1, gamma=2, hard=2)
    x, y = functional.normalize(vectors).chunk(2)
    similar = (x @ y.T).fill_diagonal_(-2)
    expected = of_equation_4(vectors, 5, 0.1, 2, lambda i: similar[i].topk(2).indices.tolist())
    assert float(loss_of(objective, vectors)) == pytest.approx(expected, rel=1e-5)


def test_only_what_is_above_a_cosine_counts(vectors):
    x, y = functional.normalize(vectors).chunk(2)
    similar = (x @ y.T).fill_diagonal_(-2)
    bound = float(similar.flatten().sort().values[-4:-3])

    def near(i):
        return [j for j in range(PAIRS) if similar[i, j] >= bound]

    objective = AdditiveMarginScale(scale=5, margin=0.1, hard=PAIRS - 1, above=bound)
    expected = of_equation_4(vectors, 5, 0.1, 1, near)
    assert float(loss_of(objective, vectors)) == pytest.approx(expected, rel=1e-5)


SPARED = {(0, 2), (2, 0), (0, 3)}
"""Pair 0's paraphrase is the right sentence of pair 2 too, its left one the right one of pair 3."""


@pytest.fixture
def keys():
    keys = torch.arange(2 * PAIRS)
    keys[PAIRS + 2], keys[PAIRS + 3] = keys[PAIRS], keys[0]
    return keys


def test_what_says_the_same_is_no_negative(vectors, keys):
    objective = AdditiveMarginScale(scale=5, margin=0.1)
    expected = of_equation_4(vectors, 5, 0.1, 1, spared=SPARED)
    assert float(loss_of(objective, vectors, keys)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("hard", [3, 40])
def test_what_says_the_same_is_not_mined(vectors, keys, hard):
    vectors[PAIRS + 2], vectors[PAIRS + 3] = vectors[PAIRS], vectors[0]
    objective = AdditiveMarginScale(scale=5, margin=0.1, hard=hard)
    chosen = objective.choose(Pool(vectors, keys, monolingual=True, labels=LABELS))
    for pair, other in SPARED:
        assert other not in chosen.hard[:, pair][chosen.counts[:, pair]].tolist()
    assert chosen.counts.any()


def test_a_pair_labelled_0_whose_sides_are_equal_says_nothing(vectors):
    keys = torch.arange(2 * PAIRS)
    keys[PAIRS + 1] = keys[1]
    objective = AdditiveMarginScale(scale=5, margin=0.1, gamma=1000)
    whole = loss_of(objective, vectors, keys)
    vectors[PAIRS + 1] = vectors[1]
    assert loss_of(objective, vectors, keys) < whole + 5


def test_gradients_are_finite_where_sides_are_equal(vectors):
    vectors[PAIRS:] = vectors[:PAIRS]
    vectors.requires_grad_()
    loss_of(AdditiveMarginScale(), vectors).backward()
    assert torch.isfinite(vectors.grad).all()


def test_both_ways_is_the_sum(vectors):
    one = AdditiveMarginScale(scale=5, margin=0.1)
    both = AdditiveMarginScale(scale=5, margin=0.1, bidirectional=True)
    turned = torch.cat(vectors.chunk(2)[::-1])
    expected = loss_of(one, vectors) + loss_of(one, turned)
    assert float(loss_of(both, vectors)) == pytest.approx(float(expected), rel=1e-6)


def test_the_cosine_is_regressed_on_the_label(vectors):
    objective = ScaledCosine(scale=4, centre=0.3)
    x, y = vectors.chunk(2)
    cosines = functional.cosine_similarity(x, y)
    total = 0.0
    for cosine, label in zip(cosines.tolist(), LABELS.tolist(), strict=True):
        p = 1 / (1 + math.exp(-4 * (cosine - 0.3)))
        total -= math.log(p if label else 1 - p)
    assert loss_of(objective, vectors) == pytest.approx(total / PAIRS, rel=1e-5)
    with pytest.raises(TandemError, match="these pairs have none"):
        objective.choose(Pool(None, torch.arange(2 * PAIRS), True))
