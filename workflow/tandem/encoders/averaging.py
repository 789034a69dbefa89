"""The mean of the token embeddings: SP, WORD and TRIGRAM of wieting2019, section 2."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from tandem.encoders.encoder import Encoder, Tokens

if TYPE_CHECKING:
    from torch import Tensor, nn

    from tandem.encoders.encoder import Compose, Floats


class Averaging(Encoder):
    """The mean of the token embeddings, without further parameters."""

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the sentence vectors, (sentences, dimension)."""
        import torch
        from torch.nn import functional

        table, ids, offsets, dropout = tokens
        lengths = (offsets[1:] - offsets[:-1]).clamp(min=1).to(table.dtype).unsqueeze(1)
        compiled = table.device.type == "cpu" and table.dtype == torch.float32
        if dropout is None and not (compiled and table.requires_grad):
            sums = functional.embedding_bag(ids, table, offsets[:-1], mode="sum")
        elif dropout is None:
            from tandem.kernels import Sums  # numba: only for training

            sums = Sums.apply(table, ids, offsets)
        elif compiled:
            from tandem.kernels import MaskedSums

            sums = MaskedSums.apply(table, ids, offsets, dropout.keep, dropout.places)
            sums = sums * dropout.scale
        else:
            dropped = functional.embedding(ids, table) * dropout.factors(table.shape[1])
            every = torch.arange(len(ids), device=ids.device)
            sums = functional.embedding_bag(every, dropped, offsets[:-1], mode="sum")
        return sums / lengths

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return that there are none."""
        return {}

    def composer(self, table: Floats, weights: Mapping[str, Floats], device: str) -> Compose:
        """Return what composes sentences on a device; a CPU needs no PyTorch for it."""
        if device != "cpu":
            return super().composer(table, weights, device)
        from tandem.encoders.means import mean_rows

        return partial(mean_rows, table)
