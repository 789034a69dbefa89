"""The mean of the token embeddings: SP, WORD and TRIGRAM of wieting2019, section 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.encoders.encoder import Encoder, Tokens

if TYPE_CHECKING:
    from torch import Tensor, nn


class Averaging(Encoder):
    """The mean of the token embeddings, without further parameters."""

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the sentence vectors, (sentences, dimension)."""
        import torch
        from torch.nn import functional

        table, ids, offsets, dropout = tokens
        lengths = (offsets[1:] - offsets[:-1]).clamp(min=1).to(table.dtype).unsqueeze(1)
        if dropout is None:
            sums = functional.embedding_bag(ids, table, offsets[:-1], mode="sum")
        elif table.device.type == "cpu" and table.dtype == torch.float32:
            from tandem.kernels import MaskedSums  # numba: only for training

            sums = MaskedSums.apply(table, ids, offsets, dropout.keep, dropout.places)
            sums = sums * dropout.scale
        else:
            dropped = functional.embedding(ids, table) * dropout.factors(table.shape[1])
            every = torch.arange(len(ids), device=ids.device)
            sums = functional.embedding_bag(every, dropped, offsets[:-1], mode="sum")
        return sums / lengths
