"""An encoder's own parameters as a module, and its first parameters."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tandem.encoders.encoder import Encoder, Tokens


class Composition(nn.Module):
    """From token embeddings to sentence vectors."""

    def __init__(self, encoder: Encoder) -> None:
        """Draw the parameters of an encoder."""
        super().__init__()
        self.encoder = encoder
        self.weights = encoder.weights()

    def forward(
        self, table: Tensor, ids: Tensor, offsets: Tensor, dropout: Tensor | None = None
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
