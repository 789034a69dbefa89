"""Sentence encoders: composition of token embeddings, storage, text in and vectors out."""
