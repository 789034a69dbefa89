"""Encoding as a stream: order, bounded look-ahead, errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tandem.encoders import model
from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import overlapped
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn


def test_results_come_in_order_and_little_is_read_ahead():
    read = []

    def items():
        for number in range(20):
            read.append(number)
            yield number

    stream = overlapped(lambda number: number * number, items(), ahead=2)
    assert next(stream) == 0
    assert read == [0, 1, 2]
    assert list(stream) == [number * number for number in range(1, 20)]


def test_the_threads_of_pytorch_are_given_back():
    before = torch.get_num_threads()
    stream = overlapped(lambda number: number, iter(range(9)))
    next(stream)
    stream.close()
    assert torch.get_num_threads() == before


def test_an_error_of_either_stage_reaches_the_caller():
    def broken():
        yield 1
        raise ValueError("no more lines")

    with pytest.raises(ValueError, match="no more lines"):
        list(overlapped(lambda number: number, broken()))
    with pytest.raises(ZeroDivisionError):
        list(overlapped(lambda number: 1 // number, [0]))


def test_lines_are_read_as_vectors_are_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(model, "SEGMENTED", 10)
    segmenter = learn(Words(size=9), {"en": lambda: ["a b c"]}, tmp_path)
    encoder = as_encoder(segmenter, *initialise(Averaging(dimension=4), len(segmenter), 1))
    read = []
    lines = (read.append(number) or "a b" for number in range(1000))
    stream = encoder.encode_stream(lines, batch_size=10)
    first = next(stream)
    np.testing.assert_allclose(first[3], encoder.table[[0, 1]].mean(0), rtol=1e-6)
    assert len(read) <= 40
    assert sum(map(len, stream)) == 990
