"""Kinds of tests that claims may name."""
