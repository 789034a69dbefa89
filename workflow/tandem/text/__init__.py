"""Pairs of texts, and what counts as a token, a word, the same text, a language."""
