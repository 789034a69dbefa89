"""The kinds of filter: one module each."""
