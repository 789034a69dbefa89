"""Word vectors from files and encoders, to start from."""

import gzip

import numpy as np
import pytest

from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.gran import Gran
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.token_vectors import frequency_weights
from tandem.errors import InputError
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn
from wieting2017.methods.word_vectors import (
    read_word_vectors,
    start_vectors,
    started,
    word_shares,
    words_of,
    write_word_vectors,
)

VECTORS = {"the": [0.5, -1.0, 2.0], "cat": [1.0, 0.25, 0.0], "ß": [-3.0, 1e-3, 7.0]}


def text(header=True):
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in VECTORS.items()]
    return "\n".join(([f"{len(VECTORS)} 3"] if header else []) + lines).encode() + b"\n"


def binary(end=b"\n"):
    rows = (word.encode() + b" " + np.array(row, "<f4").tobytes() for word, row in VECTORS.items())
    return f"{len(VECTORS)} 3\n".encode() + end.join(rows) + end


FORMS = {
    "text": text(),
    "text without a header": text(header=False),
    "text without a last newline": text()[:-1],
    "binary": binary(),
    "binary without newlines": binary(b""),
    "gzip": gzip.compress(binary()),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_vectors(tmp_path, form):
    (tmp_path / "vectors").write_bytes(FORMS[form])
    found = read_word_vectors(tmp_path / "vectors", {"cat", "ß", "dog"}, 3)
    assert list(found) == ["cat", "ß"]
    for word, row in found.items():
        assert row.dtype == np.float32 and np.allclose(row, VECTORS[word])


def test_of_a_word_that_comes_twice_the_first_counts(tmp_path):
    (tmp_path / "vectors").write_text("a 1 2\na 3 4\n")
    assert read_word_vectors(tmp_path / "vectors", ["a"], 2)["a"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a 1 2\nb 1 x\n", "line 2: no word with its numbers"),
        (b"a 1 nan\n", "line 1: no word with its numbers"),
        (b"2 2\na 1 2\nb\n", "line 3: no word with its numbers"),
        (b"a 1 2 3\n", "vectors of 3 numbers, and the encoder's have 2"),
        (b"1 2\na \0\0\x80\x3f\0", "the vector of 'a' is cut off"),
        (b"1 2\n" + b"a" * 5000, "a word of over 4,096 bytes"),
    ],
)
def test_a_file_that_is_none_is_named_with_its_line(tmp_path, content, said):
    (tmp_path / "vectors").write_bytes(content)
    with pytest.raises(InputError, match=said) as caught:
        read_word_vectors(tmp_path / "vectors", ["a"], 2)
    assert str(tmp_path / "vectors") in str(caught.value)


@pytest.fixture
def segmenter(tmp_path):
    (tmp_path / "words").mkdir()
    segmentation = Words(size=10)
    return learn(segmentation, {"en": lambda: ["the cat", "the dog"]}, tmp_path / "words")


@pytest.mark.parametrize("kind", [Averaging(dimension=3), Gran(dimension=3, hidden=3)])
def test_known_words_start_from_their_vectors_and_others_from_drawn_ones(segmenter, kind):
    vectors = {word: np.array(row, np.float32) for word, row in VECTORS.items()}
    one, same, other = (started(segmenter, kind, seed, vectors, "file") for seed in (1, 1, 2))
    places = segmenter.units("en")
    assert np.allclose(one.table[places["cat"]], VECTORS["cat"])
    assert np.array_equal(one.table, same.table)
    assert not np.allclose(one.table[places["dog"]], other.table[places["dog"]])
    assert one.metadata == {"word_vectors": "file", "words": 2}
    assert {*one.weights} == {*same.weights}


def test_words_start_with_norms_that_fall_with_their_frequency(segmenter):
    rows = np.eye(3, dtype=np.float32)
    vectors = dict(zip(["the", "cat", "dog"], rows, strict=True))  # all of norm 1
    shares = word_shares(segmenter, ["the cat", "the dog", "the the unheard"])
    places = segmenter.units("en")
    assert shares[places["the"]] == pytest.approx(4 / 6) and shares.sum() == pytest.approx(1)
    weights = frequency_weights(shares, 0.001)
    start = started(segmenter, Averaging(dimension=3), 1, vectors, "file", weights)
    norms = np.linalg.norm(start.table, axis=1)
    assert norms[places["the"]] == pytest.approx(0.001 / (0.001 + 4 / 6))
    assert norms[places["cat"]] == norms[places["dog"]] == pytest.approx(0.001 / (0.001 + 1 / 6))


def test_an_encoder_gives_its_words_vectors(segmenter, tmp_path):
    table = np.arange(len(segmenter) * 2, dtype=np.float32).reshape(-1, 2)
    SentenceEncoder(segmenter, Averaging(dimension=2), table).save(tmp_path / "model")
    found = start_vectors(tmp_path / "model", {"cat", "bird"}, 2)
    assert set(found) == {"cat"}
    assert found["cat"].tolist() == table[segmenter.units("en")["cat"]].tolist()
    with pytest.raises(InputError, match="vectors of 2 numbers, and the encoder's have 3"):
        start_vectors(tmp_path / "model", {"cat"}, 3)


@pytest.mark.parametrize("content", [text(), text(header=False), binary()])
def test_the_words_of_a_file_come_in_its_order(tmp_path, content):
    (tmp_path / "vectors").write_bytes(content)
    assert words_of(tmp_path / "vectors", 2) == ["the", "cat"]
    assert words_of(tmp_path / "vectors", 9) == [*VECTORS]


def test_what_is_written_is_read(tmp_path):
    rows = np.array([*VECTORS.values()])
    write_word_vectors(tmp_path / "vectors", [*VECTORS], rows)
    found = read_word_vectors(tmp_path / "vectors", VECTORS, 3)
    assert np.array_equal(np.stack([found[word] for word in VECTORS]), rows.astype(np.float32))
