"""Vectors of tokens from pretrained encoders."""

import numpy as np
import pytest

from tandem.corpora.origins import Origin, origins_in
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.gran import Gran
from tandem.encoders.token_vectors import (
    frequency_weights,
    on_principal_axes,
    spelled,
    started_from,
    token_shares,
)
from tandem.errors import TandemError
from tandem.segmentation.kinds.sentencepiece import Sentencepiece
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn
from tandem.training.run import untrained_encoder

LINES = [f"the {animal} {verb}s" for animal in ("cat", "dog", "owl") for verb in ("run", "sleep")]


def words(tmp_path):
    return learn(Words(size=50), {"en": lambda: LINES}, tmp_path)


def pretrained(width):
    """Return an encoder that draws a vector for every text, always the same one, of any length."""

    def encode(texts):
        rows = [np.random.default_rng([*text.encode()]).normal(3, 1, width) for text in texts]
        return np.array(rows, np.float32)

    return encode


def test_principal_axes_keep_the_most_of_what_differs():
    draw = np.random.default_rng(1)
    wide = draw.normal(size=(50, 6)) * [1, 9, 2, 0.1, 5, 0.2] + 7
    narrow, whole = on_principal_axes(wide, 3), on_principal_axes(wide, 6)
    centred = wide - wide.mean(axis=0)
    assert np.allclose(whole @ whole.T, centred @ centred.T)
    assert np.allclose(narrow, whole[:, :3])
    lost = np.linalg.svd(centred, compute_uv=False)[3:] ** 2
    assert (centred**2).sum() - (narrow**2).sum() == pytest.approx(lost.sum())
    with pytest.raises(TandemError, match="vectors of 6 numbers, and the encoder's have 7"):
        on_principal_axes(wide, 7)


def test_tokens_weigh_less_the_more_often_they_are_read(tmp_path):
    segmenter = words(tmp_path)
    sides = [segmenter.encoder("en")(LINES), segmenter.encoder("en")(["the", "the unheard"])]
    shares = token_shares(sides, len(segmenter))
    place = segmenter.units("en")["the"]
    assert shares[place] == pytest.approx(8 / 20) and shares.sum() == pytest.approx(1)
    assert token_shares([], 3).tolist() == [0, 0, 0]
    weights = frequency_weights(shares)
    assert weights[place] == pytest.approx(0.001 / (0.001 + 8 / 20))
    assert frequency_weights(np.zeros(1)).tolist() == [1]


def test_pieces_are_spelled_without_their_marks(tmp_path):
    kind = Sentencepiece(size=30, character_coverage=1.0)
    segmenter = learn(kind, {"en": lambda: LINES * 20}, tmp_path)
    written = dict(zip(segmenter.vocabulary, spelled(segmenter), strict=True))
    assert written["▁sleeps"] == "sleeps" and written["t"] == "t"
    assert written["▁"] == "▁"  # nothing else is in it


def test_words_of_several_languages_are_spelled_without_the_languages_mark(tmp_path):
    texts = {"en": lambda: ["an gift"], "de": lambda: ["das gift"]}
    segmenter = learn(Words(size=50, marked=["de"]), texts, tmp_path)
    assert "<de>gift" in segmenter.vocabulary
    assert sorted(spelled(segmenter)) == ["an", "das", "gift", "gift"]


@pytest.mark.parametrize("kind", [Averaging(dimension=5), Gran(dimension=5, hidden=4)])
def test_tokens_start_where_pretrained_encoders_have_them(tmp_path, kind):
    segmenter = words(tmp_path)
    shares = token_shares([segmenter.encoder("en")(LINES)], len(segmenter))
    first, second = Origin("one", "MIT", "a wheel", "Copyright."), Origin("other", "BSD")
    encodes = {first: pretrained(4), second: pretrained(3)}
    start = started_from(segmenter, kind, 1, encodes, shares)
    texts = spelled(segmenter)
    rows = np.hstack([encode(texts) for encode in encodes.values()])
    rows[:, :4] /= np.linalg.norm(rows[:, :4], axis=1, keepdims=True)
    rows[:, 4:] /= np.linalg.norm(rows[:, 4:], axis=1, keepdims=True)
    expected = on_principal_axes(rows, 5) * frequency_weights(shares)[:, None]
    cosines = (start.table * expected).sum(axis=1)
    norms = np.linalg.norm(start.table, axis=1) * np.linalg.norm(expected, axis=1)
    assert np.allclose(cosines, norms, rtol=1e-4)
    assert (start.table**2).mean() == pytest.approx(1, rel=1e-5)
    assert start.table.dtype == np.float32
    assert start.metadata["name"] == "vectors of single tokens, from one and other"
    assert origins_in(start.metadata) == [first, second]
    assert start.segmenter is segmenter and start.kind == kind
    untrained, history = untrained_encoder(kind, segmenter, 1, None, start)
    assert np.array_equal(untrained.table, start.table)
    assert [epoch.epoch for epoch in history] == [0]
    again = started_from(segmenter, kind, 2, encodes, shares)
    assert np.array_equal(again.table, start.table)  # the seed draws what else there is
    with pytest.raises(TandemError, match="vectors of 7 numbers, and the encoder's have 8"):
        started_from(segmenter, Averaging(dimension=8), 1, encodes, shares)
