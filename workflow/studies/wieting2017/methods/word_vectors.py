"""Word vectors from files, which the training of words may start from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tandem.encoders.model import SentenceEncoder
from tandem.encoders.token_vectors import token_shares
from tandem.errors import InputError
from tandem.files.atomic import atomic_path
from tandem.files.io import open_binary
from tandem.files.untrusted import refusing_each

if TYPE_CHECKING:
    from tandem.encoders.encoder import Encoder
    from tandem.segmentation.segmenter import Segmenter

Vector = NDArray[np.float32]

_LONGEST_WORD, _LONGEST_LINE = 1 << 12, 1 << 20
_REMEDY = "Give a file of word2vec's text or binary form, or GloVe's"


def read_word_vectors(
    path: str | Path, words: Collection[str], dimension: int
) -> dict[str, Vector]:
    """Return the vectors of those words that a file has, (dimension,) float32 each.

    The file is read as a stream, in word2vec's text form (GloVe's, which has no first line of
    counts, too) or its binary form, packed or not. Of a word that comes twice, the first counts.

    Raises:
        InputError: it is no such file, or its vectors have another dimension.
    """
    wanted, vectors = set(words), {}
    with open_binary(path) as stream:
        for word, vector in _records(stream, path):
            if len(vector) != dimension:
                problem = f"vectors of {len(vector)} numbers, and the encoder's have {dimension}"
                raise InputError(path, None, problem, "Set the encoder's dimension to the file's")
            if word in wanted and word not in vectors:
                vectors[word] = vector
    return vectors


def words_of(path: str | Path, most: int) -> list[str]:
    """Return the first words of a file of word vectors; see `read_word_vectors`."""
    with open_binary(path) as stream:
        return [word for word, _ in islice(_records(stream, path), most)]


def write_word_vectors(path: str | Path, words: Sequence[str], vectors: NDArray) -> None:
    """Write word vectors, (words, dimension), in word2vec's binary form."""
    with atomic_path(path) as temporary, open(temporary, "wb") as out:
        out.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for word, row in zip(words, vectors, strict=True):
            out.write(word.encode() + b" " + row.astype("<f4").tobytes() + b"\n")


def start_vectors(path: Path, words: Collection[str], dimension: int) -> dict[str, Vector]:
    """Return vectors of words from a file, or those of the Tandem encoder in a folder.

    Raises:
        InputError: they have another dimension, or there is no such file or encoder.
    """
    if not path.is_dir():
        return read_word_vectors(path, words, dimension)
    encoder = SentenceEncoder.load(path)
    if encoder.dimension != dimension:
        problem = f"vectors of {encoder.dimension} numbers, and the encoder's have {dimension}"
        raise InputError(path, None, problem, "Set the encoder's dimension to this one's")
    listed = sorted(words)
    rows = encoder.encode(listed, "en")
    return {word: row for word, row in zip(listed, rows, strict=True) if row.any()}


def word_shares(segmenter: Segmenter, text: Iterable[str]) -> NDArray[np.float64]:
    """Return the share of each word of the vocabulary in the words of a text, (vocabulary,)."""
    from tandem.segmentation.segmentation import batches

    return token_shares(map(segmenter.encoder("en"), batches(text)), len(segmenter))


def started(
    segmenter: Segmenter,
    kind: Encoder,
    seed: int,
    vectors: Mapping[str, Vector],
    source: str,
    weights: NDArray[np.float32] | None = None,
) -> SentenceEncoder:
    """Return an encoder of words with these vectors; all else is as the seed draws it.

    Words without a vector get a drawn one of the same size. Every word's is then multiplied by its
    weight, (vocabulary,). `source` says in the metadata where the vectors are from.
    """
    from tandem.encoders.composition import as_encoder, initialise

    table, composition = initialise(kind, len(segmenter), seed)
    places = segmenter.units("en")
    covered = {word: places[word] for word in vectors if word in places}
    rows = table.numpy()
    if covered:
        pretrained = np.stack([vectors[word] for word in covered])
        rows *= pretrained.std()
        rows[list(covered.values())] = pretrained
    if weights is not None:
        rows *= weights[:, None]
    metadata = {"word_vectors": source, "words": len(covered)}
    return as_encoder(segmenter, table, composition, metadata)


def _records(stream: BinaryIO, path: str | Path) -> Iterator[tuple[str, Vector]]:
    """Yield words with their vectors from a file of any form, told by its first two lines."""
    with open_binary(path) as look:
        first, second = (look.readline(_LONGEST_LINE) for _ in range(2))
    counted = _counted(first)
    binary = counted is not None and len(_numbers(second)) != counted
    if counted is not None:
        stream.readline(_LONGEST_LINE)
    skipped = 0 if counted is None else 1
    records = _binary(stream, counted or 0, path) if binary else _text(stream, skipped, path)
    yield from refusing_each(records, path, "no readable word vectors", _REMEDY)


def _counted(line: bytes) -> int | None:
    """Return the dimension that a first line of counts gives; None: it has no counts."""
    parts = line.split()
    return int(parts[1]) if len(parts) == 2 and all(part.isdigit() for part in parts) else None


def _text(stream: BinaryIO, skipped: int, path: str | Path) -> Iterator[tuple[str, Vector]]:
    """Yield words with their vectors, one a line."""
    lines = iter(lambda: stream.readline(_LONGEST_LINE), b"")
    for number, line in enumerate(lines, skipped + 1):
        vector = _numbers(line)
        if not len(vector) or not np.isfinite(vector).all():
            raise InputError(path, number, "no word with its numbers", _REMEDY)
        yield line.split(b" ", 1)[0].decode("utf-8", "replace"), vector


def _binary(stream: BinaryIO, dimension: int, path: str | Path) -> Iterator[tuple[str, Vector]]:
    """Yield words with their vectors: a word, a space, little-endian floats, perhaps a new line."""
    while word := _word(stream, path):
        data = stream.read(4 * dimension)
        if len(data) < 4 * dimension:
            raise InputError(path, None, f"the vector of {word!r} is cut off", "Download it again")
        yield word, np.frombuffer(data, "<f4").astype(np.float32)


def _word(stream: BinaryIO, path: str | Path) -> str:
    """Read up to the space after a word; empty at the end."""
    word = bytearray()
    while (byte := stream.read(1)) not in (b" ", b""):
        word += byte
        if len(word) > _LONGEST_WORD:
            raise InputError(path, None, f"a word of over {_LONGEST_WORD:,} bytes", _REMEDY)
    return word.lstrip(b"\n").decode("utf-8", "replace")


def _numbers(line: bytes) -> Vector:
    """Return the numbers after the word of a line; empty if they are not all numbers."""
    try:
        return np.array([float(value) for value in line.split()[1:]], np.float32)
    except ValueError:
        return np.zeros(0, np.float32)
