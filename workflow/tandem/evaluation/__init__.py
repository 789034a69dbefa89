"""Scores of trained encoders, and the statistics that say how sure they are."""
