"""Training: its course, and what learns to encode by contrast."""
