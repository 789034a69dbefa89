"""A stopped or killed training resumes to the same bytes, from its own checkpoint alone."""

import contextlib

import pytest
from small_runs import (
    AVERAGING,
    LSTM,
    TYPES,
    Rising,
    assert_same_bytes,
    bitext,
    continued,
    described,
    encoder_of,
    train,
    train_both,
)

from tandem.machine import cpu_as_gpu
from tandem.objectives.kinds.margin import Margin
from tandem.training import gpu_contrast
from tandem.training.course import Course
from tandem.training.run import course_of


class Killed(Exception):
    pass


def killed_after(saves, monkeypatch, train):
    """Train, and die after so many checkpoints."""
    save, count = Course.save, 0

    def save_then_die(course, folder):
        nonlocal count
        save(course, folder)
        count += 1
        if count == saves:
            raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(Course, "save", save_then_die)
        train()


def test_training_that_is_stopped_goes_on_to_the_same_bytes(tmp_path):
    run, calls = described(AVERAGING), iter(range(100))
    trainer = course_of(run, TYPES, [bitext()])
    trainer.run(None, tmp_path / "c", show=False, stopped=lambda: next(calls) == 2)
    assert not trainer.finished
    again = course_of(run, TYPES, [bitext()])
    again.run(None, tmp_path / "c", show=False)
    assert again.finished
    whole = course_of(run, TYPES, [bitext()])
    whole.run(None, show=False)
    assert_same_bytes(again, whole)


@pytest.mark.parametrize("saves", [1, 5, 9])
def test_a_killed_run_that_anneals_by_share_resumes_to_the_same_bytes(tmp_path, monkeypatch, saves):
    run = described(AVERAGING, Margin(megabatch=6, full_at=0.6))
    whole, folder, sizes = train(run), tmp_path / "c", []
    killed_after(saves, monkeypatch, lambda: train(run, folder, checkpoint_seconds=-1))
    again = course_of(run, TYPES, [bitext()])
    assert again.resume(folder)
    batches = Margin.batches

    def noted(objective, step, total):
        sizes.append((batches(objective, step, total), total))
        return sizes[-1][0]

    monkeypatch.setattr(Margin, "batches", noted)
    rising = Rising()
    rising.calls = len(again.progress.history)
    again.run(rising, folder, show=False)
    assert_same_bytes(again, whole)
    assert sizes[-1] == (6, 30)  # 150 pairs are 10 batches, three times


@pytest.mark.parametrize("saves", [1, 2, 5])
def test_a_killed_run_whose_last_pair_joins_a_batch_resumes_to_the_same_bytes(
    tmp_path, monkeypatch, saves
):
    run, pairs, folder = described(AVERAGING, decay="linear"), bitext(161), tmp_path / "c"
    whole = train(run, pairs=pairs)
    killed_after(saves, monkeypatch, lambda: train(run, folder, pairs=pairs, checkpoint_seconds=-1))
    trainer = course_of(run, TYPES, [pairs])
    assert trainer.resume(folder)
    rising = Rising()
    rising.calls = len(trainer.progress.history)
    trainer.run(rising, folder, show=False)
    assert_same_bytes(trainer, whole)


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
@pytest.mark.parametrize("saves", [1, 4, 9])
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path, monkeypatch, architecture, saves):
    whole, folder = train(architecture), tmp_path / "checkpoint"
    killed_after(saves, monkeypatch, lambda: train(architecture, folder, checkpoint_seconds=-1))
    rising = Rising()
    trainer = course_of(described(architecture), TYPES, [bitext()])
    assert trainer.resume(tmp_path / "checkpoint")
    assert trainer.learner.step > 0
    rising.calls = len(trainer.progress.history)
    assert_same_bytes(train(architecture, tmp_path / "checkpoint", rising), whole)


@pytest.mark.parametrize("saves", [2, 7])
def test_a_killed_run_of_two_texts_resumes_to_the_same_bytes(tmp_path, monkeypatch, saves):
    whole, folder = train_both(), tmp_path / "c"
    killed_after(saves, monkeypatch, lambda: train_both(folder, checkpoint_seconds=-1))
    assert_same_bytes(train_both(folder), whole)


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
@pytest.mark.parametrize("saves", [1, 7])
def test_a_killed_run_with_a_start_resumes_to_the_same_bytes(
    tmp_path, monkeypatch, architecture, saves
):
    start, folder = encoder_of(train(architecture)), tmp_path / "c"
    whole = continued(start)
    killed_after(saves, monkeypatch, lambda: continued(start, folder, checkpoint_seconds=-1))
    trainer = course_of(described(architecture, seed=6), TYPES, [bitext()], start=start)
    assert trainer.resume(folder)
    rising = Rising()
    rising.calls = len(trainer.progress.history)
    trainer.run(rising, folder, show=False)
    assert_same_bytes(trainer, whole)


def test_a_checkpoint_of_another_run_is_not_taken_up(tmp_path):
    train(AVERAGING, tmp_path / "c", checkpoint_seconds=-1)
    changed = Margin(megabatch=3, anneal=4, margin=0.5)
    other = described(AVERAGING, changed), described(AVERAGING, seed=6), described(LSTM)
    for run in other:
        assert not course_of(run, TYPES, [bitext()]).resume(tmp_path / "c")


def test_a_checkpoint_of_other_text_of_the_same_length_is_not_taken_up(tmp_path):
    train(AVERAGING, tmp_path / "c", checkpoint_seconds=-1)
    assert course_of(described(AVERAGING), TYPES, [bitext()]).resume(tmp_path / "c")
    pairs = bitext()
    pairs.right.ids[3] += 1 if pairs.right.ids[3] == 0 else -1
    assert not course_of(described(AVERAGING), TYPES, [pairs]).resume(tmp_path / "c")


def test_a_checkpoint_of_another_start_is_not_taken_up(tmp_path):
    start, other = (encoder_of(train(described(AVERAGING, seed=seed))) for seed in (5, 7))
    assert start.digest() == encoder_of(train(AVERAGING)).digest() != other.digest()
    continued(start, tmp_path / "c", checkpoint_seconds=-1)
    run = described(AVERAGING, seed=6)
    assert course_of(run, TYPES, [bitext()], start=start).resume(tmp_path / "c")
    for begun in (None, other):
        assert not course_of(run, TYPES, [bitext()], start=begun).resume(tmp_path / "c")
    train(run, tmp_path / "d", checkpoint_seconds=-1)
    assert not course_of(run, TYPES, [bitext()], start=start).resume(tmp_path / "d")


@pytest.mark.parametrize("devices", [("cpu", "gpu"), ("gpu", "cpu")])
def test_a_training_that_was_stopped_on_one_device_begins_anew_on_the_other(
    tmp_path, devices, monkeypatch
):
    monkeypatch.setattr(gpu_contrast, "AT_ONCE", 1)  # so that every pool can be stopped after

    def trained(device, folder=None, **options):
        with cpu_as_gpu() if device == "gpu" else contextlib.nullcontext():
            course = course_of(described(AVERAGING), TYPES, [bitext()])
            course.run(None, folder, show=False, **options)
        return course

    calls = iter(range(100))
    stopped = trained(devices[0], tmp_path / "c", stopped=lambda: next(calls) == 12)
    assert not stopped.finished
    assert_same_bytes(trained(devices[1], tmp_path / "c"), trained(devices[1]))
