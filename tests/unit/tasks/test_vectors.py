"""Vectors of a whole text, written batch by batch."""

import numpy as np

from tandem.tasks.vectors import BATCH, write_vectors


class Lengths:
    """Encodes a sentence as its length and one; remembers how many it was given at a time."""

    def __init__(self):
        self.given = []

    def encode(self, sentences, language):
        assert language == "cs"
        self.given.append(len(sentences))
        return np.array([[len(sentence), 1] for sentence in sentences], np.float64)


def test_all_vectors_are_written_in_order_some_at_a_time(tmp_path):
    encoder, path = Lengths(), tmp_path / "v.npy"
    mapped = write_vectors(encoder, ("x" * (n % 7) for n in range(BATCH + 3)), "cs", path)
    assert encoder.given == [BATCH, 3]
    assert mapped.dtype == np.float32 and isinstance(mapped, np.memmap)
    assert mapped[:, 0].tolist() == [n % 7 for n in range(BATCH + 3)]
    assert np.array_equal(np.load(path), mapped)
