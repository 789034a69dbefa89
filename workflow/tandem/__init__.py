"""Tandem: paraphrastic sentence embeddings from parallel text."""

__version__ = "0.1.0"
