"""The text of consecutive pools, read on the host and gathered on a GPU."""

import numpy as np
import pytest
import torch
from small_runs import two_texts

from tandem.segmentation import ragged
from tandem.training.pairs import Span, sentence_keys
from tandem.training.stretch import Shelf, keys_of, read_stretch, room_for, rounded

POOLS = [
    Span(
        0,
        4,
        9,
    ),
    Span(0, 9, 12),
    Span(1, 0, 6),
    Span(0, 12, 20),
]


@pytest.fixture
def texts():
    texts = two_texts()
    orders = [text.epoch(np.random.default_rng(7)) for text in texts]
    return texts, orders, read_stretch(texts, orders, POOLS, words=False)


def test_pools_have_their_sentences_keys_and_sizes(texts):
    texts, orders, stretch = texts
    for number, span in enumerate(POOLS):
        rows = orders[span.text][span.start : span.end]
        expected = texts[span.text].take(rows)
        part = slice(*stretch.bounds[number : number + 2])
        actual = stretch.rows.gather(stretch.sentences[part])
        np.testing.assert_array_equal(actual.ids, expected.ids)
        np.testing.assert_array_equal(actual.offsets, expected.offsets)
        np.testing.assert_array_equal(stretch.lengths[part], expected.lengths())
        keys = texts[span.text].keys
        assert (stretch.keys[number] is None) == (keys is None)
        if keys is not None:
            np.testing.assert_array_equal(stretch.keys[number], np.tile(keys[rows], 2))


def test_a_shelf_gives_any_sentences_in_more_room_than_they_need(texts):
    *_, stretch = texts
    shelf = Shelf(torch.device("cpu"))
    assert shelf.put(stretch)
    assert not shelf.put(stretch)
    chosen = np.random.default_rng(1).integers(0, len(stretch.rows), 23)
    expected = stretch.rows.gather(chosen)
    ids, offsets, rows = shelf.gather(torch.from_numpy(chosen), len(expected.ids) + 9)
    np.testing.assert_array_equal(ids[:-9], expected.ids)
    np.testing.assert_array_equal(offsets, expected.offsets)
    np.testing.assert_array_equal(rows[:-9], np.repeat(np.arange(23), expected.lengths()))
    assert ids[-9:].tolist() == [0] * 9
    assert rows[-9:].tolist() == [23] * 9


def test_needs_are_those_of_the_largest_batch(texts):
    *_, stretch = texts
    shelf = Shelf(torch.device("cpu"))
    shelf.put(stretch)
    batches = torch.arange(12).view(3, 4)
    lengths = stretch.rows.lengths()[:12].reshape(3, 4)
    most = lengths.sum(1).max()
    assert shelf.needs([batches]).tolist() == [most, lengths.max(), most]


def test_words_are_counted_where_tokens_are_grouped(texts):
    texts, orders, _ = texts
    stretch = read_stretch(texts, orders, POOLS[:1], words=True)
    rows = [stretch.rows.row(i) for i in stretch.sentences]
    assert stretch.sizes.tolist() == [int((row == 0).sum()) for row in rows]


def test_pools_of_one_size_get_the_same_room():
    text = two_texts()[0]
    order = np.arange(len(text.usable))
    pools = [Span(0, 0, 10), Span(0, 10, 20), Span(0, 20, 25)]
    stretch = read_stretch([text], [order], pools, words=False)
    first, second, _ = stretch.rooms()
    assert first == second
    sums = np.add.reduceat(stretch.lengths, stretch.bounds[:-1])
    assert first[0] >= sums[:2].max()
    assert first[1].longest >= stretch.lengths.max()


@pytest.mark.parametrize("number", [1, 2, 15, 16, 17, 100, 1_023, 1_024, 1_025, 5_121])
def test_a_few_sizes_cover_all(number):
    assert number <= rounded(number) <= max(number + 1, number * 9 / 8 + 1)
    assert rounded(rounded(number)) == rounded(number)
    assert room_for(number, 9, number)[1].longest == 16


def test_keys_are_those_of_the_host():
    random = np.random.default_rng(0)
    rows = ragged.from_rows([random.integers(0, 60_000, n).tolist() for n in (0, 5, 1, 0, 9, 5)])
    keys = keys_of(torch.from_numpy(rows.ids).long(), torch.from_numpy(rows.offsets))
    np.testing.assert_array_equal(keys, sentence_keys(rows))
