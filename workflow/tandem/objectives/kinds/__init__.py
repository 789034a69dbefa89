"""The kinds of objective: one module each."""
