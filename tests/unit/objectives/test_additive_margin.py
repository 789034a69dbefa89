"""The additive-margin softmax against its equations."""

import pytest
import torch

from tandem.encoders.composition import Composition
from tandem.encoders.kinds.averaging import Averaging
from tandem.objectives.contrastive import Pool
from tandem.objectives.kinds.additive_margin import AdditiveMargin
from tandem.objectives.objective import OBJECTIVES
from tandem.segmentation import ragged
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of

PAIRS, WIDTH = 7, 5


@pytest.fixture
def vectors():
    return torch.randn(2 * PAIRS, WIDTH, generator=torch.Generator().manual_seed(1))


def loss_of(objective, vectors, keys=None, batch=slice(0, PAIRS)):
    keys = torch.arange(PAIRS).repeat(2) if keys is None else keys
    chosen = objective.choose(Pool(vectors, keys, monolingual=False))
    rows = objective.rows(torch.arange(PAIRS), chosen)
    assert {len(group) for group in rows} == {PAIRS}
    compared = torch.stack([vectors[group[batch]] for group in rows])
    return objective.loss(compared, *objective.part(chosen, batch))


def one_way(x, y, margin, negatives=lambda i: ()):
    """Equation 7, word for word."""
    total = 0.0
    for i in range(len(x)):
        own = torch.exp(x[i] @ y[i] - margin)
        others = [y[n] for n in range(len(y)) if n != i] + list(negatives(i))
        total -= torch.log(own / (own + sum(torch.exp(x[i] @ other) for other in others)))
    return total / len(x)


@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_the_loss_is_the_papers(vectors, margin):
    x, y = vectors.chunk(2)
    forward, backward = one_way(x, y, margin), one_way(y, x, margin)
    alone = AdditiveMargin(margin=margin, bidirectional=False)
    assert loss_of(alone, vectors) == pytest.approx(float(forward))
    both = AdditiveMargin(margin=margin)
    assert loss_of(both, vectors) == pytest.approx(float(forward + backward))


def test_the_margin_is_of_the_cosine_where_there_is_a_scale(vectors):
    x, y = torch.nn.functional.normalize(vectors).chunk(2)
    expected = one_way(10 * x, y, 3.0) + one_way(y, 10 * x, 3.0)
    assert loss_of(AdditiveMargin(scale=10), vectors) == pytest.approx(float(expected))


def test_long_vectors_cost_their_length(vectors):
    x, y = vectors.chunk(2)
    more = (x.norm(dim=1) + y.norm(dim=1)).mean()
    plain, penalised = (loss_of(AdditiveMargin(length_penalty=w), vectors) for w in (0, 0.5))
    assert penalised - plain == pytest.approx(0.5 * float(more))


def test_what_says_the_same_is_no_negative(vectors):
    keys = torch.tensor([0, 1, 2, 3, 4, 5, 0] * 2)  # the first pair and the last
    x, y = vectors.chunk(2)
    expected = 0.0
    for a, b in ((x, y), (y, x)):
        for i in range(PAIRS):
            others = [n for n in range(PAIRS) if n != i and keys[n] != keys[i]]
            scores = torch.stack([a[i] @ b[i] - 0.3, *(a[i] @ b[n] for n in others)])
            expected -= torch.log_softmax(scores, 0)[0] / PAIRS
    assert loss_of(AdditiveMargin(), vectors, keys) == pytest.approx(float(expected), rel=1e-5)


def test_hard_negatives_of_all_examples_join_the_batch(vectors):
    objective = AdditiveMargin(hard=2, megabatch=3)
    keys = torch.arange(PAIRS).repeat(2)
    keys[PAIRS + 3] = keys[3] = keys[5] = keys[PAIRS + 5] = 3
    chosen = objective.choose(Pool(vectors, keys, monolingual=False))
    unit = torch.nn.functional.normalize(vectors)
    x, y = unit.chunk(2)
    for i in range(PAIRS):
        for way, similar in enumerate((y @ x[i], x @ y[i])):
            allowed = [n for n in range(PAIRS) if keys[n] != keys[i]]
            best = sorted(allowed, key=lambda n: -float(similar[n]))[:2]
            assert chosen.hard[way, :, i].tolist() == best
    batch = [3, 4, 5]
    x, y = vectors.chunk(2)
    expected = 0.0
    for way, (a, b) in enumerate(((x, y), (y, x))):
        pool = [*batch, *chosen.hard[way][:, batch].flatten().tolist()]
        for place, i in enumerate(batch):
            others = [n for at, n in enumerate(pool) if at != place and keys[n] != keys[i]]
            scores = torch.stack([a[i] @ b[i] - 0.3, *(a[i] @ b[n] for n in others)])
            expected -= torch.log_softmax(scores, 0)[0] / len(batch)
    ours = loss_of(objective, vectors, keys, slice(3, 6))
    assert ours == pytest.approx(float(expected), rel=1e-5)


def test_a_pool_with_few_sentences_gives_what_it_has(vectors):
    objective = AdditiveMargin(hard=20)
    assert torch.isfinite(loss_of(objective, vectors))
    assert objective.batches(0, 9) == 1 and AdditiveMargin(hard=1, megabatch=5).batches(8, 9) == 5


def test_it_is_found_by_its_name():
    parsed = OBJECTIVES.parse({"kind": "additive-margin", "margin": 0.2})
    assert isinstance(parsed, AdditiveMargin) and parsed.margin == 0.2


@pytest.mark.parametrize(("hard", "vectors"), [(0, 0), (2, 1)])
def test_pools_are_encoded_only_to_be_compared(hard, vectors, monkeypatch):
    counted = []
    forward = Composition.forward

    def count(self, *arguments):
        counted.append(torch.is_grad_enabled())
        return forward(self, *arguments)

    monkeypatch.setattr(Composition, "forward", count)
    sides = ([[number] for number in range(start, start + 20)] for start in (0, 20))
    pairs = Pairs(*map(ragged.from_rows, sides), monolingual=False)
    recipe = Recipe(epochs=1, batch=20, dropout=0.1)
    run = Run(Averaging(dimension=4), AdditiveMargin(hard=hard), recipe, 1)
    course_of(run, 40, [pairs]).run(None, show=False)
    assert counted.count(False) == vectors and counted.count(True) == 1
