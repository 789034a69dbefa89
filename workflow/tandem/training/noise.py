"""What is drawn at random for a training step: dropout masks, scrambled tokens."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tandem.encoders.encoder import Dropout
from tandem.segmentation.ragged import Ragged

_POOL = 1 << 22
_STEPS = 1 << 16
_STRIDE, _FIRST, _SECOND = (
    number - (1 << 64)  # as int64
    for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


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


def hashed(seed: Tensor, numbers: Tensor | int) -> Tensor:
    """Return numbers from 0 to below 2^32, (count,) int64, that look random: those of a seed.

    Each is what SplitMix64 (Steele, Lea and Flood, 2014) makes of the seed, (1,) int64, and of one
    of `numbers`, (count,) int64, or of 0 to below a count: so a GPU draws them all at once, and the
    same as a CPU.
    """
    if isinstance(numbers, int):
        numbers = torch.arange(numbers, device=seed.device)
    mixed = numbers * _STRIDE + seed
    mixed = (mixed ^ ((mixed >> 30) & ((1 << 34) - 1))) * _FIRST  # shifts of unsigned numbers
    mixed = (mixed ^ ((mixed >> 27) & ((1 << 37) - 1))) * _SECOND
    return ((mixed ^ ((mixed >> 31) & ((1 << 33) - 1))) >> 32) & ((1 << 32) - 1)


def token_numbers(offsets: Tensor, rows: Tensor, places: Tensor) -> Tensor:
    """Return a number of each token, (tokens,) int64: equal where place and sentence are.

    `offsets` say where the tokens of each sentence begin, `rows` which sentence a token is of, or,
    beyond the last one, of none; `places`, (sentences,), are equal for the same sentence.
    """
    within = torch.arange(len(rows), device=rows.device) - offsets[rows]
    return (functional.pad(places, (0, 1))[rows] << 32) + within


def scrambled(
    ids: Tensor,
    offsets: Tensor,
    rows: Tensor,
    rate: float,
    seed: Tensor,
    places: Tensor | None = None,
) -> Tensor:
    """Return the ids of sentences, of which a share `rate` is shuffled, on their device.

    Arguments are as in `token_numbers`; sentences of the same `places` are shuffled alike, without
    `places` each by itself. Seeds up to two above are used too.
    """
    sentences: Tensor | int = len(offsets)
    tokens: Tensor | int = len(ids)
    if places is not None:
        sentences = functional.pad(places, (0, 1))
        tokens = token_numbers(offsets, rows, places)
    chosen = hashed(seed + 1, sentences) < rate * 2**32
    place = torch.arange(len(ids), device=ids.device) - offsets[rows]
    key = torch.where(chosen[rows], hashed(seed + 2, tokens), place)
    return ids[((rows << 32) + key).argsort(stable=True)]


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

    def draw(self, tokens: int, random: np.random.Generator) -> Dropout:
        """Return the dropout of so many tokens."""
        places = torch.from_numpy(random.integers(0, self._places, tokens))
        return Dropout(self._keep, places, self._scale)

    def draw_there(self, tokens: int | Tensor, seed: Tensor) -> Dropout:
        """Return that of a seed, (1,) int64, drawn on its device.

        `tokens` are how many there are, or numbers, (tokens,) int64: equal ones have equal dropout.
        """
        return Dropout(self._keep, hashed(seed, tokens) * self._places >> 32, self._scale)
