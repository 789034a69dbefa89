"""Training with products in bfloat16: where it is used, and that it learns the same."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest
import torch
from small_runs import TYPES, bitext

from tandem.encoders.composition import initialise
from tandem.encoders.encoder import Tokens
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.lstm import Lstm
from tandem.encoders.kinds.posterior import Posterior
from tandem.encoders.kinds.pretrained import Pretrained
from tandem.encoders.kinds.scorer import Scorer
from tandem.encoders.kinds.transformer import Transformer
from tandem.machine import cpu_as_gpu
from tandem.objectives.kinds.additive_margin import AdditiveMargin
from tandem.objectives.kinds.logistic import Logistic
from tandem.objectives.kinds.margin import Margin
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of, uses_bfloat16

TRANSFORMER = Transformer(dimension=16, layers=1, heads=2, hidden=16, filter=32, output=8)
LOSS = AdditiveMargin(scale=20, margin=0.1)


def run(precision, encoder=TRANSFORMER, objective=LOSS):
    recipe = Recipe(epochs=8, batch=16, dropout=0.0, learning_rate=0.01, precision=precision)
    return Run(encoder, objective, recipe, seed=5)


def trained(precision):
    trainer = course_of(run(precision), TYPES, [bitext()])
    trainer.run(None, show=False)
    return trainer


def losses(trainer):
    return [entry.loss for entry in trainer.progress.history if entry.epoch]


def test_a_transformer_learns_the_same_in_bfloat16():
    plain, short = trained("float32"), trained("bfloat16")
    assert losses(short) != losses(plain)  # not by the same arithmetic,
    assert losses(short)[:3] == pytest.approx(losses(plain)[:3], rel=0.02)  # at first the same,
    assert max(losses(each)[-1] / losses(each)[0] for each in (plain, short)) < 0.3  # as much
    assert {tensor.dtype for tensor in short.best.values()} == {torch.float32}


@pytest.mark.parametrize("device", ["cpu", "gpu"])
@pytest.mark.parametrize("sizes", [{}, {"megabatch": 3, "anneal": 4}])
@pytest.mark.parametrize(
    "encoder",
    [
        Averaging(dimension=16),
        TRANSFORMER,
        Posterior(body=TRANSFORMER, latent=8),
        Scorer(body=TRANSFORMER),
    ],
    ids=lambda encoder: encoder.kind,
)
def test_vectors_and_losses_are_float32(encoder, sizes, device, monkeypatch):
    objective, text = (Margin if sizes else AdditiveMargin)(**sizes), bitext()
    if encoder.kind == "scorer":
        labels = (np.arange(len(text.left)) % 2).astype(np.int8)
        objective, text = Logistic(), replace(text, labels=labels)
    kinds, loss = set(), type(objective).loss

    def noted(objective, vectors, *part):
        value = loss(objective, vectors, *part)
        kinds.update((vectors.dtype, value.dtype))
        return value

    monkeypatch.setattr(type(objective), "loss", noted)
    how = run("bfloat16", encoder, objective)
    with cpu_as_gpu() if device == "gpu" else contextlib.nullcontext():
        course = course_of(how, TYPES, [text])
        course.learner.begin(0)
        course.learner.advance()
    assert kinds == {torch.float32}


def test_a_scorer_rounds_no_number():
    scorer = Scorer(body=Averaging(dimension=16))
    table, composition = initialise(scorer, TYPES, 1)
    tokens = Tokens(table, torch.arange(40), torch.arange(0, 41, 4))
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        within = composition(tokens)
    assert torch.equal(within, composition(tokens))


@pytest.mark.parametrize(
    ("encoder", "precision", "device", "expected"),
    [
        (TRANSFORMER, "auto", "cpu", False),
        (Pretrained(), "auto", "cpu", True),
        (Scorer(body=Pretrained()), "auto", "cpu", True),
        (Scorer(body=TRANSFORMER), "auto", "cpu", False),
        (Pretrained(), "float32", "cpu", False),
        (TRANSFORMER, "auto", "cuda", True),
        (TRANSFORMER, "float32", "cuda", False),
        (TRANSFORMER, "bfloat16", "cpu", True),
        (Averaging(), "auto", "cuda", False),
        (Lstm(), "auto", "cuda", False),
    ],
)
def test_where_it_is_used(encoder, precision, device, expected, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: True)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": True}, raising=False)
    assert uses_bfloat16(run(precision, encoder), torch.device(device)) is expected


def test_a_gpu_without_it_trains_in_float32(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: False)
    assert not uses_bfloat16(run("auto"), torch.device("cuda"))


@pytest.mark.parametrize("capabilities", [dict, lambda: {"avx512_bf16": False, "avx512_f": True}])
def test_a_processor_without_it_trains_in_float32(capabilities, monkeypatch):
    monkeypatch.setattr(torch.cpu, "get_capabilities", capabilities, raising=False)
    assert not uses_bfloat16(run("auto", Pretrained()), torch.device("cpu"))


def test_a_pytorch_that_cannot_tell_trains_in_float32(monkeypatch):
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    assert not uses_bfloat16(run("auto", Pretrained()), torch.device("cpu"))


def test_on_a_processor_auto_is_float32_to_the_byte():
    one, other = (trained(precision).best for precision in ("auto", "float32"))
    assert all(torch.equal(one[name], other[name]) for name in one)
