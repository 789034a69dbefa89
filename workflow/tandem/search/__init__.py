"""Nearest neighbours between two sets of sentence embeddings, and mining pairs from them."""
