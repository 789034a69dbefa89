"""Translating with the recurrent translator: greedy decoding, in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from tandem.errors import InputError
from tandem.files import saved
from tandem.segmentation.pieces import load_pieces
from tandem.text.spelling import collapse
from tandem.translation.batching import (
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
    masked[:, [PAD, UNKNOWN, START]] = float("-inf")
    best, pieces = masked.max(dim=1)
    return pieces, best - torch.logsumexp(masked, dim=1)


@torch.inference_mode()
def decode_greedily(network: AttentionNetwork, sources: Sequence[Ids]) -> list[Output]:
    """Translate id lists, none of them empty, as one batch; row order is kept.

    Each row ends at END or at `bound` of its own length, whatever the other rows do. Finished rows
    leave the batch once they are a quarter of it.
    """
    source, lengths = pad_sources(sources)
    memory = network.encode(source, lengths)
    hidden = memory.initial
    limits = [bound(len(row)) for row in sources]
    ids: list[Ids] = [[] for _ in sources]
    scores = [0.0] * len(sources)
    ended = [False] * len(sources)
    alive = list(range(len(sources)))  # the row of `sources` behind each row of the batch
    inputs = torch.full((len(sources), 1), START)
    while True:
        output, hidden = network.decode(memory, inputs, hidden)
        pieces, gains = choose(network.logits(output[:, 0]))
        running = []
        chosen = zip(alive, pieces.tolist(), gains.tolist(), strict=True)
        for place, (row, piece, gain) in enumerate(chosen):
            if ended[row] or len(ids[row]) >= limits[row]:
                continue
            scores[row] += gain
            ended[row] = piece == END
            if not ended[row]:
                ids[row].append(piece)
                if len(ids[row]) < limits[row]:
                    running.append(place)
        if not running:
            break
        inputs = pieces[:, None]
        if len(running) <= 0.75 * len(alive):
            keep = torch.tensor(running)
            memory, hidden, inputs = memory.rows(keep), hidden[:, keep], inputs[keep]
            alive = [alive[place] for place in running]
    tokens = [len(row) + end for row, end in zip(ids, ended, strict=True)]
    return list(map(Output, ids, scores, tokens))


class RnnTranslator:
    """A trained recurrent translator; decodes greedily."""

    def __init__(self, folder: Path, settings: Rnn, threads: int) -> None:
        """Load what `train_rnn` wrote; InputError if a file is missing or does not fit."""
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

    def translate(self, sentences: Iterable[str]) -> Iterator[Translation]:
        """Yield one translation per sentence, in input order.

        In another batch the last digits of a sentence's log-probability may differ.
        """
        cut = partial(self.pieces.encode, num_threads=1)
        return translate_in_windows(sentences, cut, self._translate_batch)

    def _translate_batch(self, rows: Sequence[Ids]) -> list[Translation]:
        with torch_threads(self.threads):
            outputs = decode_greedily(self.network, rows)
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
