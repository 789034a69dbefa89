"""How many bits the stored numbers of an embedding table have; in memory they are float32."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from tandem.errors import TandemError

if TYPE_CHECKING:
    from torch import Tensor

_STEPS = 127
"""Steps of int8 on either side of zero; -128 is not used, so that both sides are alike."""


class Precision(StrEnum):
    """Of the numbers in a stored table."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    INT8 = "int8"


def pack(table: Tensor, precision: Precision) -> dict[str, Tensor]:
    """Return what a table is stored as: `embedding`, and for int8 the `scale` of each row.

    Symmetric quantisation: s_i = max_j |x_ij| / 127 for row i, and x_ij becomes x_ij / s_i, rounded
    to the nearest integer (half to even). So |s_i q_ij - x_ij| <= s_i / 2 up to float32's rounding,
    and the zero vector stays as it is. Each row has a scale of its own, since rare tokens have far
    shorter vectors than frequent ones.

    Args:
        table: (vocabulary, dimension) float32.
        precision: of `embedding`; a `scale` is (vocabulary,) float32.

    Raises:
        TandemError: a number is too large for float16.
    """
    import torch  # slow, and whoever reads settings needs the names alone

    if precision is Precision.FLOAT32:
        return {"embedding": table}
    if precision is Precision.FLOAT16:
        half = table.to(torch.float16)
        if not (half.is_meta or half.isfinite().all()):
            raise TandemError("float16 cannot hold the numbers of this table: choose int8")
        return {"embedding": half}
    scale = table.abs().amax(1) / _STEPS
    # a row of zeros has the scale 0; the scale of the tiniest numbers is too coarse, hence clamp
    steps = table / torch.where(scale > 0, scale, 1).unsqueeze(1)
    return {"embedding": steps.round().clamp(-_STEPS, _STEPS).to(torch.int8), "scale": scale}


def unpack(tensors: dict[str, Tensor]) -> Tensor:
    """Take what `pack` made out of these tensors; return the table, a float32 copy."""
    import torch

    table = tensors.pop("embedding").to(torch.float32, copy=True)
    return table * tensors.pop("scale").unsqueeze(1) if "scale" in tensors else table
