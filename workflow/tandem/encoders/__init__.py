"""Sentence encoders: composition of token embeddings, storage, text in and vectors out."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import PyTorch only when an encoder is loaded, not when its settings are read."""
    if name not in ("SentenceEncoder", "load"):
        raise AttributeError(name)
    from tandem.encoders import model

    return getattr(model, name)
