"""The course by itself, with a learner that is no encoder: a number that moves."""

import itertools

import pytest
import torch

from tandem.training.course import Advance, Course, Learner, State
from tandem.training.history import history_lines


class Counter(Learner):
    """Adds the epoch's number to a tensor, five pairs at a stroke, three strokes an epoch."""

    def __init__(self):
        self.value, self.epoch, self.place = torch.zeros(1), 0, 0
        self.strokes = 0

    def begin(self, epoch):
        self.epoch = epoch
        return 15

    def advance(self):
        if self.place == 3:
            self.place = 0
            return None
        self.place += 1
        self.strokes += 1
        self.value += self.epoch + 1
        return Advance(pairs=5, loss=6.0, weight=2.0)

    def encoder(self):
        return {"value": self.value}

    def state(self):
        return State({"value": self.value}, {"place": self.place})

    def load_state(self, state):
        self.value, self.place = state.tensors["value"].clone(), state.place["place"]


def course(epochs=4, identity="a", **options):
    return Course(Counter(), {"run": identity}, epochs, **options)


def scoring(*scores):
    rest = iter(scores)
    return lambda parameters: next(rest)


def test_the_best_epoch_is_kept_and_the_start_never():
    training = course()
    training.run(scoring(9, 1, 3, 3, 2), show=False)
    assert training.progress.best_epoch == 2
    assert training.best["value"].item() == 3 * (1 + 2)
    assert training.learner.value.item() == 3 * (1 + 2 + 3 + 4)
    assert training.progress.pairs == 4 * 15
    assert [epoch.loss for epoch in training.progress.history] == [None, 3.0, 3.0, 3.0, 3.0]


def test_a_course_that_selects_nothing_keeps_the_last_and_has_no_patience():
    training = course(selects=False, patience=1)
    training.run(scoring(9, 8, 7, 6), show=False)  # not asked for before the first epoch
    assert (training.progress.best_epoch, training.best["value"].item()) == (4, 30)
    lines = history_lines(training.progress.history, "validation_loss", decimals=1)
    assert lines == ["epoch,loss,validation_loss", *(f"{n},3.000000,{10 - n}.0"
                                                    for n in range(1, 5))]  # fmt: skip


def test_patience_ends_it():
    training = course(epochs=9, patience=2)
    training.run(scoring(0, 1, 5, 4, 4), show=False)
    assert training.finished and training.progress.epoch == 4


def test_patience_without_validation_is_none():
    training = course(patience=1)
    training.run(None, show=False)
    assert (training.progress.best_epoch, training.best["value"].item()) == (4, 30)


@pytest.mark.parametrize("stop", [0, 2, 3, 7, 10])
def test_a_stopped_course_goes_on_where_it_was(tmp_path, caplog, stop):
    caplog.set_level("INFO")
    whole = course()
    whole.run(lambda parameters: parameters["value"].item(), show=False)
    first, calls = course(), itertools.count()
    first.run(whole_score, tmp_path / "c", show=False, stopped=lambda: next(calls) == stop)
    assert not first.finished
    second = course()
    second.run(whole_score, tmp_path / "c", show=False)
    assert first.learner.strokes + second.learner.strokes == whole.learner.strokes
    going_on = f"going on in epoch {stop // 3 + 1}, after {5 * (stop + 1)} pairs in all"
    assert f"{tmp_path / 'c'}: {going_on}" in caplog.text
    assert second.progress == whole.progress
    assert torch.equal(second.best["value"], whole.best["value"])


def whole_score(parameters):
    return parameters["value"].item()


def test_a_learner_without_a_state_is_trained_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.delattr(Counter, "state")
    monkeypatch.delattr(Counter, "load_state")
    training = course()
    training.run(None, show=False)
    assert training.finished
    with pytest.raises(NotImplementedError, match="a Counter does not resume: give no folder"):
        course().run(None, tmp_path / "c", show=False, stopped=lambda: True)


def test_a_checkpoint_of_another_training_is_left_and_said(tmp_path, caplog):
    stopped = course()
    stopped.run(None, tmp_path / "c", show=False, stopped=lambda: True)
    other = course(identity="b")
    assert not other.resume(tmp_path / "c")
    assert "is of another training" in caplog.text
    assert course().resume(tmp_path / "c")
