"""A sentence encoder from text to vectors, and back from disk."""

import numpy as np
import pytest
import torch

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn

TEXTS = {"en": lambda: ["the cat sat", "a dog ran"], "cs": lambda: ["kočka seděla", "pes běžel"]}


@pytest.fixture(params=["averaging", "lstm"])
def encoder(request, tmp_path):
    (tmp_path / "segmenter").mkdir()
    segmenter = learn(Words(size=50), TEXTS, tmp_path / "segmenter")
    hidden = {"hidden": 4} if request.param == "lstm" else {}
    kind = ENCODERS.parse({"kind": request.param, "dimension": 8, **hidden})
    return as_encoder(segmenter, *initialise(kind, len(segmenter), seed=1), {"pairs": 0})


def test_a_saved_encoder_gives_the_same_vectors(encoder, tmp_path):
    sentences = ["the cat ran", "", "Ω", "a dog"]
    encoder.save(tmp_path / "model")
    loaded = SentenceEncoder.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.encode(sentences, "en"), encoder.encode(sentences, "en"))
    assert loaded.metadata == {"pairs": 0}
    assert loaded.table.dtype == np.float32
    assert loaded.languages == ["cs", "en"]


def test_saving_twice_gives_the_same_bytes(encoder, tmp_path):
    for name in ("one", "two"):
        encoder.save(tmp_path / name)
    one, two = (
        [p.read_bytes() for p in sorted((tmp_path / n).rglob("*")) if p.is_file()]
        for n in ("one", "two")
    )
    assert one == two


def test_vectors_do_not_depend_on_the_batch(encoder):
    sentences = ["the cat sat", "a dog", "cat", "", "dog ran the"] * 3
    whole = encoder.encode(sentences, "en", batch_size=100)
    np.testing.assert_allclose(encoder.encode(sentences, "en", batch_size=2), whole, atol=1e-6)
    assert whole.dtype == np.float32
    assert whole.shape == (15, encoder.dimension)


def test_words_unknown_and_empty_sentences_have_the_zero_vector(encoder):
    assert not encoder.encode(["", "unheard"], "en").any()
    assert encoder.encode([], "en").shape == (0, encoder.dimension)


def test_the_language_must_be_said_where_there_are_two(encoder):
    with pytest.raises(TandemError, match="which language.*cs, en"):
        encoder.encode(["the cat"])


def test_a_folder_without_an_encoder_is_refused(tmp_path):
    with pytest.raises(TandemError, match=r"encoder\.json"):
        SentenceEncoder.load(tmp_path)


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_of_nothing_is_refused(encoder, size):
    with pytest.raises(TandemError, match=f"batch_size is {size}: give 1 or more"):
        encoder.encode(["the cat"], "en", size)


def test_a_language_that_is_no_text_is_refused(encoder):
    with pytest.raises(TandemError, match="language is 5, no code"):
        encoder.encode(["the cat"], 5)


def test_saving_replaces_a_model_and_nothing_else(encoder, tmp_path):
    home = tmp_path / "home"
    (home / "papers").mkdir(parents=True)
    (home / "papers/thesis.txt").write_text("mine")
    with pytest.raises(TandemError, match="home holds what Tandem did not .* .papers/thesis"):
        encoder.save(home)
    assert (home / "papers/thesis.txt").read_text() == "mine"
    encoder.save(tmp_path / "model")
    encoder.save(tmp_path / "model", "float32")
    with pytest.raises(TandemError, match="model is there already"):
        encoder.save(tmp_path / "model", overwrite=False)
    with pytest.raises(TandemError, match="precision is 'int9'.*float32, float16, int8"):
        encoder.save(tmp_path / "other", "int9")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "model", "segmenter"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("device", ["cuda", "tpu"])
def test_a_device_that_is_not_there_is_refused_at_once(encoder, tmp_path, device):
    encoder.save(tmp_path / "model")
    with pytest.raises(TandemError, match=f"cannot compute on '{device}'"):
        SentenceEncoder.load(tmp_path / "model", device)


@pytest.mark.parametrize("name", [None, b"small", 7])
def test_what_is_no_name_of_a_model_is_refused(name):
    with pytest.raises(TandemError, match="is no model. Give its folder, or a name such as small"):
        SentenceEncoder.load(name)
