"""Translating with the recurrent translator: greedy decoding, in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tandem.errors import InputError
from tandem.files import saved
from tandem.machine import exact_products, on_host, place, send
from tandem.segmentation.pieces import load_pieces
from tandem.text.spelling import collapse
from tandem.translation.batching import (
    BATCH_TOKENS,
    END,
    PAD,
    START,
    UNKNOWN,
    Ids,
    pad_sources,
    translate_in_windows,
)
from tandem.translation.kinds.rnn import Rnn
from tandem.translation.network import AttentionNetwork, torch_threads
from tandem.translation.translator import Translation

STEPS = 8
"""Steps that a GPU takes before what it chose is read: each time, all of its work is waited for."""
GPU_TOKENS = 1 << 16
"""Padded source tokens of a decoding batch on a GPU: some 70 MB of states by default."""
GPU_SCORES = 1 << 26
"""Scores of a step on a GPU, sentences by pieces: 268 MB, of which three are held at a time."""


class Output(NamedTuple):
    """Produced ids without the end, their summed log-probability, and tokens with the end."""

    ids: Ids
    log_probability: float
    tokens: int


def bound(source_length: int) -> int:
    """Most tokens an output may have, for a source of so many pieces."""
    return 2 * source_length + 10


def choose(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Best piece of each row of logits (rows, pieces), and its log-probability.

    Padding, the start and the unknown piece have no text: they are never written, and the
    probabilities are those of the others.
    """
    masked = logits.clone()
    for piece in (PAD, UNKNOWN, START):  # a list of them would be sent to a GPU, which waits
        masked[:, piece] = float("-inf")
    best, pieces = masked.max(dim=1)
    return pieces, best - torch.logsumexp(masked, dim=1)


class Outputs:
    """What is written for each source of a batch, which ends at END or at `bound` of its length."""

    def __init__(self, sources: Sequence[Ids]) -> None:
        """Begin with nothing written."""
        self.limits = np.array([bound(len(row)) for row in sources])
        self.ids = np.full((len(sources), self.limits.max()), PAD, np.int32)
        self.scores = np.zeros(len(sources))
        self.tokens = np.zeros(len(sources), np.int64)
        self.step = 0

    def add(self, rows: NDArray[np.int64], pieces: NDArray, gains: NDArray) -> NDArray[np.bool_]:
        """Take the pieces of a step for some rows of the sources; return which rows go on."""
        self.ids[rows, self.step] = pieces
        self.scores[rows] += gains
        self.step += 1
        self.tokens[rows] = self.step
        return (pieces != END) & (self.step < self.limits[rows])

    def finish(self) -> list[Output]:
        """Return the outputs of all sources."""
        outputs = []
        for row, score, tokens in zip(self.ids, self.scores.tolist(), self.tokens, strict=True):
            ids = row[:tokens].tolist()
            outputs.append(Output(ids[:-1] if ids[-1] == END else ids, score, len(ids)))
        return outputs


@exact_products()
@torch.inference_mode()
def decode_greedily(network: AttentionNetwork, sources: Sequence[Ids]) -> list[Output]:
    """Translate id lists, none of them empty, as one batch; row order is kept.

    Each row ends at END or at `bound` of its own length, whatever the other rows do. Finished rows
    leave the batch once they are a quarter of it. A GPU writes some more after the end of a row
    before that is seen; it is passed over.
    """
    source, lengths = (send(part.numpy(), network.device) for part in pad_sources(sources))
    steps = 1 if on_host(source) else STEPS
    memory = network.encode(source, lengths)
    hidden, inputs = memory.initial, torch.full_like(source[:, :1], START)
    outputs = Outputs(sources)
    rows = np.arange(len(sources))  # of `sources`, behind each row of the batch
    running = np.ones(len(rows), np.bool_)
    while running.any():
        chosen = []
        for _ in range(steps):
            output, hidden = network.decode(memory, inputs, hidden)
            pieces, gains = choose(network.logits(output[:, 0]))
            inputs = pieces[:, None]
            chosen.append((pieces, gains))
        for some_pieces, some_gains in _read(chosen):
            alive = np.flatnonzero(running)
            if len(alive):
                goes_on = outputs.add(rows[alive], some_pieces[alive], some_gains[alive])
                running[alive] = goes_on
        alive = np.flatnonzero(running)
        if 0 < len(alive) <= 0.75 * len(rows):
            keep = send(alive, network.device)
            memory, inputs = memory.rows(keep), inputs[keep]
            hidden = hidden.index_select(1, keep)  # contiguous, as cuDNN demands
            rows, running = rows[alive], running[alive]
    return outputs.finish()


def _read(chosen: list[tuple[Tensor, Tensor]]) -> Iterator[tuple[NDArray, NDArray]]:
    """Read the pieces and gains of some steps, for all of which a GPU is waited for once."""
    pieces, gains = (torch.stack(parts).cpu().numpy() for parts in zip(*chosen, strict=True))
    return zip(pieces, gains, strict=True)


class RnnTranslator:
    """A trained recurrent translator; decodes greedily."""

    def __init__(self, folder: Path, settings: Rnn, threads: int, device: str = "cpu") -> None:
        """Load what `train_rnn` wrote, onto a device.

        Raises:
            InputError: a file is missing or does not fit.
            TandemError: nothing can be computed on the device.
        """
        self.threads = threads
        self.pieces = pieces = load_pieces(folder / "sp.model")
        marks = pieces.pad_id(), pieces.unk_id(), pieces.bos_id(), pieces.eos_id()
        if marks != (PAD, UNKNOWN, START, END):
            problem = f"pieces {marks} for padding, the unknown, start and end"
            raise InputError(folder / "sp.model", None, problem, saved.REMEDY)
        make = partial(AttentionNetwork, len(pieces), settings.dimension, settings.dropout)
        path = folder / "model.safetensors"
        arrays = saved.read_arrays(path, lambda: _shapes(make))
        self.network = make()
        self.network.load_state_dict({k: torch.from_numpy(v) for k, v in arrays.items()})
        self.network.to(place(device)).eval()

    def translate(self, sentences: Iterable[str]) -> Iterator[Translation]:
        """Yield one translation per sentence, in input order.

        In another batch the last digits of a sentence's log-probability may differ.
        """
        cut = partial(self.pieces.encode, num_threads=1)
        tokens = BATCH_TOKENS if on_host(self.network.bias) else GPU_TOKENS
        return translate_in_windows(sentences, cut, self._translate_batch, tokens)

    def _translate_batch(self, rows: Sequence[Ids]) -> list[Translation]:
        host = on_host(self.network.bias)
        most = len(rows) if host else max(1, GPU_SCORES // self.network.embedding.num_embeddings)
        parts = [rows[first : first + most] for first in range(0, len(rows), most)]
        with torch_threads(self.threads):
            outputs = list(chain.from_iterable(decode_greedily(self.network, p) for p in parts))
        texts = self.pieces.decode([output.ids for output in outputs])
        return [
            Translation(collapse(text), output.log_probability, output.tokens)
            for text, output in zip(texts, outputs, strict=True)
        ]


def _shapes(make: Callable[[], nn.Module]) -> dict[str, saved.ShapeAndType]:
    """Return the shapes of a network's parameters, all of them float32, without drawing any."""
    with torch.device("meta"):
        parameters = make().state_dict()
    return {name: (tuple(w.shape), np.dtype(np.float32)) for name, w in parameters.items()}
