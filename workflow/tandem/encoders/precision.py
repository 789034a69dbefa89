"""How many bits the stored numbers of an embedding table have; in memory they are float32."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from tandem.errors import TandemError

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from tandem.files.saved import ShapeAndType

    Array = NDArray[Any]
    Floats = NDArray[np.float32]

_STEPS = 127
"""Steps of int8 on either side of zero; -128 is not used, so that both sides are alike."""


class Precision(StrEnum):
    """Type of the numbers in a stored table."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    INT8 = "int8"


def pack(table: Floats, precision: Precision) -> dict[str, Array]:
    """Return the arrays that store a table, (vocabulary, dimension) float32.

    They are `embedding`, and for int8 the `scale` of each row, (vocabulary,) float32.

    Symmetric quantisation: s_i = max_j |x_ij| / 127 for row i, and x_ij becomes x_ij / s_i, rounded
    to the nearest integer (half to even). So |s_i q_ij - x_ij| <= s_i / 2 up to float32's rounding,
    and the zero vector stays as it is. Each row has a scale of its own, since rare tokens have far
    shorter vectors than frequent ones.

    Raises:
        TandemError: a number is too large for float16.
    """
    import numpy as np  # slow to import, and not needed to read settings

    if precision is Precision.FLOAT32:
        return {"embedding": table}
    if precision is Precision.FLOAT16:
        with np.errstate(over="ignore"):
            half = table.astype(np.float16)
        if not np.isfinite(half).all():
            raise TandemError("float16 cannot hold the numbers of this table: choose int8")
        return {"embedding": half}
    scale = np.abs(table).max(axis=1) / np.float32(_STEPS)
    # a row of zeros has the scale 0; the scale of the tiniest numbers is too coarse, hence clip
    steps = table / np.where(scale > 0, scale, np.float32(1))[:, None]
    return {"embedding": steps.round().clip(-_STEPS, _STEPS).astype(np.int8), "scale": scale}


def packed_shapes(vocabulary: int, dimension: int, precision: Precision) -> dict[str, ShapeAndType]:
    """Return the shape and the type of each array that `pack` makes of a table of this size."""
    import numpy as np

    table = (vocabulary, dimension), np.dtype(precision.value)
    scale = (vocabulary,), np.dtype(np.float32)
    return {"embedding": table} | ({"scale": scale} if precision is Precision.INT8 else {})


def unpack(arrays: dict[str, Array]) -> Floats:
    """Take what `pack` made out of these arrays; return the table, a float32 copy."""
    table = arrays.pop("embedding").astype("float32")
    return table * arrays.pop("scale")[:, None] if "scale" in arrays else table
