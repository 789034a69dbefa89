"""Vectors of a whole text, written batch by batch."""

import numpy as np

from tandem.tasks.vectors import BATCH, vectors_on_disk, write_vectors


class Lengths:
    """Encodes a sentence as its length and one; remembers how many it was given at a time."""

    def __init__(self):
        self.given = []

    def encode(self, sentences, language):
        assert language == "cs" or set(*sentences) == {language}
        self.given.append(len(sentences))
        return np.array([[len(sentence), 1] for sentence in sentences], np.float64)


def test_all_vectors_are_written_in_order_some_at_a_time(tmp_path):
    encoder, path = Lengths(), tmp_path / "v.npy"
    write_vectors(encoder, ("x" * (n % 7) for n in range(BATCH + 3)), "cs", path)
    assert encoder.given == [BATCH, 3]
    written = np.load(path, mmap_mode="r")
    assert written.dtype == np.float32 and isinstance(written, np.memmap)
    assert written[:, 0].tolist() == [n % 7 for n in range(BATCH + 3)]


def test_texts_are_on_disk_as_long_as_they_are_used():
    with vectors_on_disk(Lengths(), ("a", ["aa"]), ("b", ["bbb"])) as files:
        assert [np.load(file).tolist() for file in files] == [[[2, 1]], [[3, 1]]]
    assert not any(file.exists() for file in files)
