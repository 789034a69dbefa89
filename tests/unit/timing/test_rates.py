"""Encoding speed: unseen text, turns, medians and shares, on a clock that the encoders move."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.objectives.kinds.margin import Margin
from tandem.segmentation import lookup
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.ragged import from_rows
from tandem.segmentation.segmenter import Segmenter
from tandem.timing import rates
from tandem.timing.rates import measure, measure_training, sample
from tandem.timing.unread import divide
from tandem.training.contrast import Contrast
from tandem.training.course import Progress
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run

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
    monkeypatch.setattr(rates, "time", clock)
    return clock


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


def test_what_long_text_needs_is_compiled_before_anything_is_timed(monkeypatch):
    log, compiled, rate = [], lookup._compiled, rates._rate
    monkeypatch.setattr(lookup, "_compiled", lambda c: log.append("compiled") or compiled(c))
    monkeypatch.setattr(rates, "_rate", lambda *job: log.append("timed") or rate(*job))
    segmenter = Segmenter(Words(), ["line", *map(str, range(100))], {"en": None})
    encoder = as_encoder(segmenter, *initialise(Averaging(dimension=4), len(segmenter), 1))
    measure({"a": encoder}, *divide(TEXT, 2), "en", [8], seconds=60)
    assert log[:2] == ["compiled", "timed"]
    assert log.count("compiled") == 1


def test_rates_name_the_card(clock, monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"Card of {device}")
    encoder = Encoder(clock, [], "a")
    encoder.device = "cuda:1"
    (speed,), _ = measure({"a": encoder}, *divide(TEXT, 2), "en", [8], seconds=20)
    assert speed.device == "cuda (Card of cuda:1)"


def test_a_slow_encoder_gets_fewer_lines_but_a_whole_batch(clock):
    probe, parts = divide(TEXT, 2)
    for seconds, count in ((20.0, 20), (0.1, 8), (900.0, 45)):  # a line a second
        encoder = Encoder(clock, [], "a")
        measure({"a": encoder}, probe, parts, "en", [8], seconds)
        assert [read for _, _, read in encoder.log[2:4]] == [count, count]
        assert encoder.read[11 : 11 + count] == list(parts[0][:count])


def test_of_the_pairs_each_text_gives_its_share_evenly_spaced():
    sides = [from_rows([[row] for row in range(size)]) for size in (90, 10)]
    texts = [
        Pairs(sides[0], sides[0], False, np.arange(90), np.arange(90, dtype=np.float32)),
        Pairs(sides[1], sides[1], True),
    ]
    large, small = sample(texts, 20)
    every_fifth = list(range(0, 90, 5))
    assert list(large.left.ids) == list(large.keys) == list(large.passes) == every_fifth
    assert list(small.right.ids) == [0, 5]
    assert (small.keys, small.passes, small.monolingual) == (None, None, True)
    assert [len(text.left) for text in sample(texts, 5)] == [4, 2]  # fewer cannot be trained on
    assert [len(text.left) for text in sample(texts, 1000)] == [90, 10]


def test_training_is_timed_in_turns_anew(monkeypatch, clock):
    words = ["a", "b", "c", "d"]
    segmenter = Segmenter(Words(), words, {"en": None, "de": None})
    kind = Averaging(dimension=4)
    model = as_encoder(segmenter, *initialise(kind, 4, 1))
    trained = []

    begin, train_pool = Contrast.begin, Contrast._train_pool

    def noted(self, epoch):
        size = begin(self, epoch)
        trained.append((self.settings.seed, self.settings.recipe.epochs, size))
        return size

    def timed(self, span):
        batches = math.ceil(len(self._orders[span.text]) / self.settings.recipe.batch)
        clock.now += 1 / (2 * batches)
        return train_pool(self, span)

    monkeypatch.setattr(Contrast, "begin", noted)
    monkeypatch.setattr(Contrast, "_train_pool", timed)
    sides = from_rows([[0, 1], [2], [3, 0], [1]] * 5), from_rows([[1], [2, 3], [0], [3]] * 5)
    pairs = {"m": [Pairs(*sides, False), Pairs(*sides, True)]}  # half a second each
    run = Run(kind, Margin(), Recipe(epochs=7, batch=4), 1)
    found = measure_training({"m": model}, {"m": run}, pairs, 3, "cpu")
    # two batches, which do not count, and then all pairs in each turn
    assert trained == [(0, 1, 8)] + [(turn, 1, 40) for turn in range(1, 4)]
    assert found == {"m": pytest.approx([40.0] * 3)}


def test_what_keeps_the_parameters_is_not_timed(clock):
    class Slow:
        progress = Progress(pairs=30)

        def run(self, validate, show):
            clock.now += 5
            validate("parameters")
            clock.now += 3
            validate("parameters")
            clock.now += 100

    assert rates._epoch_rate(Slow()) == 10.0
