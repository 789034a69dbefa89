"""The gated recurrent averaging network: GRAN of wieting2017, section 4.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from pydantic import PositiveInt

from tandem.encoders.encoder import Encoder, Tokens

if TYPE_CHECKING:
    from torch import Tensor, nn


class Gran(Encoder):
    """The mean of token embeddings, each gated by what an LSTM has read so far.

    Wieting and Gimpel (2017), "Revisiting Recurrent Networks for Paraphrastic Sentence Embeddings",
    section "Gated Recurrent Averaging Networks": with the embedding x_t of token t, the state h_t
    of an LSTM that reads from left to right, and an element-wise product,

        a_t = x_t * sigmoid(W_x x_t + W_h h_t + b)

    and the vector of a sentence is the mean of its a_t. Their LSTM has peepholes; ours has none.
    """

    fixed_shapes: ClassVar[bool] = True

    hidden: PositiveInt = 300
    """Width of the LSTM's state; in the paper that of the embeddings."""

    def weights(self) -> nn.Module:
        """Return the LSTM and the gate's W_x, W_h and b, with PyTorch's initialisation."""
        from torch import nn

        lstm = nn.LSTM(self.dimension, self.hidden)
        return nn.ModuleDict(
            {"lstm": lstm, "gate": nn.Linear(self.dimension + self.hidden, self.dimension)}
        )

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the sentence vectors, (sentences, dimension)."""
        import torch

        from tandem.encoders.kinds.lstm import pack, row_states, sentence_means, states

        parts = cast("nn.ModuleDict", weights)
        if tokens.room is not None:
            from tandem.encoders.rows import Rows

            rows = Rows.of(tokens.offsets, tokens.room.longest)
            embedded = rows.embedded(tokens)
            hidden = row_states(cast("nn.LSTM", parts["lstm"]), embedded, rows.inside)
            gates = parts["gate"](torch.cat([embedded, hidden], 2)).sigmoid()
            return rows.means(embedded * gates)
        packed = pack(tokens)
        if packed is None:
            return tokens.table.new_zeros(len(tokens.offsets) - 1, self.width)
        hidden = states(cast("nn.LSTM", parts["lstm"]), packed.inputs, packed.sizes)
        gates = parts["gate"](torch.cat([packed.inputs, hidden], 1)).sigmoid()
        return sentence_means(packed.inputs * gates, packed.rows, tokens.offsets)
