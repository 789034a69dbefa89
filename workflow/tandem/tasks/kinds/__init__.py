"""The kinds of task: one module each."""
