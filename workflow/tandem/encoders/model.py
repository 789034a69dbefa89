"""A sentence encoder: segmentation, embeddings and composition; text in, vectors out."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn

from tandem import saved
from tandem.encoders.encoder import ENCODERS, Dropout, Encoder, Tokens
from tandem.encoders.precision import Precision, pack, unpack
from tandem.errors import TandemError
from tandem.io import atomic_folder, write_json
from tandem.registry import Named, Settings
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter

Vectors = NDArray[np.float32]
Item = TypeVar("Item")
Result = TypeVar("Result")

SEGMENTED = 1024
"""Fewest sentences segmented at a time; with fewer, NumPy's overhead dominates."""
_PREFIX = "composition."


class Description(Settings):
    """What encoder.json holds."""

    encoder: Annotated[Encoder, Named(ENCODERS)]
    training: dict[str, Any]
    precision: Precision = Precision.FLOAT32


class Composition(nn.Module):
    """From token embeddings to sentence vectors."""

    def __init__(self, encoder: Encoder) -> None:
        """Draw the parameters of an encoder."""
        super().__init__()
        self.encoder = encoder
        self.weights = encoder.weights()

    def forward(
        self, table: Tensor, ids: Tensor, offsets: Tensor, dropout: Dropout | None = None
    ) -> Tensor:
        """Return the sentence vectors; see `Encoder.compose`."""
        return self.encoder.compose(self.weights, Tokens(table, ids, offsets, dropout))


def initialise(encoder: Encoder, vocabulary: int, seed: int) -> tuple[Tensor, Composition]:
    """Return the embedding table and composition that a seed gives: the random baseline.

    Embeddings are drawn from N(0, 1) (wieting2019, section 3.3: "mean 0 and variance 1").
    """
    random = torch.Generator().manual_seed(seed)
    table = torch.randn(vocabulary, encoder.dimension, generator=random)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)  # PyTorch's own modules draw from the global generator
        composition = Composition(encoder)
    return table, composition


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
    def device(self) -> str:
        """Where it computes: cpu, cuda, ..."""
        return self.table.device.type

    def digest(self) -> str:
        """Return the SHA-256 of its vocabulary and parameters, in hexadecimal."""
        found = hashlib.sha256("\n".join(self.segmenter.vocabulary).encode())
        for name, tensor in sorted(_tensors(self.table, self.composition).items()):
            found.update(f"\n{name} {tuple(tensor.shape)}\n".encode())
            found.update(tensor.detach().cpu().contiguous().numpy().data)
        return found.hexdigest()

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
        none = np.zeros((0, self.dimension), np.float32)
        return np.concatenate([none, *self.encode_stream(sentences, language, batch_size)])

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
        rows.check_below(len(self.table))
        parts = [np.zeros((0, self.dimension), np.float32)]
        for start in range(0, len(rows), batch_size):
            places = rows.offsets[start : start + batch_size + 1]
            ids = torch.from_numpy(rows.ids[places[0] : places[-1]].astype(np.int64)).to(device)
            offsets = torch.from_numpy(places - places[0]).to(device)
            parts.append(self.composition(self.table, ids, offsets).cpu().numpy())
        return np.concatenate(parts[1:]) if len(parts) > 2 else parts[-1]

    def save(self, folder: str | Path, precision: Precision = Precision.FLOAT32) -> None:
        """Write the encoder as a folder that `load` reads, whole or not at all; see `write`."""
        with atomic_folder(folder) as temporary:
            self.write(temporary, precision)

    def write(self, folder: Path, precision: Precision = Precision.FLOAT32) -> None:
        """Write the encoder's files into an existing folder, and seal all that it holds.

        The table is stored in this precision. TandemError if it cannot be.
        """
        (folder / "segmenter").mkdir()
        self.segmenter.save(folder / "segmenter")
        tensors = _tensors(self.table, self.composition, precision)
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        save_file(tensors, folder / "model.safetensors")
        description = {"encoder": ENCODERS.dump(self.kind), "training": self.metadata}
        # float32 is what folders have that do not say it
        stored = {} if precision is Precision.FLOAT32 else {"precision": precision}
        write_json(folder / "encoder.json", description | stored)
        saved.seal(folder)

    def _language(self, language: str | None) -> str:
        if language is None and len(self.languages) > 1:
            known = ", ".join(self.languages)
            raise TandemError(f"say which language the sentences are in: {known}")
        return self.languages[0] if language is None else language


def load(folder: str | Path, device: str = "cpu") -> SentenceEncoder:
    """Read an encoder; nothing in the folder is executed.

    Raises:
        InputError: the folder holds no encoder, or is not as it was written.
    """
    folder = Path(folder)
    saved.check(folder, "encoder.json", "model.safetensors", f"segmenter/{saved.SEAL}")
    description = saved.read(folder / "encoder.json", Description.model_validate)
    segmenter, kind = Segmenter.load(folder / "segmenter"), description.encoder
    tensors = saved.read_tensors(
        folder / "model.safetensors",
        lambda: _tensors(
            torch.empty(len(segmenter), kind.dimension), Composition(kind), description.precision
        ),
        device,
    )
    # a copy: the tensors are mapped from the file, and the first sentences would wait for the disk
    table = unpack(tensors)
    composition = Composition(kind).to(device)
    composition.load_state_dict({k.removeprefix(_PREFIX): v for k, v in tensors.items()})
    return SentenceEncoder(segmenter, table, composition, description.training)


def overlapped(
    function: Callable[[Item], Result], items: Iterable[Item], ahead: int = 2
) -> Iterator[Result]:
    """Yield `function(item)` in order, from a second thread, while `items` makes the next ones.

    That pays where both release the interpreter's lock for most of their time, as NumPy and PyTorch
    do. At most `ahead` results wait. PyTorch leaves one of its threads to `items`.
    """
    threads = torch.get_num_threads()
    share = max(1, threads - 1)
    waiting: deque[Future[Result]] = deque()
    try:
        with ThreadPoolExecutor(1, "compose", torch.set_num_threads, (share,)) as pool:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        torch.set_num_threads(threads)


def _tensors(
    table: Tensor, composition: Composition, precision: Precision = Precision.FLOAT32
) -> dict[str, Tensor]:
    own = {_PREFIX + name: tensor for name, tensor in composition.state_dict().items()}
    return own | pack(table, precision)
