"""Encoding speed: turns, medians and shares, on a clock that the encoders move."""

from __future__ import annotations

import numpy as np
import pytest

from tandem.errors import TandemError
from wieting2019 import speed
from wieting2019.speed import measure, sample_lines


class Clock:
    now = 0.0

    def perf_counter(self):
        return self.now


class Encoder:
    """Takes 4 s for the first text, then 1 s plus 1 s for every batch; tokenises in half a second.

    Its very first sentence takes 100 s.
    """

    device = "cpu"

    def __init__(self, clock, log, name, tokenises=True):
        self.clock, self.log, self.name, self.tokenises = clock, log, name, tokenises
        self.waits = [100, 4]

    def encode(self, sentences, language=None, batch_size=128):
        self.clock.now += self.waits.pop(0) if self.waits else 1 + len(sentences) / batch_size
        self.log.append((self.name, batch_size))
        return np.zeros((len(sentences), 2), np.float32)

    def tokenise(self, sentences, language=None):
        self.clock.now += len(sentences) / 16
        return self.tokenises


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(speed, "time", clock)
    return clock


def test_speeds_are_sentences_per_second_in_turns(clock):
    log = []
    encoders = {"a": Encoder(clock, log, "a"), "b": Encoder(clock, log, "b", tokenises=False)}
    (a, b), limit = measure(encoders, ["x"] * 8, "en", [2, 8], 3, seconds=60)
    assert limit is None
    assert a.first == 8 / 4
    assert a.passes == {2: [8 / 5] * 3, 8: [8 / 2] * 3}
    assert a.tokenisation == 0.5 / 2
    assert b.tokenisation is None
    assert log[:2] == [("a", 2), ("b", 2)]  # a sentence each
    assert log[2:4] == [("a", 2), ("b", 2)]  # the first passes
    assert log[4:] == 3 * [("a", 2), ("a", 8), ("b", 2), ("b", 8)]  # then in turns


def test_a_slow_encoder_gets_fewer_sentences_but_a_whole_batch(clock):
    class Counting(Encoder):
        def encode(self, sentences, language=None, batch_size=128):
            counts.append(len(sentences))
            return super().encode(sentences, language, batch_size)

    for seconds, count in ((2.0, 40), (0.1, 8), (9.0, 80)):  # its first pass takes 4 s
        counts = []
        (found,), _ = measure({"a": Counting(clock, [], "a")}, ["x"] * 80, "en", [2, 8], 1, seconds)
        assert counts == [1, 80, count, count]
        assert found.passes[8] == [count / (1 + count / 8)]


def test_draws_lines_without_replacement_in_their_order(tmp_path):
    path = tmp_path / "text"
    path.write_text("".join(f"{n:03}\n" for n in range(200)), encoding="utf-8")
    drawn = sample_lines(path, 50, seed=1)
    assert drawn == sorted(set(drawn)) and len(drawn) == 50
    assert drawn == sample_lines(path, 50, seed=1) != sample_lines(path, 50, seed=2)
    assert len(sample_lines(path, 500, seed=1)) == 200


def test_refuses_an_empty_text(tmp_path):
    (tmp_path / "text").write_text("", encoding="utf-8")
    with pytest.raises(TandemError, match="empty"):
        sample_lines(tmp_path / "text", 5, seed=1)
