"""Learning sentence vectors by writing sentences: decoders that read vectors, and their training."""
