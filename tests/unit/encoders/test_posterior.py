"""Posteriors over other encoders: the mean is the vector."""

import numpy as np
import pytest
import torch

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import ENCODERS, Tokens, encoder_files
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.posterior import Posterior
from tandem.encoders.model import SentenceEncoder
from tandem.registry import ConfigurationError
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter

BODIES = {
    "averaging": {"kind": "averaging", "dimension": 8},
    "lstm": {"kind": "lstm", "dimension": 8, "hidden": 5},
    "transformer": {
        "kind": "transformer", "pooling": "mean", "dimension": 8, "hidden": 8, "heads": 2,
        "filter": 12, "layers": 1,
    },
}  # fmt: skip


def posterior(body, latent=6):
    return ENCODERS.parse({"kind": "posterior", "body": BODIES[body], "latent": latent})


@pytest.mark.parametrize("body", BODIES)
def test_the_vector_is_a_map_of_the_bodys(body):
    kind = posterior(body)
    table, composition = initialise(kind, 20, 3)
    tokens = Tokens(table, torch.tensor([3, 4, 5, 3]), torch.tensor([0, 3, 3, 4]))
    inner = kind.body.compose(composition.weights["body"], tokens)
    assert inner.shape == (3, kind.body.width)
    mean, log_variance = kind.gaussian(composition.weights, tokens)
    with torch.autocast("cpu", torch.bfloat16):
        halves = kind.gaussian(composition.weights, tokens)
    assert {half.dtype for half in halves} == {torch.float32}
    torch.testing.assert_close(composition(tokens), mean)
    torch.testing.assert_close(mean, inner @ composition.weights["mean"].weight.T)
    torch.testing.assert_close(log_variance, inner @ composition.weights["log_variance"].weight.T)
    assert mean.shape == log_variance.shape == (3, 6)
    assert not mean[1].any()  # no tokens: as of every encoder


@pytest.mark.parametrize("body", BODIES)
def test_it_is_saved_and_read_like_any_encoder(body, tmp_path):
    kind = posterior(body)
    segmenter = Segmenter(Words(), [f"w{n}" for n in range(20)], {"en": None})
    encoder = as_encoder(segmenter, *initialise(kind, 20, 3))
    encoder.save(tmp_path / "model")
    loaded = SentenceEncoder.load(tmp_path / "model")
    assert loaded.kind == kind
    sentences = ["w3 w4 w5", "", "w19"]
    np.testing.assert_array_equal(loaded.encode(sentences), encoder.encode(sentences))
    assert loaded.dimension == 6


def test_its_embeddings_are_as_wide_as_those_of_the_body():
    assert posterior("averaging").dimension == 8
    with pytest.raises(ConfigurationError, match="leave dimension out: it is the body's, 8"):
        ENCODERS.parse({"kind": "posterior", "body": BODIES["lstm"], "dimension": 9})
    with pytest.raises(ConfigurationError, match=r"no encoder 'lstn' \(did you mean"):
        ENCODERS.parse({"kind": "posterior", "body": {"kind": "lstn"}})


def test_a_digest_follows_the_body():
    names = [path.name for path in encoder_files(posterior("lstm"))]
    assert names == ["posterior.py", "lstm.py"]
    assert [path.name for path in encoder_files(Averaging())] == ["averaging.py"]


def test_what_it_reads_is_what_the_body_reads():
    words = {"kind": "transformer", "grouped": True, "dimension": 8, "hidden": 8, "heads": 2}
    grouped = ENCODERS.parse({"kind": "posterior", "body": words})
    assert isinstance(grouped, Posterior)
    assert grouped.words
    assert not posterior("transformer").words
    assert not grouped.reads(Words())
    assert posterior("transformer").reads(Words())
