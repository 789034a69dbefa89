"""What is drawn at random for a training step: dropout masks, scrambled tokens."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tandem.encoders.encoder import Dropout
from tandem.segmentation.ragged import Ragged

_POOL = 1 << 22
_STEPS = 1 << 16


def generator(*key: int) -> np.random.Generator:
    """Return the random numbers of a place in the run, so that a resumed run draws the same."""
    return np.random.Generator(np.random.SFC64(list(key)))


def scramble(rows: Ragged, rate: float, random: np.random.Generator) -> Ragged:
    """Shuffle the tokens of a share `rate` of the sentences (wieting2019, section 2)."""
    if rate == 0:
        return rows
    sentence = np.repeat(np.arange(len(rows)), rows.lengths())
    chosen = random.random(len(rows)) < rate
    drawn = random.random(len(rows.ids))
    # within a chosen sentence order by the draw, elsewhere by place
    order = np.lexsort((np.where(chosen[sentence], drawn, np.arange(len(drawn))), sentence))
    return Ragged(rows.ids[order], rows.offsets)


def scrambled(ids: Tensor, offsets: Tensor, rate: float, random: torch.Generator) -> Tensor:
    """Return the ids of sentences, of which a share `rate` is shuffled, on their device."""
    lengths, device = offsets.diff(), ids.device
    every = torch.arange(len(lengths), device=device)
    row = every.repeat_interleave(lengths, output_size=len(ids))
    chosen = torch.rand(len(lengths), generator=random, device=device) < rate
    drawn = torch.rand(len(ids), generator=random, device=device, dtype=torch.float64)
    place = (torch.arange(len(ids), device=device) - offsets[row]) / lengths[row]
    return ids[(row + torch.where(chosen[row], drawn, place)).argsort(stable=True)]


class DropoutPool:
    """Draws dropout for token embeddings: 0 with probability `rate`, else 1 / (1 - rate).

    Drawing a million random numbers costs more than the rest of a step, so each token has a window,
    at a random place, of 4 million zeros and ones drawn once.
    """

    def __init__(self, rate: float, dimension: int, seed: int, device: torch.device) -> None:
        """Draw the pool, 4 MB, once."""
        self._places, self._scale = _POOL - dimension, 1 / (1 - rate)
        drawn = generator(seed, 0).integers(0, _STEPS, _POOL, dtype=np.uint16)
        keep = (drawn >= round(rate * _STEPS)).astype(np.uint8)
        self._keep = torch.from_numpy(keep).to(device)

    def draw(self, tokens: int, random: np.random.Generator | torch.Generator) -> Dropout:
        """Return the dropout of so many tokens, drawn where the random numbers come from."""
        if isinstance(random, torch.Generator):
            where = {"generator": random, "device": self._keep.device}
            places = torch.randint(0, self._places, (tokens,), **where)
        else:
            places = torch.from_numpy(random.integers(0, self._places, tokens))
        return Dropout(self._keep, places, self._scale)
