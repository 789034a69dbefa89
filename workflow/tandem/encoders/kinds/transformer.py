"""A shared transformer with four poolings: the encoder of yang2019, section 4.2."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Self, cast

from pydantic import PositiveInt, model_validator

from tandem.encoders.encoder import Encoder, Tokens
from tandem.encoders.sums import sums
from tandem.machine import on_host
from tandem.segmentation.segmentation import Segmentation

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch
    from torch import Tensor, nn

    from tandem.encoders.encoder import Indices

POSITIONS = 10_000.0
"""The longest wave of the positions, over 2 pi (Vaswani et al., 2017, section 3.5)."""


class Transformer(Encoder):
    """A transformer over token embeddings, pooled in four ways and projected.

    Yang et al. (2019), section 4.2: layers as Vaswani et al. (2017) have them, with sinusoidal
    positions; the maximum, the mean, the first state and the states weighted by attention (dos
    Santos et al., 2016), concatenated, give the vector. No dropout but that of token embeddings.
    """

    multiplies: ClassVar[bool] = True

    grouped: bool = False
    """Tokens come as words with their character n-grams, by the segmentation words-and-ngrams, and
    the embeddings of each word are summed; else each token is read by itself."""
    layers: PositiveInt = 3
    """Layers; the paper's number, as in all that follows."""
    heads: PositiveInt = 8
    """Attention heads."""
    hidden: PositiveInt = 512
    """Width of the states."""
    filter: PositiveInt = 2048
    """Width inside the feed-forward networks."""
    output: PositiveInt = 500
    """Width of the sentence vector."""
    longest: PositiveInt = 128
    """Tokens (or words) that are read; those beyond are left out."""

    @model_validator(mode="after")
    def _divides(self) -> Self:
        if self.hidden % self.heads:
            raise ValueError(f"hidden, {self.hidden}, is no multiple of heads, {self.heads}")
        return self

    def reads(self, segmentation: Segmentation) -> bool:
        """Whether it can read the ids of a segmentation."""
        return self.grouped == segmentation.grouped

    @property
    def words(self) -> bool:
        """Whether tokens come in words."""
        return self.grouped

    @property
    def width(self) -> int:
        """Width of the sentence vector."""
        return self.output

    def weights(self) -> nn.Module:
        """Return the projections, layers and weights of attention pooling, drawn by PyTorch."""
        from torch import nn

        layer = nn.TransformerEncoderLayer(
            self.hidden, self.heads, self.filter, dropout=0.0, batch_first=True
        )
        return nn.ModuleDict({
            "input": nn.Linear(self.dimension, self.hidden),
            "layers": nn.TransformerEncoder(layer, self.layers, enable_nested_tensor=False),
            "attention": nn.Linear(self.hidden, 1),
            "output": nn.Linear(4 * self.hidden, self.output),
        })  # fmt: skip

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the sentence vectors, (sentences, output)."""
        import torch

        embedded, offsets, sizes = self._embedded(tokens)
        lengths, sizes = offsets.diff().clamp(max=self.longest), sizes.clip(max=self.longest)
        out = embedded.new_zeros(len(lengths), self.output)
        order = torch.argsort(lengths, descending=True, stable=True)
        most = 1024 if on_host(lengths) else 16_384  # what suits a cache, or a GPU
        rows, insides, places = [], [], []
        for block, steps in blocks(sizes, most):
            rows.append(order[block])
            inside = torch.arange(steps, device=lengths.device) < lengths[rows[-1]][:, None]
            step = offsets[rows[-1]][:, None] + torch.arange(steps, device=lengths.device)
            insides.append(inside)
            places.append(torch.where(inside, step, 0))
        if not rows:
            return out
        # all at once: the gradient of each part would be as large as that of the whole
        parts = embedded.index_select(0, torch.cat([p.flatten() for p in places]))
        vectors = [
            self._pooled(cast("nn.ModuleDict", weights), part.unflatten(0, inside.shape), inside)
            for part, inside in zip(parts.split([p.numel() for p in places]), insides, strict=True)
        ]
        # products may be bfloat16 (a recipe's precision)
        return out.index_copy(0, torch.cat(rows), torch.cat(vectors).to(out))

    def _embedded(self, tokens: Tokens) -> tuple[Tensor, Tensor, Indices]:
        """Return the embeddings of tokens, or of words, where those of sentences begin, and sizes.

        Where tokens are grouped, the token 0 begins every word and is left out of its sum.
        """
        import torch
        from torch.nn import functional

        table, ids, offsets, dropout, sizes = tokens
        if not self.grouped:
            return tokens.embedded(), offsets, tokens.lengths()
        begins = ids == 0
        words = functional.pad(begins.cumsum(0), (1, 0))[offsets]
        marks = words.diff().numpy() if sizes is None else sizes.marks
        assert marks is not None
        if on_host(ids):
            inside, starts = torch.nonzero(~begins).squeeze(1), torch.nonzero(begins).squeeze(1)
        else:  # whose number a GPU would have to be asked for
            count = len(ids) - int(marks.sum())
            inside, starts = begins.to(torch.uint8).argsort(stable=True).tensor_split([count])
        bounds = functional.pad(starts, (0, 1), value=len(ids))
        bounds = bounds - torch.arange(len(bounds), device=ids.device)  # without the marks before
        if dropout is not None:
            dropout = dropout._replace(places=dropout.places[inside])
        return sums(Tokens(table, ids[inside], bounds, dropout)), words, marks

    def _pooled(self, parts: nn.ModuleDict, embedded: Tensor, inside: Tensor) -> Tensor:
        """Return the vectors of padded sentences: (n, steps, dimension), (n, steps) bool."""
        import torch

        states = parts["input"](embedded)
        states = states + waves(states.shape[1], self.hidden, states.device).to(states)
        states = parts["layers"](states, src_key_padding_mask=~inside)
        absent = ~inside[:, :, None]
        weight = parts["attention"](states).masked_fill(absent, -torch.inf).softmax(1)
        sizes = inside.sum(1, keepdim=True).to(states.dtype)
        pools = (
            states.masked_fill(absent, -torch.inf).amax(1),
            states.masked_fill(absent, 0).sum(1) / sizes,
            states[:, 0],
            (states * weight).sum(1),
        )
        return parts["output"](torch.cat(pools, 1))


def blocks(lengths: Indices, most: int) -> Iterator[tuple[slice, int]]:
    """Yield blocks of the sentences that are not empty, and the length of the longest in each.

    Sentences are counted by falling length. A block, padded to its longest sentence, has at most
    `most` tokens, or is one sentence. The smaller it is, the less of it is padding.
    """
    import numpy as np

    longest_first = -np.sort(-lengths)
    first, filled = 0, int(np.count_nonzero(lengths))
    while first < filled:
        steps = int(longest_first[first])
        last = min(first + max(1, most // steps), filled)
        yield slice(first, last), steps
        first = last


def waves(steps: int, width: int, device: torch.device | None = None) -> Tensor:
    """Return the sinusoidal positions, (steps, width) (Vaswani et al., 2017, section 3.5)."""
    import torch

    even = torch.arange(0, width, 2, device=device)
    rates = torch.exp(even * (-math.log(POSITIONS) / width))
    angles = torch.arange(steps, device=device)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)[:, :width]
