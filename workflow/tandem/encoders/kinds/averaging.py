"""The mean of the token embeddings: SP, WORD and TRIGRAM of wieting2019, section 2."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tandem.encoders.encoder import Encoder, Tokens
from tandem.encoders.sums import means, sums

if TYPE_CHECKING:
    from torch import Tensor, nn

    from tandem.encoders.encoder import Compose, Floats


class Averaging(Encoder):
    """The mean of the token embeddings, without further parameters."""

    exportable: ClassVar[bool] = True
    rotatable: ClassVar[bool] = True
    fixed_shapes: ClassVar[bool] = True

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the sentence vectors, (sentences, dimension)."""
        if tokens.room is not None:
            return means(tokens)
        lengths = (tokens.offsets[1:] - tokens.offsets[:-1]).clamp(min=1)
        return sums(tokens) / lengths.to(tokens.table.dtype).unsqueeze(1)

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return no shapes: it has no further parameters."""
        return {}

    def composer(self, table: Floats, weights: Mapping[str, Floats], device: str) -> Compose:
        """Return the function that composes sentences on a device; it uses no PyTorch on a CPU."""
        if device != "cpu":
            return super().composer(table, weights, device)
        from tandem.encoders.means import mean_rows

        return partial(mean_rows, table)
