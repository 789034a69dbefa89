"""Sentence encoders: composition of token embeddings, storage, text in and vectors out."""

from tandem.encoders.model import SentenceEncoder, load

__all__ = ["SentenceEncoder", "load"]
