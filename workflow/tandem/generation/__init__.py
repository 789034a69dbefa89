"""Learning sentence vectors by writing sentences: decoders, their losses and their training."""
