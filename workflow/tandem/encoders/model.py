"""A sentence encoder: segmentation, embeddings and composition; text in, vectors out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor

from tandem.encoders.composition import Composition
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.encoders.streaming import overlapped
from tandem.errors import TandemError
from tandem.io import atomic_folder, read_json, write_json
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter

Vectors = NDArray[np.float32]

SEGMENTED = 1024
"""Fewest sentences segmented at a time; with fewer, NumPy's overhead dominates."""


class SentenceEncoder:
    """Maps sentences to vectors.

    Attributes:
        segmenter: text to ids.
        table: (vocabulary, dimension) float32 token embeddings.
        composition: token embeddings to sentence vectors.
        metadata: how it was trained; plain JSON.
    """

    def __init__(
        self,
        segmenter: Segmenter,
        table: Tensor,
        composition: Composition,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        """Put an encoder together."""
        self.segmenter, self.table = segmenter, table
        self.composition = composition.eval()
        self.metadata = metadata or {}

    @property
    def kind(self) -> Encoder:
        """The kind of encoder with its settings."""
        return self.composition.encoder

    @property
    def dimension(self) -> int:
        """Width of the sentence vectors."""
        return self.kind.width

    @property
    def languages(self) -> list[str]:
        """The languages it was trained on."""
        return self.segmenter.languages

    @property
    def parameters(self) -> int:
        """Number of trained numbers."""
        return self.table.numel() + sum(p.numel() for p in self.composition.parameters())

    @property
    def device(self) -> str:
        """Where it computes: cpu, cuda, ..."""
        return self.table.device.type

    def tokenise(self, sentences: Sequence[str], language: str | None = None) -> bool:
        """Segment sentences and drop the outcome, for timing; True: the encoder has a segmenter."""
        self.segmenter.encoder(self._language(language))(sentences)
        return True

    def encode(
        self, sentences: Iterable[str], language: str | None = None, batch_size: int = 1024
    ) -> Vectors:
        """Return the vectors of all sentences, (sentences, dimension) float32, not normalised.

        A sentence without known tokens has the zero vector. The language may be left out when the
        encoder knows one only; TandemError if it does not know it.
        """
        parts = list(self.encode_stream(sentences, language, batch_size))
        if not parts:
            return np.zeros((0, self.dimension), np.float32)
        return np.concatenate(parts)

    def encode_stream(
        self, sentences: Iterable[str], language: str | None = None, batch_size: int = 1024
    ) -> Iterator[Vectors]:
        """Yield the vectors in order, many batches at a time, in constant memory."""
        to_ids = self.segmenter.encoder(self._language(language))
        stream, size = iter(sentences), max(batch_size, SEGMENTED)
        blocks = iter(lambda: list(islice(stream, size)), [])
        compose = partial(self.encode_ids, batch_size=batch_size)
        return overlapped(compose, map(to_ids, blocks))

    @torch.inference_mode()
    def encode_ids(self, rows: Ragged, batch_size: int = 1024) -> Vectors:
        """Return the vectors of segmented sentences, (rows, dimension) float32."""
        device = self.table.device
        parts = [np.zeros((0, self.dimension), np.float32)]
        for start in range(0, len(rows), batch_size):
            places = rows.offsets[start : start + batch_size + 1]
            ids = torch.from_numpy(rows.ids[places[0] : places[-1]].astype(np.int64)).to(device)
            offsets = torch.from_numpy(places - places[0]).to(device)
            parts.append(self.composition(self.table, ids, offsets).cpu().numpy())
        return np.concatenate(parts[1:]) if len(parts) > 2 else parts[-1]

    def save(self, folder: str | Path) -> None:
        """Write the encoder as a folder that `load` reads, whole or not at all."""
        with atomic_folder(folder) as temporary:
            self.write(temporary)

    def write(self, folder: Path) -> None:
        """Write the encoder's files into an existing folder."""
        (folder / "segmenter").mkdir()
        self.segmenter.save(folder / "segmenter")
        tensors = {f"composition.{k}": v for k, v in self.composition.state_dict().items()}
        tensors["embedding"] = self.table
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        save_file(tensors, folder / "model.safetensors")
        description = {"encoder": ENCODERS.dump(self.kind), "training": self.metadata}
        write_json(folder / "encoder.json", description)

    def _language(self, language: str | None) -> str:
        if language is None:
            if len(self.languages) > 1:
                raise TandemError(
                    "say which language the sentences are in: " + ", ".join(self.languages)
                )
            return self.languages[0]
        return language


def load(folder: str | Path, device: str = "cpu") -> SentenceEncoder:
    """Read an encoder; nothing in the folder is executed.

    Raises:
        TandemError: the folder holds no encoder.
    """
    folder = Path(folder)
    if not (folder / "encoder.json").is_file():
        raise TandemError(f"{folder} is not an encoder: it has no encoder.json")
    description = read_json(folder / "encoder.json")
    kind = ENCODERS.parse(description["encoder"])
    tensors = load_file(folder / "model.safetensors", device=device)
    composition = Composition(kind).to(device)
    prefix = "composition."
    composition.load_state_dict(
        {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
    )
    segmenter = Segmenter.load(folder / "segmenter")
    # copied: the tensors are mapped from the file, and the first sentences would wait for the disk
    table = tensors["embedding"].clone()
    return SentenceEncoder(segmenter, table, composition, description["training"])
