"""Every kind of encoder with every objective on a GPU's way: as on a CPU, and who waits for it."""

from contextlib import nullcontext

import numpy as np
import pytest
import torch
from operations import counted_pool
from small_runs import TYPES, Rising, bitext, described

from tandem.encoders.encoder import ENCODERS
from tandem.errors import TandemError
from tandem.machine import cpu_as_gpu
from tandem.objectives.objective import OBJECTIVES
from tandem.training import gpu_contrast, gpu_pools
from tandem.training.course import Course
from tandem.training.pairs import Pairs
from tandem.training.run import course_of

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
AVERAGING = {"kind": "averaging", "dimension": 16}
TRANSFORMER = {"kind": "transformer", "dimension": 16, "layers": 1, "heads": 2, "hidden": 16,
               "filter": 32, "output": 12}  # fmt: skip
BERT = {"model_type": "bert", "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 32, "max_position_embeddings": 64}  # fmt: skip
KINDS = {
    "averaging": AVERAGING,
    "gran": {"kind": "gran", "dimension": 16, "hidden": 8},
    "lstm": {"kind": "lstm", "dimension": 16, "hidden": 8},
    "transformer": TRANSFORMER,
    "posterior": {"kind": "posterior", "body": TRANSFORMER, "latent": 12},
    "scorer": {"kind": "scorer", "body": TRANSFORMER},
    "pretrained": {"kind": "pretrained", "config": BERT, "dimension": 16, "output": 16},
}
LOSSES = {
    "margin": {"kind": "margin", "megabatch": 3, "anneal": 0},
    "additive-margin": {"kind": "additive-margin", "hard": 2, "megabatch": 3},
    "additive-margin-scale": {"kind": "additive-margin-scale", "hard": 2, "megabatch": 3,
                              "above": 0.2},
    "scaled-cosine": {"kind": "scaled-cosine"},
    "logistic": {"kind": "logistic"},
}  # fmt: skip
ELSEWHERE = {"generative"}
"""Objectives whose learner is another: tests/unit/generation counts what it waits for."""
WAITS = {"pretrained": 14}
"""Kinds that wait for a GPU, and what is counted of a pool of one batch. On a card three of these
are waits, for the number of its tokens, their lengths, and what the library looks at itself: here
the host's own numbers count as well, and each twice."""
PAIRED = [
    (encoder, objective)
    for encoder in KINDS
    for objective in LOSSES
    if (encoder == "scorer") == (objective == "logistic")
]


def labelled(count=150):
    """Pairs of which two in three say the same, with keys of both sides."""
    pairs = bitext(count)
    numbers = np.arange(count)
    keys = np.stack([numbers // 2, 1000 + numbers // 3])
    labels = (numbers % 3 > 0).astype(np.int8)
    return Pairs(pairs.left, pairs.right, False, keys, labels=labels)


def run_of(encoder, objective, **changed):
    encoder, objective = ENCODERS.parse(KINDS[encoder]), OBJECTIVES.parse(LOSSES[objective])
    exact = {"dropout": 0.0, "scramble": 0.0, "precision": "float32", "epochs": 2}
    return described(encoder, objective, **exact | changed)


def text_of(objective):
    return labelled() if OBJECTIVES.parse(LOSSES[objective]).labelled else bitext()


def on_a_gpu():
    return nullcontext() if DEVICE == "cuda" else cpu_as_gpu()


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(gpu_pools, "PAIRS", 60)
    monkeypatch.setattr(gpu_contrast, "AT_ONCE", 30)


def test_every_kind_is_among_them():
    """A new kind must be tried here, or be an exception that is stated."""
    assert set(KINDS) == set(ENCODERS.modules())
    assert set(LOSSES) | ELSEWHERE == set(OBJECTIVES.modules())


@pytest.mark.parametrize(("encoder", "objective"), PAIRED)
def test_it_learns_what_a_cpu_does(encoder, objective):
    run, text = run_of(encoder, objective, optimizer="sgd"), text_of(objective)
    here = course_of(run, TYPES + 1, [text], "cpu")
    here.run(Rising(), None, show=False)
    with on_a_gpu():
        there = course_of(run, TYPES + 1, [text], DEVICE)
        there.run(Rising(), None, show=False)
    assert type(here.learner) is not type(there.learner)
    for name, tensor in here.best.items():
        torch.testing.assert_close(there.best[name].cpu(), tensor, rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(DEVICE == "cuda", reason="counted on the CPU")
@pytest.mark.parametrize("encoder", KINDS)
def test_a_step_waits_for_nothing_but_what_is_stated(monkeypatch, encoder):
    objective = "logistic" if encoder == "scorer" else "scaled-cosine"
    counts = counted(monkeypatch, run_of(encoder, objective), text_of(objective))
    assert counts["waits"] + counts["reads"] <= WAITS.get(encoder, 0)


@pytest.mark.skipif(DEVICE == "cuda", reason="counted on the CPU")
@pytest.mark.parametrize(("objective", "waits"), [(o, o not in ("scaled-cosine", "logistic"))
                                                  for o in LOSSES])  # fmt: skip
def test_a_pool_waits_once_at_most(monkeypatch, objective, waits):
    encoder = "scorer" if objective == "logistic" else "transformer"
    run = run_of(encoder, objective)
    counts = counted(monkeypatch, run, text_of(objective))
    assert counts["waits"] == 0
    assert counts["reads"] == waits  # of how many tokens its largest batch has
    assert counts["unordered"] == 0


def counted(monkeypatch, run, text):
    """What training on one pool took."""
    with cpu_as_gpu():
        return counted_pool(monkeypatch, course_of(run, TYPES + 1, [text], "cpu").learner)


def test_a_training_that_diverges_is_refused_on_every_device():
    for way in (nullcontext, cpu_as_gpu):
        with way(), pytest.raises(TandemError, match="infinite or not a number: lower `learning_"):
            run = run_of("transformer", "additive-margin", learning_rate=1e30)
            course_of(run, TYPES + 1, [bitext()], "cpu").run(None, show=False)


@pytest.mark.parametrize("way", [nullcontext, cpu_as_gpu])
def test_a_training_that_diverges_late_ends_with_the_best_epoch(way, caplog):
    run = run_of("averaging", "margin", epochs=4)

    def spoilt(parameters):
        if len(course.progress.history) == 1:  # what is scored is what is learned on
            parameters["embedding"].fill_(float("nan"))
        return 1.0

    with way():
        course = course_of(run, TYPES + 1, [bitext()], "cpu")
        course.run(spoilt, show=False, from_start=False)
    assert course.finished and course.progress.best_epoch == 1
    assert len(course.progress.history) == 2
    assert all(bool(tensor.isfinite().all()) for tensor in course.best.values())
    assert "not a number: lower `learning_rate` of the recipe; epoch 1 is kept" in caplog.text


def test_an_epoch_without_a_score_is_not_the_best():
    run = run_of("averaging", "margin", epochs=3)
    scores = iter([float("nan"), float("nan"), 2.0, 1.0])
    course: Course = course_of(run, TYPES + 1, [bitext()], "cpu")
    course.run(lambda parameters: next(scores), show=False)
    assert course.progress.best_epoch == 2
