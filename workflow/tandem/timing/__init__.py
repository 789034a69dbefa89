"""How fast encoders are."""
