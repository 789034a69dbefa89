"""Greedy decoding of the recurrent translator, in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from tandem.translation.network import AttentionNetwork
from tandem.translation.padding import Ids, pad_sources
from tandem.translation.vocabulary import END, PAD, START, UNKNOWN


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
    scores = torch.zeros(len(sources), dtype=torch.float64)
    ended = [False] * len(sources)
    alive = list(range(len(sources)))  # the row of `sources` behind each row of the batch
    inputs = torch.full((len(sources), 1), START)
    while True:
        output, hidden = network.decode(memory, inputs, hidden)
        pieces, gains = choose(network.logits(output[:, 0]))
        running = []
        for place, (row, piece, gain) in enumerate(
            zip(alive, pieces.tolist(), gains.tolist(), strict=True)
        ):
            if ended[row] or len(ids[row]) >= limits[row]:
                continue
            scores[row] += gain
            if piece == END:
                ended[row] = True
                continue
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
    return [
        Output(row, float(score), len(row) + end)
        for row, score, end in zip(ids, scores, ended, strict=True)
    ]
