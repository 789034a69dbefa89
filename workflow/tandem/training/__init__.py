"""Training of sentence encoders on parallel text."""
