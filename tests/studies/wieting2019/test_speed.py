"""Encoding speed: unseen text, turns, medians and shares, on a clock that the encoders move."""

from __future__ import annotations

import numpy as np
import pytest

from tandem.encoders.averaging import Averaging
from tandem.encoders.model import SentenceEncoder, initialise
from tandem.errors import TandemError
from tandem.objectives.margin import Margin
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segmenter import Segmenter
from tandem.training.loop import Run
from tandem.training.recipe import Recipe
from wieting2019 import speed
from wieting2019.speed import divide, measure, measure_training, sample_lines

TEXT = [f"line {number}" for number in range(100)]


class Clock:
    now = 0.0

    def perf_counter(self):
        return self.now


class Encoder:
    """Takes a second for every line that is new to it, else a tenth; 100 s for the very first."""

    device = "cpu"

    def __init__(self, clock, log, name, tokenises=True):
        self.clock, self.log, self.name, self.tokenises = clock, log, name, tokenises
        self.read = []

    def encode(self, sentences, language=None, batch_size=128):
        new = sum(line not in self.read for line in sentences)
        self.clock.now += new + 0.1 * (len(sentences) - new) if self.read else 100
        self.read += sentences
        self.log.append((self.name, batch_size, len(sentences)))
        return np.zeros((len(sentences), 2), np.float32)

    def tokenise(self, sentences, language=None):
        self.clock.now += len(sentences) / 16
        return self.tokenises


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(speed, "time", clock)
    return clock


def test_text_is_divided_into_a_probe_and_parts_that_share_no_line():
    probe, parts = divide(TEXT, 4)
    assert (len(probe), [len(part) for part in parts]) == (10, [22] * 4)
    every = [line for part in (probe, *parts) for line in part]
    assert len(every) == len(set(every))
    with pytest.raises(TandemError, match="9 lines make no 4 parts"):
        divide(TEXT[:9], 4)


def test_every_line_is_new_to_the_encoder_when_it_counts(clock):
    log = []
    encoders = {"a": Encoder(clock, log, "a"), "b": Encoder(clock, log, "b", tokenises=False)}
    probe, parts = divide(TEXT, 3)
    (a, b), limit = measure(encoders, probe, parts, "en", [2, 8], seconds=60)
    assert limit is None
    assert a.unseen == [pytest.approx(1.0)] * 3  # a tenth of the time would be of known lines
    assert a.seen == {2: pytest.approx(10.0), 8: pytest.approx(10.0)}
    assert a.tokenisation == pytest.approx(10 / 16)
    assert b.tokenisation is None
    # one sentence and a probe each; then a part each, in turns; then the last part again
    assert log[:4] == [("a", 2, 1), ("a", 2, 10), ("b", 2, 1), ("b", 2, 10)]
    assert log[4:10] == 3 * [("a", 2, 30), ("b", 2, 30)]
    assert log[10:] == [("a", 2, 30), ("a", 8, 30), ("b", 2, 30), ("b", 8, 30)]


def test_a_slow_encoder_gets_fewer_lines_but_a_whole_batch(clock):
    probe, parts = divide(TEXT, 2)
    for seconds, count in ((20.0, 20), (0.1, 8), (900.0, 45)):  # a line a second
        encoder = Encoder(clock, [], "a")
        measure({"a": encoder}, probe, parts, "en", [8], seconds)
        assert [read for _, _, read in encoder.log[2:4]] == [count, count]
        assert encoder.read[11 : 11 + count] == list(parts[0][:count])


def test_draws_every_line_once(tmp_path):
    path = tmp_path / "text"
    path.write_text("".join(f"{n % 150:03}\n" for n in range(200)), encoding="utf-8")
    drawn = sample_lines(path, 50, seed=1)
    assert len(set(drawn)) == len(drawn) == 50
    assert drawn == sample_lines(path, 50, seed=1) != sample_lines(path, 50, seed=2)
    assert len(sample_lines(path, 500, seed=1)) == 150


def test_refuses_an_empty_text(tmp_path):
    (tmp_path / "text").write_text("", encoding="utf-8")
    with pytest.raises(TandemError, match="empty"):
        sample_lines(tmp_path / "text", 5, seed=1)


def test_training_is_timed_in_turns_anew(monkeypatch):
    words = ["a", "b", "c", "d"]
    segmenter = Segmenter(Segmentation(kind="words"), words, {"en": None, "de": None})
    kind = Averaging(dimension=4)
    model = SentenceEncoder(segmenter, *initialise(kind, 4, 1))
    trained = []

    class Trainer(speed.Trainer):
        def run(self, *arguments, **values):
            trained.append((self.settings.seed, self.settings.recipe.epochs, len(self.usable)))
            super().run(*arguments, **values)

    monkeypatch.setattr(speed, "Trainer", Trainer)
    pairs = {"en": ["a b", "c", "d a", "b"] * 5, "de": ["b", "c d", "a", "d"] * 5}
    run = Run(kind, Margin(), Recipe(epochs=7, batch=4), 1)
    rates = measure_training({"m": model}, {"m": run}, pairs, 3, "cpu")
    assert trained == [(turn, 1, 20) for turn in range(4)]
    assert len(rates["m"]) == 3  # the first turn does not count
    assert all(rate > 0 for rate in rates["m"])
