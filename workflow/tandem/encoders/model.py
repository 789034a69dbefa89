"""A sentence encoder: segmentation, embeddings and composition; text in, vectors out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator
from safetensors.numpy import save_file

from tandem.corpora.origins import write_notice
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.encoders.overlapping import overlapped
from tandem.encoders.precision import Precision, pack, packed_shapes, unpack
from tandem.errors import TandemError
from tandem.files import saved
from tandem.files.atomic import atomic_folder
from tandem.files.io import write_json
from tandem.machine import gpu_errors, place
from tandem.registry import Named, Settings
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter
from tandem.text.batches import batches
from tandem.text.languages import listed
from tandem.text.values import one_of, texts

if TYPE_CHECKING:
    from tandem.encoders.encoder import Compose, Floats

Vectors = NDArray[np.float32]

SEGMENTED = 1024
"""Fewest sentences segmented at a time, unless they are long; with fewer, NumPy's overhead
dominates."""
TOKENS = 1 << 17
"""Most tokens, or words where these are summed, that are composed at a time: 128 for each of 1,024
sentences. An LSTM takes about 8 KB for each."""
_PREFIX, _FLOAT = "composition.", np.dtype(np.float32)


def _without_sentences(training: dict[str, Any]) -> dict[str, Any]:
    """Drop the sentences of held-out text that earlier versions left in their models."""
    kept = dict(training)
    if isinstance(quality := kept.get("quality"), dict):
        kept["quality"] = {name: value for name, value in quality.items() if name != "examples"}
    start = kept.get("start")
    if isinstance(start, dict) and isinstance(start.get("training"), dict):
        kept["start"] = start | {"training": _without_sentences(start["training"])}
    return kept


def _with_finite_thresholds(training: dict[str, Any]) -> dict[str, Any]:
    """Refuse thresholds, which commands compare with, that are no finite numbers."""
    for key, value in training.items():
        if key == "thresholds" and not isinstance(value, dict):
            raise ValueError(f"{key} are {value!r}, not named numbers")
        limits = value.values() if key == "thresholds" else [value] if key == "threshold" else ()
        for limit in limits:
            number = isinstance(limit, int | float) and not isinstance(limit, bool)
            if not (number and -saved.MAX_NUMBER < limit < saved.MAX_NUMBER):  # NaN is not
                raise ValueError(f"a threshold is {limit!r}, not a finite number")
        if isinstance(value, dict):
            _with_finite_thresholds(value)
    return training


class Description(Settings):
    """What encoder.json holds."""

    encoder: Annotated[Encoder, Named(ENCODERS)]
    training: Annotated[
        dict[str, Any], AfterValidator(_without_sentences), AfterValidator(_with_finite_thresholds)
    ]
    precision: Precision = Precision.FLOAT32


class SentenceEncoder:
    """Maps sentences to vectors.

    Attributes:
        segmenter: text to ids.
        kind: how embeddings become vectors, with its settings.
        table: (vocabulary, dimension) float32 token embeddings.
        weights: the parameters beside them, float32, by name.
        metadata: how it was trained; plain JSON.
        device: where it computes: cpu, cuda, ...
        beside: writes what was trained beside it, and gives no vectors, into a model's folder;
            an encoder that was loaded has nothing to write.
    """

    beside: Callable[[Path], None] | None = None

    def __init__(
        self,
        segmenter: Segmenter,
        kind: Encoder,
        table: Floats,
        weights: Mapping[str, Floats] | None = None,
        metadata: dict[str, Any] | None = None,
        device: str = "cpu",
    ) -> None:
        self.segmenter, self.kind = segmenter, kind
        self.table, self.weights = table, dict(weights or {})
        self.metadata, self.device = metadata or {}, device

    @property
    def dimension(self) -> int:
        """Width of the sentence vectors."""
        return self.kind.width

    @property
    def languages(self) -> list[str]:
        """The languages it was trained on."""
        return self.segmenter.languages

    def check(self, languages: Iterable[str]) -> None:
        """Refuse languages that it does not know, and a cross-encoder: TandemError."""
        if self.kind.kind == "scorer":
            raise TandemError(
                "this model is a cross-encoder (kind scorer): it reads both sentences of a pair at "
                "once, and has no vectors of sentences. Give an encoder of sentences"
            )
        for language in languages:
            self.segmenter.encoder(language)

    def digest(self) -> str:
        """Return the SHA-256 of its vocabulary and parameters, in hexadecimal."""
        digest = hashlib.sha256("\n".join(self.segmenter.vocabulary).encode())
        for name, array in sorted(self._arrays(Precision.FLOAT32).items()):
            digest.update(f"\n{name} {array.shape}\n".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def tokenise(self, sentences: Sequence[str], language: str | None = None) -> bool:
        """Segment sentences and drop the ids, for timing; return True: that can be done alone."""
        self.segmenter.encoder(self._language(language))(sentences)
        return True

    def encode(
        self, sentences: str | Iterable[str], language: str | None = None, batch_size: int = 1024
    ) -> Vectors:
        """Return the vectors of all sentences, (sentences, dimension) float32, not normalised.

        One sentence, a text by itself, has one vector, (dimension,).
        A sentence without known tokens has the zero vector. The language may be left out when the
        encoder knows one only; TandemError if it does not know it, if something is not text, or of
        a cross-encoder.
        """
        if isinstance(sentences, str):
            return self.encode([sentences], language, batch_size)[0]
        none = np.zeros((0, self.dimension), np.float32)
        return np.concatenate([none, *self.encode_stream(sentences, language, batch_size)])

    def encode_stream(
        self, sentences: str | Iterable[str], language: str | None = None, batch_size: int = 1024
    ) -> Iterator[Vectors]:
        """Yield the vectors in order, many batches at a time, in constant memory.

        At most `batch_size` sentences are composed at a time, and of long ones fewer: TOKENS in
        all, or one sentence.
        """
        self.check(())
        to_ids = self.segmenter.encoder(self._language(language))
        lines = texts([sentences] if isinstance(sentences, str) else sentences)
        blocks = batches(lines, max(batch_size, SEGMENTED), len)
        compose = partial(self.encode_ids, batch_size=batch_size)
        return overlapped(compose, map(to_ids, blocks))

    def encode_ids(self, rows: Ragged, batch_size: int = 1024) -> Vectors:
        """Return the vectors of segmented sentences, (rows, dimension) float32."""
        rows.check_below(len(self.table))
        parts = [np.zeros((0, self.dimension), np.float32)]
        with gpu_errors(device=self.device):
            for start, end in pairwise(self._bounds(rows, batch_size)):
                places = rows.offsets[start : end + 1]
                ids = rows.ids[places[0] : places[-1]].astype(np.int64)
                parts.append(self._compose(ids, places - places[0]))
        return np.concatenate(parts[1:]) if len(parts) > 2 else parts[-1]

    def _bounds(self, rows: Ragged, batch_size: int) -> list[int]:
        """Return where batches begin: of so many rows, and of TOKENS or a single row."""
        if batch_size < 1:
            raise TandemError(f"batch_size is {batch_size}: give 1 or more")
        offsets = rows.offsets
        if self.kind.words:
            offsets = np.append(0, np.cumsum(rows.ids == 0))[offsets]
        bounds = [0]
        while (start := bounds[-1]) < len(rows):
            fit = int(np.searchsorted(offsets, offsets[start] + TOKENS, "right")) - 1
            bounds.append(min(start + batch_size, max(start + 1, fit), len(rows)))
        return bounds

    @cached_property
    def _compose(self) -> Compose:
        return self.kind.composer(self.table, self.weights, self.device)

    def save(
        self,
        folder: str | Path,
        precision: Precision | str = Precision.FLOAT32,
        overwrite: bool = True,
    ) -> None:
        """Write the encoder as a folder that `load` reads, whole or not at all; see `write`.

        What `parts_beside` names of a model that was loaded is not written. TandemError where the
        folder holds what Tandem did not write, or anything and `overwrite` is false, or where there
        is no such precision.
        """
        chosen = one_of(Precision, precision, "precision")
        with atomic_folder(folder, overwrite) as temporary:
            self.write(temporary, chosen)

    def write(self, folder: Path, precision: Precision = Precision.FLOAT32) -> None:
        """Write the encoder's files into an existing folder, and seal all that it holds.

        The table is stored in this precision. TandemError if it cannot be.
        """
        if self.beside is not None:
            self.beside(folder)
        (folder / "segmenter").mkdir()
        self.segmenter.save(folder / "segmenter")
        arrays = {k: np.ascontiguousarray(v) for k, v in self._arrays(precision).items()}
        save_file(arrays, folder / "model.safetensors")
        description = {"encoder": ENCODERS.dump(self.kind), "training": self.metadata}
        # folders that do not say it have float32
        stored = {} if precision is Precision.FLOAT32 else {"precision": precision}
        write_json(folder / "encoder.json", description | stored)
        write_notice(folder, self.metadata)
        saved.seal(folder)

    def _language(self, language: str | None) -> str:
        if language is None and len(self.languages) > 1:
            raise TandemError(f"say which language the sentences are in: {listed(self.languages)}")
        if not isinstance(language, str | None):
            raise TandemError(f"language is {language!r}, no code such as en")
        return self.languages[0] if language is None else language

    def _arrays(self, precision: Precision) -> dict[str, NDArray[Any]]:
        weights = {_PREFIX + name: array for name, array in self.weights.items()}
        return weights | pack(self.table, precision)

    @classmethod
    def load(cls, folder: str | Path, device: str = "cpu") -> SentenceEncoder:
        """Read an encoder by its folder or name; nothing there is executed.

        It may be a pretrained encoder, too: see `named.find_model` and `named.load_model`.

        Raises:
            InputError: the folder holds no encoder, or is not as it was written.
            TandemError: nothing has that name, or nothing can be computed on the device.
        """
        from tandem.encoders.named import find_model, load_model

        return load_model(find_model(folder), device)

    @classmethod
    def of_folder(cls, folder: Path, device: str = "cpu") -> SentenceEncoder:
        """Read an encoder from a folder that `save` wrote; `load` takes others as well.

        Raises:
            InputError: the folder holds no encoder, or is not as it was written.
            TandemError: nothing can be computed on the device.
        """
        saved.check(folder, "encoder.json", "model.safetensors", f"segmenter/{saved.SEAL}")
        described = saved.read(folder / "encoder.json", Description.model_validate)
        segmenter, kind = Segmenter.load(folder / "segmenter"), described.encoder
        shapes = packed_shapes(len(segmenter), kind.dimension, described.precision)
        arrays = saved.read_arrays(
            folder / "model.safetensors",
            lambda: shapes | {_PREFIX + k: (v, _FLOAT) for k, v in kind.weight_shapes().items()},
        )
        table = unpack(arrays)
        weights = {name.removeprefix(_PREFIX): array for name, array in arrays.items()}
        return cls(segmenter, kind, table, weights, described.training, place(device))


def is_unfinished(folder: Path) -> bool:
    """Tell whether a folder holds the best epoch of a training that was stopped."""
    path = folder / "encoder.json"
    return path.is_file() and "unfinished" in saved.read(path, Description.model_validate).training


def parts_beside(folder: str | Path) -> list[str]:
    """Return the names of what a model's folder has beside the encoder, such as decoders."""
    folders = (path.name for path in Path(folder).iterdir() if path.is_dir())
    return sorted(name for name in folders if name != "segmenter" and not name.startswith("."))
