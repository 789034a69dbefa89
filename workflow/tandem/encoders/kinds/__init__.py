"""The kinds of encoder: one module each."""
