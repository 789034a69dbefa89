"""The learner of generative objectives: what it learns, resumption, and the code for a GPU."""

import copy
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch
from operations import Operations, Roundings
from small_generative import AVERAGING, BODY, LSTM, MODELS, course, run, text
from small_runs import AVERAGING as PLAIN
from small_runs import TYPES, assert_same_bytes, described, two_texts

from tandem.errors import TandemError
from tandem.generation import learner
from tandem.generation.learner import Generation
from tandem.machine import cpu_as_gpu
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter
from tandem.training.run import course_of, train_encoder

EXACT = {"dropout": 0.0}
GROUPED = {"kind": "transformer", "grouped": True, "dimension": 32, "hidden": 32, "heads": 2}
FLAT = "in_proj_bias", "inputs.bias"
"""Parameters of which a part, keys' biases, moves no loss: Adam scales the rounding of zero."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def gpu():
    """Return a context in which the code of a GPU runs."""
    return nullcontext() if DEVICE == "cuda" else cpu_as_gpu()


def losses_of(trained):
    return [epoch.loss for epoch in trained.progress.history]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("decoder", ["transformer", "lstm"])
def test_every_model_learns(model, decoder):
    trained = course(run(model, decoder=decoder))
    held_out = text(60)
    before = trained.learner.loss_on(held_out)
    trained.run(None, show=False)
    first, *_, last = losses_of(trained)
    assert last < 0.95 * first
    assert trained.learner.loss_on(held_out) < 0.9 * before


@pytest.mark.parametrize("body", [LSTM, AVERAGING], ids=["lstm", "averaging"])
def test_any_encoder_can_be_the_body(body):
    trained = course(run(body=body))
    trained.run(None, show=False)
    assert losses_of(trained)[-1] < 0.95 * losses_of(trained)[0]


@pytest.mark.parametrize("on", ["cpu", "gpu"])
@pytest.mark.parametrize(
    ("model", "drawn"), [("bgt", None), ("bgt", 20), ("bgt-without-prior", 20)]
)
def test_a_stopped_run_ends_with_the_same_bytes(tmp_path, on, model, drawn):
    with gpu() if on == "gpu" else nullcontext():
        device = DEVICE if on == "gpu" else "cpu"
        how = run(model, parts=2, drawn=drawn)
        whole = course(how, device=device)
        whole.run(None, show=False)
        for stop in (3, 11):
            advances = iter(range(stop))
            stopped = course(how, device=device)
            stopped.run(
                None, tmp_path, show=False, stopped=lambda n=advances: next(n, None) is None
            )
        resumed = course(how, device=device)
        resumed.run(None, tmp_path, show=False)
    assert_same_bytes(whole, resumed)


@pytest.mark.parametrize("model", ["bgt", "bilingual-trans", "english-vae"])
def test_a_gpu_learns_what_the_cpu_learns(model):
    # vectors that are drawn differ between devices, not on the CPU that stands for one
    how = run(model, recipe=EXACT, dropout=0.0, parts=2, sampled=DEVICE == "cpu")
    host = course(how)
    host.run(None, show=False)
    with gpu():
        there = course(how, device=DEVICE)
        there.run(None, show=False)
    np.testing.assert_allclose(losses_of(there), losses_of(host), rtol=2e-4)
    for name, tensor in host.best.items():
        if name.endswith(FLAT):
            continue
        torch.testing.assert_close(there.best[name].cpu(), tensor, rtol=0, atol=2e-3)


def test_no_step_of_a_gpu_is_waited_for():
    with gpu():
        trained = course(run(parts=2), device=DEVICE).learner
        trained.begin(0)
        trained.advance()
        with Operations() as operations:
            for _ in range(3):
                trained.advance()
    assert operations.counts["waits"] == operations.counts["unordered"] == 0
    assert 1000 < operations.counts["operations"] < 6000


@pytest.mark.parametrize("body", [BODY, LSTM], ids=["transformer", "lstm"])
def test_products_are_exact(body):
    with gpu():
        trained = course(run(body=body, decoder="lstm"), device=DEVICE).learner
        trained.begin(0)
        with Roundings() as roundings:
            trained.advance()
            trained.loss_on(text(20))
    assert roundings.of_products == {False}


def test_a_gpu_that_diverges_is_seen_when_the_epoch_ends():
    steep = run(recipe={"learning_rate": 1e25, "warmup": 0})
    with gpu(), pytest.raises(TandemError, match="infinite or not a number: lower `learning_rate`"):
        course(steep, device=DEVICE).run(None, show=False)


def test_parts_sum_their_gradients_whatever_their_number():
    """A batch of all pairs in one group, or in several, takes the same step."""
    ends = []
    for parts in (1, 4):
        recipe = EXACT | {"epochs": 1, "learning_rate": 0.001}
        how = run("bilingual-trans", recipe=recipe, dropout=0.0, parts=parts,
                  tokens=100_000 if parts == 1 else 4 * 300)  # fmt: skip
        trained = course(how, count=100)
        assert len(trained.learner._batches(0)) == 1
        trained.run(None, show=False)
        ends.append(trained.best)
    for name, tensor in ends[0].items():
        torch.testing.assert_close(ends[1][name], tensor, rtol=0, atol=1e-4)


def test_the_divergence_has_its_weight_in_time():
    trained = course(run(annealing=10, recipe={"epochs": 1}))
    seen = []

    def learn(parts, random, learn=trained.learner._learn):
        seen.append(min(1.0, trained.learner.step / 10))
        return learn(parts, random)

    trained.learner._learn = learn
    trained.run(None, show=False)
    assert seen[:3] == [0.1, 0.2, 0.3]
    # a heavier divergence holds posteriors nearer to the prior
    held_out, kept = text(60), []
    for annealing in (1, 1_000_000):
        bound = course(run(annealing=annealing, recipe={"epochs": 4}))
        bound.run(None, show=False)
        vectors = Generation.encoder(bound.learner)["weights.mean.weight"]
        kept.append(float(vectors.abs().mean()))
        bound.learner.loss_on(held_out)
    assert kept[0] < kept[1]


def test_validation_changes_nothing_and_is_the_same_twice():
    trained = course(run(recipe={"epochs": 1}))
    trained.run(None, show=False)
    learns, held_out = trained.learner, text(60)
    before = copy.deepcopy(learns.encoder())
    draw = torch.random.get_rng_state()
    assert learns.loss_on(held_out) == learns.loss_on(held_out)
    assert torch.equal(draw, torch.random.get_rng_state())
    for name, tensor in learns.encoder().items():
        assert torch.equal(before[name], tensor)


def test_validation_in_parts_is_that_of_all_at_once(monkeypatch):
    whole = course(run("bilingual-trans")).learner.loss_on(text(60))
    monkeypatch.setattr(learner, "SCORED", 40 * TYPES)
    assert course(run("bilingual-trans")).learner.loss_on(text(60)) == pytest.approx(whole, 1e-6)


def test_validation_needs_a_pair():
    nothing = text().left.gather(np.zeros(0, int))
    with pytest.raises(TandemError, match="no held-out pair has tokens on both sides"):
        course(run()).learner.loss_on(replace(text(), left=nothing, right=nothing))


def test_a_full_gpu_says_what_takes_less(monkeypatch):
    def full(*run):
        raise RuntimeError("CUDA out of memory. Tried to allocate 9 GiB")

    monkeypatch.setattr(learner, "Generation", full)
    monkeypatch.setattr("tandem.training.run.place", lambda device: "cuda")
    segmenter = Segmenter(Words(), ["w"], {"en": None})
    with pytest.raises(TandemError, match="is full.*Lower `tokens` of the objective, or raise"):
        train_encoder(run(), segmenter, [text()], None, device="cuda")


def test_an_infinite_gradient_is_an_error_with_a_remedy():
    trained = course(run(recipe={"learning_rate": 1e25, "warmup": 0}))
    with pytest.raises(TandemError, match="infinite or not a number: lower `learning_rate`"):
        trained.run(None, show=False)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda how, pairs: (replace(how, encoder=PLAIN), pairs), "averaging has no posterior"),
        (lambda how, pairs: (how, [*two_texts()]), "there are 2 texts. Give one bitext"),
        (
            lambda how, pairs: (how, [replace(pairs, labels=np.ones(150, np.int8))]),
            "without labels",
        ),
        (
            lambda how, pairs: (how, [replace(pairs, left=pairs.left.gather(np.zeros(0, int)),
                                              right=pairs.right.gather(np.zeros(0, int)))]),
            "no usable pair",
        ),
        (
            lambda how, pairs: (how, replace(pairs, languages=("en", "en"))),
            "those of the text are en and en. Give a bitext of two",
        ),
        (lambda how, pairs: (how, replace(pairs, languages=())), "those of the text are none"),
        (
            lambda how, pairs: (run(recipe={"optimizer": "sgd", "batch": 64}), pairs),
            "does not read batch and optimizer of a recipe. Leave that out",
        ),
        (lambda how, pairs: (run(recipe={"scramble": 0.1}), pairs), "does not read scramble"),
        (lambda how, pairs: (run(body=GROUPED), pairs), "Give a body with grouped: false"),
    ],
)  # fmt: skip
def test_what_cannot_be_learned_from_is_refused(change, problem):
    how, pairs = change(run(), text())
    with pytest.raises(TandemError, match=problem):
        course_of(how, TYPES, pairs if isinstance(pairs, list) else [pairs])


def test_a_learner_without_such_a_loss_says_so():
    with pytest.raises(TandemError, match="selection"):
        course_of(described(PLAIN), TYPES, [text()]).learner.loss_on(text())
