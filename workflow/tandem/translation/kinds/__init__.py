"""The kinds of translator: one module each."""
