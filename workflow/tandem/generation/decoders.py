"""Decoders: they write a sentence, token by token, from a vector (wieting2020, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from tandem.encoders.kinds.transformer import waves

if TYPE_CHECKING:
    from tandem.objectives.kinds.generative import Generative


class Decoder(nn.Module):
    """What turns the tokens before each place, and a vector, into a state for that place."""

    def __init__(self, objective: Generative, latent: int) -> None:
        """Draw the parameters of a decoder of vectors of width `latent`."""
        super().__init__()
        self.width, self.dropout = objective.dimension, objective.dropout
        self.word = "word" in objective.places
        self.attention = "attention" in objective.places
        self.logit = "logit" in objective.places

    @property
    def last(self) -> int:
        """Width of what the softmax reads, without the vector."""
        return self.width

    def drop(self, values: Tensor) -> Tensor:
        """Apply dropout, where it trains."""
        return functional.dropout(values, self.dropout, self.training)

    def forward(self, embedded: Tensor, vectors: Tensor) -> Tensor:
        """Return states, (sentences, steps, width), none of which has seen what stands later.

        `embedded` is (sentences, steps, width), `vectors` (sentences, latent).
        """
        raise NotImplementedError


class TransformerDecoder(Decoder):
    """Layers of self-attention on what stands before, each followed by the vector as context.

    Normalisation follows each sum, as in Vaswani et al. (2017). In the place of attention to an
    encoder stands a linear map of state and vector (`attention`); the vector beside words is mapped
    to their width (`word`).
    """

    def __init__(self, objective: Generative, latent: int) -> None:
        """Draw the parameters of a decoder of vectors of width `latent`."""
        super().__init__(objective, latent)
        self.layers = nn.ModuleList(
            _Layer(objective, latent, self.attention) for _ in range(objective.layers)
        )
        self.entry = nn.Linear(self.width + latent, self.width) if self.word else None

    def forward(self, embedded: Tensor, vectors: Tensor) -> Tensor:
        """Return states, (sentences, steps, width)."""
        states = embedded
        if self.entry is not None:
            states = _joined(self.entry, states, vectors)
        states = states + waves(states.shape[1], self.width, states.device).to(states)
        for layer in self.layers:
            states = layer(states, vectors)
        return states


class _Layer(nn.Module):
    def __init__(self, objective: Generative, latent: int, attention: bool) -> None:
        super().__init__()
        width = objective.dimension
        self.heads, self.dropout = objective.heads, objective.dropout
        self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.context = nn.Linear(width + latent, width) if attention else None
        self.first = nn.Linear(width, objective.filter)
        self.second = nn.Linear(objective.filter, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 + attention))

    def forward(self, states: Tensor, vectors: Tensor) -> Tensor:
        norms = iter(self.norms)
        read = self.inputs(states).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        queries, keys, values = read.unbind(0)
        # what stands later is not seen, so neither are the ends that rows are filled up with
        seen = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        seen = self.output(seen.transpose(1, 2).flatten(2))
        states = next(norms)(states + self._drop(seen))
        if self.context is not None:
            context = _joined(self.context, states, vectors)
            states = next(norms)(states + self._drop(context))
        inside = self.second(self._drop(functional.relu(self.first(states))))
        return next(norms)(states + self._drop(inside))

    def _drop(self, values: Tensor) -> Tensor:
        return functional.dropout(values, self.dropout, self.training)


class LstmDecoder(Decoder):
    """An LSTM whose cells begin at zero (Appendix A)."""

    def __init__(self, objective: Generative, latent: int) -> None:
        """Draw the parameters of a decoder of vectors of width `latent`."""
        super().__init__(objective, latent)
        inputs = self.width + (latent if self.word else 0)
        self.lstm = nn.LSTM(inputs, self.width, objective.layers, batch_first=True)
        hidden = "hidden" in objective.places
        self.start = nn.Linear(latent, objective.layers * self.width) if hidden else None
        self.context = nn.Linear(self.width + latent, self.width) if self.attention else None

    def forward(self, embedded: Tensor, vectors: Tensor) -> Tensor:
        """Return states, (sentences, steps, width)."""
        if self.word:
            repeated = vectors.unsqueeze(1).expand(-1, embedded.shape[1], -1)
            embedded = torch.cat([embedded, repeated.to(embedded)], 2)
        shape = self.lstm.num_layers, len(embedded), self.width
        cells = embedded.new_zeros(shape)
        hidden = cells
        if self.start is not None:
            hidden = self.start(vectors).unflatten(1, (shape[0], -1)).transpose(0, 1).contiguous()
        with torch.autocast(embedded.device.type, enabled=False):
            states = self.lstm(embedded.float(), (hidden.float(), cells.float()))[0]
        if self.context is not None:
            states = torch.tanh(_joined(self.context, states, vectors))
        return self.drop(states)


def decoder(objective: Generative, latent: int) -> Decoder:
    """Return the decoder that an objective asks for, of vectors of width `latent`."""
    kinds = {"transformer": TransformerDecoder, "lstm": LstmDecoder}
    return kinds[objective.decoder](objective, latent)


def _joined(layer: nn.Linear, states: Tensor, vectors: Tensor) -> Tensor:
    """Apply a linear map to each state with its sentence's vector behind it.

    The vector's part is computed once for a sentence, not for each of its states.
    """
    of_states, of_vectors = layer.weight.split([states.shape[2], vectors.shape[1]], 1)
    once = functional.linear(vectors, of_vectors, layer.bias)
    return functional.linear(states, of_states) + once.unsqueeze(1)
