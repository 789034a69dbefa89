"""The margin objective: how its mega-batches grow, and its loss worked out by hand."""

import pytest
import torch

from tandem.objectives.kinds.margin import Margin
from tandem.objectives.negatives import Negatives


@pytest.mark.parametrize(
    ("step", "expected"), [(0, 1), (149, 1), (150, 2), (299, 2), (300, 3), (10**6, 60)]
)
def test_the_megabatch_grows_by_one_every_150_batches(step, expected):
    assert Margin(megabatch=60, anneal=150).batches(step, 10**7) == expected


def test_without_annealing_it_is_full_from_the_start():
    assert Margin(megabatch=60, anneal=0).batches(0, 100) == 60


@pytest.mark.parametrize("total", [10, 63, 630, 1330, 78_125])
@pytest.mark.parametrize("share", [0.23, 0.5, 1.0])
def test_a_share_of_the_training_fills_the_megabatch_however_many_updates_there_are(total, share):
    objective = Margin(megabatch=120, full_at=share)
    sizes = [objective.batches(step, total) for step in range(total + 1)]
    assert sizes == sorted(sizes)
    assert sizes[0] == 1
    full = sizes.index(120)  # the first that is full
    assert full - 1 < share * total <= full
    assert {*sizes[full:]} == {120}


def test_a_share_grows_evenly():
    objective = Margin(megabatch=5, full_at=0.5)
    assert [objective.batches(step, 16) for step in range(10)] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_the_largest_pool_by_hand():
    # 5 batches an epoch, of 10: pools begin at 0, 1, 3 (which the epoch ends), then 5 and so on
    assert Margin(megabatch=9, full_at=1.0).largest_pool(pairs=50, batch=10, epochs=1) == 2
    # after 5 of 10 updates 5 batches are chosen from, all that the second epoch has
    assert Margin(megabatch=9, full_at=1.0).largest_pool(pairs=50, batch=10, epochs=2) == 5
    assert Margin(megabatch=3, anneal=0).largest_pool(pairs=50, batch=10, epochs=1) == 3
    assert Margin(megabatch=120, anneal=150).largest_pool(17_000, 128, 10) == 9
    assert Margin(megabatch=120, full_at=0.23).largest_pool(17_000, 128, 10) == 120


def loss_of(vectors, found):
    """The loss of a batch that is the whole pool."""
    pairs, objective = torch.arange(vectors.shape[1]), Margin(margin=0.4)
    chosen = Negatives(pairs, pairs, torch.tensor(found))
    return objective.loss(vectors, *objective.part(chosen, slice(0, len(pairs))))


def test_the_loss_by_hand():
    left = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    right = torch.tensor([[1.0, 1.0], [0.0, 1.0]])  # cosines 0.7071, 1
    negative_right = torch.tensor([[0.0, 1.0], [0.0, -1.0]])  # with left: 0, -1
    negative_left = torch.tensor([[1.0, 1.0], [1.0, 0.0]])  # with right: 1, 0
    # pair 1: [0.4 - 0.7071 + 0]+ + [0.4 - 0.7071 + 1]+ = 0 + 0.6929; pair 2: 0 + 0
    vectors = torch.stack([left, right, negative_right, negative_left])
    assert loss_of(vectors, [[True, True]] * 2).item() == pytest.approx(0.6928932 / 2, abs=1e-6)


def test_a_sentence_without_a_negative_costs_nothing():
    vectors = torch.eye(2).expand(4, 2, 2)
    # each pair: 0.4 - 1 + 1 in each direction; only one of the four counts
    loss = loss_of(vectors, [[True, False], [False, False]])
    assert loss.item() == pytest.approx(0.4 / 2)


def test_only_the_pairs_of_the_batch_are_asked_for_their_negatives():
    none, objective = torch.zeros(3, dtype=torch.int64), Margin(margin=0.4)
    chosen = Negatives(none, none, torch.tensor([[True, False, True]] * 2))
    # of pairs 1 and 2 the latter alone has negatives, 0.4 - 1 + 1 in each direction
    loss = objective.loss(torch.ones(4, 2, 2), *objective.part(chosen, slice(1, 3)))
    assert loss.item() == pytest.approx(2 * 0.4 / 2)


def test_vectors_of_zeros_have_gradients_that_are_numbers():
    vectors = torch.randn(4, 3, 5, generator=torch.Generator().manual_seed(0))
    vectors[2, 0] = 0
    vectors.requires_grad_()
    loss_of(vectors, [[True] * 3] * 2).backward()
    assert vectors.grad.isfinite().all() and vectors.grad.any()


def test_the_compiled_gradient_is_that_of_pytorch():
    random = torch.Generator().manual_seed(0)
    start = torch.randn(4, 50, 7, generator=random)
    start[1] = start[0] + start[1] / 2  # translations are alike: some losses are zero
    found = (torch.rand(2, 50, generator=random) < 0.8).tolist()
    # single precision is compiled on a CPU, double precision is not
    ours, plain = (
        start.to(k, copy=True).requires_grad_() for k in (torch.float32, torch.float64)
    )
    losses = [loss_of(vectors, found) for vectors in (ours, plain)]
    torch.testing.assert_close(losses[0].double(), losses[1], atol=1e-6, rtol=1e-5)
    for loss in losses:
        (3 * loss).backward()
    nothing = ~plain.grad.any(-1)
    assert nothing.any() and (~nothing).any()
    assert not ours.grad[nothing].any()
    torch.testing.assert_close(ours.grad.double(), plain.grad, atol=1e-6, rtol=1e-5)
