"""Encoding as a stream: order, bounded look-ahead, bounded batches, errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tandem.encoders import model
from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.lstm import Lstm
from tandem.encoders.kinds.transformer import Transformer
from tandem.encoders.overlapping import overlapped
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.kinds.words_and_ngrams import WordsAndNgrams
from tandem.segmentation.segmenter import learn
from tandem.text import batches


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


SMALL_LAYERS = {"layers": 1, "heads": 2, "hidden": 8, "filter": 8, "output": 6}
KINDS = {
    "averaging": (Averaging(dimension=4), Words(size=9)),
    "lstm": (Lstm(dimension=4, hidden=3), Words(size=9)),
    "transformer": (
        Transformer(dimension=4, grouped=True, **SMALL_LAYERS),
        WordsAndNgrams(size=9, oov_buckets=5, ngram_buckets=20),
    ),
}


@pytest.fixture(params=KINDS)
def encoder(request, tmp_path):
    kind, segmentation = KINDS[request.param]
    segmenter = learn(segmentation, {"en": lambda: ["one two three four"]}, tmp_path)
    return as_encoder(segmenter, *initialise(kind, len(segmenter), 1))


def composed(encoder, monkeypatch):
    """Note the numbers of sentences and of tokens, or words, of each batch."""
    sizes, compose = [], encoder._compose

    def noted(ids, offsets):
        tokens = np.count_nonzero(ids == 0) if encoder.kind.words else len(ids)
        sizes.append((len(offsets) - 1, tokens))
        return compose(ids, offsets)

    monkeypatch.setitem(encoder.__dict__, "_compose", noted)
    return sizes


def test_long_sentences_are_composed_in_smaller_batches(encoder, monkeypatch):
    lengths = [3, 4, 0, 3, 1, 25, 10, 0, 2]
    lines = [" ".join((["one", "two", "three", "four"] * 9)[:length]) for length in lengths]
    alone = np.concatenate([encoder.encode([line]) for line in lines])
    monkeypatch.setattr(model, "TOKENS", 10)
    sizes = composed(encoder, monkeypatch)
    vectors = encoder.encode(lines)
    assert sizes == [(4, 10), (1, 1), (1, 25), (2, 10), (1, 2)]
    np.testing.assert_allclose(vectors, alone, rtol=1e-5, atol=1e-7)
    if isinstance(encoder.kind, Averaging):
        assert vectors.tobytes() == alone.tobytes()


def test_ordinary_text_has_batches_of_as_many_sentences_as_are_asked_for(encoder, monkeypatch):
    sizes = composed(encoder, monkeypatch)
    assert encoder.encode(["one two three four " * 30] * 2500).shape == (2500, encoder.dimension)
    assert [sentences for sentences, _ in sizes] == [1024, 1024, 452]
    del sizes[:]
    encoder.encode(["one two three"] * 25, batch_size=10)
    assert [sentences for sentences, _ in sizes] == [10, 10, 5]


def test_few_characters_are_read_at_a_time_whatever_the_lines(encoder, monkeypatch):
    monkeypatch.setattr(batches, "CHARACTERS", 1000)
    read = []
    lines = (read.append(number) or "one two three " * 30 for number in range(100))
    stream = encoder.encode_stream(lines)
    assert len(next(stream)) == 2
    assert len(read) <= 9
    assert sum(map(len, stream)) == 98
