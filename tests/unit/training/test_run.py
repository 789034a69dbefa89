"""Runs: as plain values, and from an encoder that is trained already."""

import os
import subprocess
import sys
from dataclasses import replace
from functools import partialmethod

import numpy as np
import pytest
from small_runs import AVERAGING, LSTM, TYPES, bitext, continued, described, encoder_of, train

import tandem.training.run as module
from tandem.errors import TandemError
from tandem.files.io import read_json
from tandem.training.course import Course, Learner
from tandem.training.run import Run, course_of, train_encoder


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
def test_plain_values_make_the_same_run(architecture):
    run = described(architecture)
    assert Run.parse(run.description(), run.seed) == run


def test_a_process_trains_with_the_threads_of_the_recipe_from_its_first_run_on():
    """Compiled loops let PyTorch have all of the machine when they begin."""
    code = """
from small_runs import AVERAGING, TYPES, bitext, described
from tandem.training.run import course_of
course_of(described(AVERAGING), TYPES, [bitext()])
import torch
print(torch.get_num_threads())
"""
    paths = os.pathsep.join(sys.path)
    environment = os.environ | {"PYTHONPATH": paths, "NUMBA_NUM_THREADS": "2"}
    environment.pop("OMP_NUM_THREADS", None)
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout == "1\n"


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
def test_training_starts_from_an_encoder(architecture):
    start = encoder_of(train(architecture))
    before = start.table.copy()
    trainer = course_of(described(architecture, seed=6), TYPES, [bitext()], start=start)
    assert np.array_equal(trainer.learner.optimizer.settle(), before)
    for name, weights in start.weights.items():
        assert np.array_equal(trainer.learner.composition.state_dict()[name], weights)
    scratch, more = train(described(architecture, seed=6)), continued(start)
    first = [trained.progress.history[1].loss for trained in (scratch, more)]
    assert first[1] < first[0]
    assert np.array_equal(start.table, before)  # it is left as it was


def test_an_encoder_of_another_kind_or_vocabulary_is_no_start():
    start = encoder_of(train(AVERAGING))
    for run, types in ((described(LSTM), TYPES), (described(AVERAGING), TYPES + 1)):
        with pytest.raises(TandemError, match="Give both the same architecture and segmentation"):
            course_of(run, types, [bitext()], start=start)
    other = encoder_of(train(AVERAGING), "v").segmenter
    with pytest.raises(TandemError, match="Segment it with the encoder's own segmenter"):
        train_encoder(described(AVERAGING), other, [bitext()], None, show=False, start=start)


def test_a_model_says_what_it_started_from():
    start = encoder_of(train(AVERAGING))
    run, texts = described(AVERAGING, epochs=1), [bitext()]
    options = {"device": "cpu", "show": False}
    scratch, _ = train_encoder(run, start.segmenter, texts, None, **options)
    more, _ = train_encoder(run, start.segmenter, texts, None, **options, start=start)
    known = {"start": {"sha256": start.digest(), "training": {"seed": 5}}}
    assert more.metadata == scratch.metadata | known


def test_a_model_says_what_trained_it():
    segmenter, run = encoder_of(train(AVERAGING)).segmenter, described(AVERAGING, epochs=1)
    known = []
    for changed in ({}, {"precision": "bfloat16"}):
        how = replace(run, recipe=run.recipe.model_copy(update=changed))
        encoder, _ = train_encoder(how, segmenter, [bitext()], None, show=False, device="cpu")
        known.append([encoder.metadata["device"], encoder.metadata.get("bfloat16")])
    assert known == [["cpu", None], ["cpu", True]]


def test_a_checkpoint_is_taken_up_by_the_same_choice_of_epochs_alone(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(Learner, "loss_on", lambda learner, held_out: 1.0)
    segmenter, run = encoder_of(train(AVERAGING)).segmenter, described(AVERAGING)

    def trained(score=None, stops=False, **choice):
        calls = iter(range(100))
        select = score and (lambda embed: score)
        caplog.clear()
        train_encoder(
            run, segmenter, [bitext()], select, tmp_path / "c", "cpu", show=False,
            stopped=lambda: stops and next(calls) == 12, **choice,
        )  # fmt: skip
        return "is of another training" not in caplog.text

    others = [
        {"score": 1.0, "chosen_by": {"selection": "retrieval", "files": {"valid.en": "a"}}},
        {"score": 0.5, "chosen_by": {"selection": "retrieval", "files": {"valid.en": "b"}}},
        {"score": 0.5, "chosen_by": {"selection": "similarity", "files": {"valid.en": "a"}}},
        {"held_out": bitext(20)},
        {"held_out": bitext(21)},
    ]
    for choice in others:
        trained(**choice, stops=True)
        taken = [other for other in others if trained(**other)]
        assert taken == [choice]


def test_a_training_on_a_gpu_that_is_lost_says_so_and_goes_on_from_its_checkpoint(
    tmp_path, monkeypatch
):
    segmenter, run = encoder_of(train(AVERAGING)).segmenter, described(AVERAGING)

    def trained(folder=None):
        options = {"device": "cpu", "show": False}
        return train_encoder(run, segmenter, [bitext()], None, folder, **options)

    def breaking(*arguments):
        """Make a course whose GPU is lost after the first epoch, on the CPU."""
        course = course_of(*arguments[:3])
        advance, begin = course.learner.advance, course.learner.begin

        def lose(epoch):
            course.learner.advance = lost if epoch else advance
            return begin(epoch)

        def lost():
            raise RuntimeError(problem)

        course.learner.begin = lose
        return course

    folder = tmp_path / "checkpoint"
    for problem, said in (  # noqa: B007  (which `lost` raises)
        ("CUDA error: unspecified launch failure", "cuda is lost.*goes on from its checkpoint"),
        ("CUDA out of memory. Tried to allocate 9 GiB", "cuda is full.*Lower `batch` of the"),
    ):
        with monkeypatch.context() as patched, pytest.raises(TandemError, match=said):
            patched.setattr(module, "place", lambda device: "cuda")
            patched.setattr(module, "course_of", breaking)
            patched.setattr(Course, "run", partialmethod(Course.run, checkpoint_seconds=-1))
            trained(folder)
        assert read_json(folder / "progress.json")["progress"]["pairs"] == 150
    (encoder, history), (whole, epochs) = trained(folder), trained()
    assert np.array_equal(encoder.table, whole.table)
    assert history == epochs
