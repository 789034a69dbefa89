"""A shared transformer, pooled: the encoder of yang2019, section 4.2, and that of wieting2020."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, Self, cast

from pydantic import PositiveInt, model_validator

from tandem.encoders.encoder import Encoder, Room, Tokens
from tandem.encoders.sums import sums, word_sums
from tandem.segmentation.segmentation import Segmentation

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

POSITIONS = 10_000.0
"""The longest wave of the positions, over 2 pi (Vaswani et al., 2017, section 3.5)."""


class Transformer(Encoder):
    """A transformer over token embeddings, pooled.

    Layers are as Vaswani et al. (2017) have them, with sinusoidal positions.
    Yang et al. (2019), section 4.2, pool in four ways: the maximum, the mean, the first state and
    the states weighted by attention (dos Santos et al., 2016), concatenated and projected, give the
    vector. Wieting et al. (2020), section 4.2, take the mean. No dropout but that of token
    embeddings.
    """

    bfloat16_on: ClassVar[frozenset[str]] = frozenset({"cuda"})
    fixed_shapes: ClassVar[bool] = True

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
    """Width of the sentence vector, where it is pooled in four ways."""
    longest: PositiveInt = 128
    """Tokens (or words) that are read; those beyond are left out."""
    pooling: Literal["four", "mean"] = "four"
    """four: as above. mean: the mean of the states is the vector, and nothing is projected before
    or after the layers, so that `dimension` is `hidden`."""

    @model_validator(mode="after")
    def _divides(self) -> Self:
        if self.hidden % self.heads:
            raise ValueError(f"hidden, {self.hidden}, is no multiple of heads, {self.heads}")
        if self.pooling == "mean" and self.dimension != self.hidden:
            raise ValueError(
                f"with pooling mean, dimension and hidden are the same, not {self.dimension} and "
                f"{self.hidden}"
            )
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
        return self.hidden if self.pooling == "mean" else self.output

    def weights(self) -> nn.Module:
        """Return the projections, layers and weights of attention pooling, drawn by PyTorch."""
        from torch import nn

        layer = nn.TransformerEncoderLayer(
            self.hidden, self.heads, self.filter, dropout=0.0, batch_first=True
        )
        layers = nn.TransformerEncoder(layer, self.layers, enable_nested_tensor=False)
        if self.pooling == "mean":
            return nn.ModuleDict({"layers": layers})
        return nn.ModuleDict({
            "input": nn.Linear(self.dimension, self.hidden),
            "layers": layers,
            "attention": nn.Linear(self.hidden, 1),
            "output": nn.Linear(4 * self.hidden, self.output),
        })  # fmt: skip

    def embedding_layer(self, weights: nn.Module) -> Iterable[nn.Parameter]:
        """Return the projection of embeddings to states, where there is one."""
        modules = cast("nn.ModuleDict", weights)
        return modules["input"].parameters() if "input" in modules else ()

    def layers_of(self, weights: nn.Module) -> Sequence[nn.Module]:
        """Return the layers."""
        return [*cast("nn.TransformerEncoder", cast("nn.ModuleDict", weights)["layers"]).layers]

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the sentence vectors, (sentences, output), or as wide as the states."""
        import torch

        from tandem.encoders.rows import blocks

        modules = cast("nn.ModuleDict", weights)
        if tokens.room is not None:
            return self._in_rows(modules, tokens, tokens.room)
        embedded, offsets = self._embedded(tokens)
        lengths = (offsets[1:] - offsets[:-1]).clamp(max=self.longest)
        out = embedded.new_zeros(len(lengths), self.width)
        rows = list(blocks(lengths, 1024))  # what suits a cache
        if not rows:
            return out
        insides, places = [], []
        for sentences in rows:
            steps = torch.arange(int(lengths[sentences].max()), device=lengths.device)
            insides.append(steps < lengths[sentences][:, None])
            places.append(torch.where(insides[-1], offsets[sentences][:, None] + steps, 0))
        # all at once: the gradient of each part would be as large as that of the whole
        parts = embedded.index_select(0, torch.cat([p.flatten() for p in places]))
        vectors = [
            self._pooled(modules, part.unflatten(0, inside.shape), inside)
            for part, inside in zip(parts.split([p.numel() for p in places]), insides, strict=True)
        ]
        # products may be bfloat16 (a recipe's precision)
        return out.index_copy(0, torch.cat(rows), torch.cat(vectors).to(out))

    def _in_rows(self, weights: nn.ModuleDict, tokens: Tokens, room: Room) -> Tensor:
        """Return the same on a GPU, which fills all sentences up to the longest."""
        import torch

        from tandem.encoders.rows import Rows

        longest = min(room.longest, self.longest)
        if self.grouped:
            words, offsets = word_sums(tokens)
            places, inside = Rows.of(offsets, longest)
            embedded = words.index_select(0, places.flatten()).unflatten(0, places.shape)
        else:
            rows = Rows.of(tokens.offsets, longest)
            embedded, inside = rows.embedded(tokens), rows.inside
        empty = ~inside[:, :1]
        # something must be attended to: what it gives is passed over
        inside = torch.cat([torch.ones_like(empty), inside[:, 1:]], 1)
        return self._pooled(weights, embedded, inside).float().masked_fill(empty, 0)

    def _embedded(self, tokens: Tokens) -> tuple[Tensor, Tensor]:
        """Return the embeddings of tokens, or of words, and where those of sentences begin.

        Where tokens are grouped, the token 0 begins every word and is left out of its sum.
        """
        import torch

        table, ids, offsets, dropout, _ = tokens
        if not self.grouped:
            embedded = table.index_select(0, ids)
            if dropout is not None:
                embedded = embedded * dropout.factors(table.shape[1])
            return embedded, offsets
        begins = ids == 0
        words = begins.cumsum(0)
        inside = torch.nonzero(~begins).squeeze(1)
        starts = torch.nonzero(begins).squeeze(1)
        bounds = torch.cat([starts, starts.new_tensor([len(ids)])])
        bounds = bounds - torch.arange(len(bounds), device=ids.device)  # without the marks before
        if dropout is not None:
            dropout = dropout._replace(places=dropout.places[inside])
        tokens = Tokens(table, ids[inside], bounds, dropout)
        return sums(tokens), torch.cat([words.new_zeros(1), words])[offsets]

    def _pooled(self, parts: nn.ModuleDict, embedded: Tensor, inside: Tensor) -> Tensor:
        """Return the vectors of padded sentences: (n, steps, dimension), (n, steps) bool."""
        import torch

        states = embedded if self.pooling == "mean" else parts["input"](embedded)
        states = states + waves(states.shape[1], self.hidden, states.device).to(states)
        states = parts["layers"](states, src_key_padding_mask=~inside)
        absent = ~inside[:, :, None]
        sizes = inside.sum(1, keepdim=True).to(states.dtype)
        mean = states.masked_fill(absent, 0).sum(1) / sizes
        if self.pooling == "mean":
            return mean
        weight = parts["attention"](states).masked_fill(absent, -torch.inf).softmax(1)
        pools = (
            states.masked_fill(absent, -torch.inf).amax(1),
            mean,
            states[:, 0],
            (states * weight).sum(1),
        )
        return parts["output"](torch.cat(pools, 1))


def waves(steps: int, width: int, device: torch.device | None = None) -> Tensor:
    """Return the sinusoidal positions, (steps, width) (Vaswani et al., 2017, section 3.5)."""
    import torch

    even = torch.arange(0, width, 2, device=device)
    rates = torch.exp(even * (-math.log(POSITIONS) / width))
    angles = torch.arange(steps, device=device)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)[:, :width]
