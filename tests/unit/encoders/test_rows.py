"""Sentences as rows, the way of a GPU, run on the CPU: the vectors that a CPU gives."""

import numpy as np
import pytest
import torch

from tandem.encoders import rows
from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.gran import Gran
from tandem.encoders.kinds.lstm import Lstm
from tandem.encoders.kinds.transformer import Transformer
from tandem.encoders.rows import parts_by_length
from tandem.machine import cpu_as_gpu, exact_products
from tandem.segmentation import ragged
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter

SMALL = {"dimension": 8, "layers": 1, "heads": 2, "hidden": 8, "filter": 16, "output": 6}
KINDS = [
    Averaging(dimension=8), Lstm(dimension=8, hidden=5), Gran(dimension=8, hidden=5),
    Transformer(**SMALL, longest=9), Transformer(**SMALL, grouped=True),
]  # fmt: skip
SENTENCES = [[], [0, 3, 4], [], [0, 1], [0, 5, 6, 0, 7, 8, 2, 0, 1, 9, 0, 3], [0, 2, 2, 0, 3]]


def encoder_of(kind):
    segmenter = Segmenter(Words(), [f"w{n}" for n in range(10)], {"en": None})
    return as_encoder(segmenter, *initialise(kind, 10, 1))


@pytest.mark.parametrize("most", [4, 1 << 19])
@pytest.mark.parametrize("sentences", [SENTENCES, [[], []], []], ids=["some", "empty", "none"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_vectors_are_those_of_a_cpu(monkeypatch, kind, sentences, most):
    monkeypatch.setattr(rows, "PADDED", most)
    text = ragged.from_rows(sentences)
    here = encoder_of(kind).encode_ids(text)
    with cpu_as_gpu():
        # averaging has a way of its own on a CPU
        there = super(type(kind), kind).composer if kind.kind == "averaging" else kind.composer
        encoder = encoder_of(kind)
        compose = there(encoder.table, encoder.weights, "cpu")
        vectors = compose(text.ids.astype(np.int64), text.offsets)
    assert vectors.shape == here.shape
    np.testing.assert_allclose(vectors, here, rtol=1e-5, atol=1e-6)


def test_a_card_without_room_gets_fewer_tokens_at_a_time(monkeypatch):
    sentences = ragged.from_rows([[1, 2, 3], [4, 5]] * 3000)
    encoder, composed, sizes = encoder_of(KINDS[1]), rows._composed, []

    def small_card(*arguments):
        sizes.append(arguments[-1])
        if sizes[-1] > room:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")
        return composed(*arguments)

    monkeypatch.setattr(rows, "_composed", small_card)
    with cpu_as_gpu():
        compose = encoder.kind.composer(encoder.table, encoder.weights, "cpu")
        room = 1 << 13
        vectors = compose(sentences.ids.astype(np.int64), sentences.offsets)
        assert sizes == [1 << 19, 1 << 17, 1 << 15, 1 << 13]
        room = 0
        with pytest.raises(torch.OutOfMemoryError):
            compose(sentences.ids.astype(np.int64), sentences.offsets)
    np.testing.assert_allclose(vectors, encoder.encode_ids(sentences), rtol=1e-5, atol=1e-6)


def test_parts_hold_every_sentence_once():
    lengths = np.array([3, 0, 9, 1, 4, 4, 0])
    parts = list(parts_by_length(lengths, most=9))
    assert sorted(np.concatenate([numbers for numbers, _ in parts])) == list(range(7))
    assert [longest for _, longest in parts] == [9, 4, 3, 0]
    assert all(len(numbers) * longest <= 9 for numbers, longest in parts)


def test_products_are_exact_until_the_last_of_overlapping_contexts_ends():
    before = torch.backends.cudnn.allow_tf32
    first, second = exact_products(), exact_products()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not torch.backends.cudnn.allow_tf32
    second.__exit__(None, None, None)
    assert torch.backends.cudnn.allow_tf32 == before
