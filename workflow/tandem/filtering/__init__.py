"""Filters of sentence pairs."""
