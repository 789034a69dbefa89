"""Encoding speed: unseen text, turns, medians and shares, on a clock that the encoders move."""

from __future__ import annotations

import math

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
from wieting2019.speed import divide, measure, measure_training, new_sentences

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


def test_sentences_that_were_trained_on_or_come_twice_are_not_read():
    texts = [(f"{n % 150:03} a" for n in range(200)), ["007  A", "new", "New", "known"]]
    drawn = new_sentences(texts, ["KNOWN", "001 a"], 1000, seed=1)
    assert sorted(drawn) == sorted({f"{n:03} a" for n in range(150) if n != 1} | {"new"})
    few = [new_sentences([drawn], [], 50, seed) for seed in (1, 1, 2)]
    assert len(set(few[0])) == 50
    assert few[0] == few[1] != few[2]


def test_refuses_a_text_without_a_new_sentence():
    with pytest.raises(TandemError, match="no sentence to encode"):
        new_sentences([["a", "b"]], ["A", "B"], 5, seed=1)


def test_training_is_timed_in_turns_anew(monkeypatch, clock):
    words = ["a", "b", "c", "d"]
    segmenter = Segmenter(Segmentation(kind="words"), words, {"en": None, "de": None})
    kind = Averaging(dimension=4)
    model = SentenceEncoder(segmenter, *initialise(kind, 4, 1))
    trained = []

    class Trainer(speed.Trainer):
        def run(self, *arguments, **values):
            trained.append((self.settings.seed, self.settings.recipe.epochs, self.pairs_per_epoch))
            super().run(*arguments, **values)

        def _pool(self, text, order):
            clock.now += 1 / math.ceil(len(order) / self.settings.recipe.batch)
            return super()._pool(text, order)

    monkeypatch.setattr(speed, "Trainer", Trainer)
    pairs = {"en": ["a b", "c", "d a", "b"] * 5, "de": ["b", "c d", "a", "d"] * 5}
    run = Run(kind, Margin(), Recipe(epochs=7, batch=4), 1)
    rates = measure_training({"m": model}, {"m": run}, pairs, 3, "cpu")
    # two batches, which do not count, and then all pairs in each turn
    assert trained == [(0, 1, 8)] + [(turn, 1, 20) for turn in range(1, 4)]
    assert rates == {"m": pytest.approx([20.0] * 3)}


def test_what_keeps_the_parameters_is_not_timed(clock):
    class Slow:
        pairs_per_epoch = 30

        def run(self, validate, show):
            clock.now += 5
            validate("table", "composition")
            clock.now += 3
            validate("table", "composition")
            clock.now += 100

    assert speed._epoch_rate(Slow()) == 10.0
