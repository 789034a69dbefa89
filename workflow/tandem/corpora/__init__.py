"""Corpora: the register, downloads, readers, cleaning, splits, bitext and STS folders."""
