"""Encoders for use outside Tandem, each with its card."""
