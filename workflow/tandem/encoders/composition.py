"""Composition in PyTorch: from token embeddings to sentence vectors, to be trained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from tandem.encoders.encoder import Encoder, Tokens
from tandem.encoders.model import SentenceEncoder
from tandem.errors import SettingsError
from tandem.segmentation.segmenter import Segmenter

if TYPE_CHECKING:
    from tandem.encoders.encoder import Floats


class Composition(nn.Module):
    """From token embeddings to sentence vectors."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.weights = encoder.weights()

    def forward(self, tokens: Tokens) -> Tensor:
        """Return the sentence vectors; see `Encoder.compose`."""
        return self.encoder.compose(self.weights, tokens)

    def first_parameters(self, layers: int) -> Iterable[nn.Parameter]:
        """Return the parameters that are part of the embedding of a token, and of first layers.

        Raises:
            SettingsError: it has fewer layers, or as many: none would be left.
        """
        every = self.encoder.layers_of(self.weights)
        if layers and layers >= len(every):
            raise SettingsError(
                f"{layers} frozen layers of {len(every)} that {self.encoder.kind} has: nothing "
                "would be left to learn. Freeze fewer"
            )
        yield from self.encoder.embedding_layer(self.weights)
        for layer in every[:layers]:
            yield from layer.parameters()

    def freeze(self, layers: int) -> None:
        """Keep the embedding of tokens and so many first layers as they are.

        Raises:
            SettingsError: nothing is left to learn.
        """
        for parameter in self.first_parameters(layers):
            parameter.requires_grad_(False)
        if not self.learning():
            raise SettingsError(
                f"{self.encoder.kind} has nothing to learn but embeddings, and `frozen` of the "
                "recipe keeps these. Leave it out"
            )

    def learning(self) -> list[nn.Parameter]:
        """Return the parameters that learn."""
        return [weight for weight in self.parameters() if weight.requires_grad]

    def load(self, weights: Mapping[str, Floats]) -> Composition:
        """Take parameters from arrays; return itself."""
        tensors = {name: torch.tensor(array) for name, array in weights.items()}
        self.load_state_dict(tensors, assign=True)
        return self


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


def as_encoder(
    segmenter: Segmenter,
    table: Tensor,
    composition: Composition,
    metadata: dict[str, Any] | None = None,
) -> SentenceEncoder:
    """Return an encoder of these tensors; on a CPU it shares their memory."""
    parameters = {"embedding": table, **composition.state_dict()}
    return from_parameters(segmenter, composition.encoder, parameters, metadata)


def from_parameters(
    segmenter: Segmenter,
    kind: Encoder,
    parameters: Mapping[str, Tensor],
    metadata: dict[str, Any] | None = None,
    device: str | None = None,
) -> SentenceEncoder:
    """Return an encoder of a table, `embedding`, and the weights beside it; memory is shared."""
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in parameters.items()}
    table = arrays.pop("embedding")
    device = device or str(parameters["embedding"].device)
    return SentenceEncoder(segmenter, kind, table, arrays, metadata, device)


def check_freezing(encoder: Encoder, layers: int) -> None:
    """Refuse to freeze embeddings and so many layers where nothing is left: SettingsError."""
    with torch.device("meta"):  # without memory for parameters
        Composition(encoder).freeze(layers)
