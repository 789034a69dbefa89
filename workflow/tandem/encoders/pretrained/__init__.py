"""Encoders that others trained, read as models of Tandem: nothing of theirs is executed."""

from __future__ import annotations

from typing import Literal

from tandem.encoders.model import SentenceEncoder


def load_pretrained(
    model: str,
    pooling: Literal["mean", "first", "pooler"] | None = None,
    prefix: str = "",
    device: str = "cpu",
) -> SentenceEncoder:
    """Return a pretrained encoder: e5, or what transformers or sentence-transformers load.

    `pooling` and `prefix` are those of `folders.load_folder`; e5 has its own.

    Raises:
        TandemError: it cannot be had.
    """
    if model == "e5":
        from tandem.encoders.pretrained.e5 import load_e5

        return load_e5(device)
    from tandem.encoders.pretrained.folders import load_folder

    return load_folder(model, pooling, prefix, device)
