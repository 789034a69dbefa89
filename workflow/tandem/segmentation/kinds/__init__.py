"""The kinds of segmentation: one module each."""
