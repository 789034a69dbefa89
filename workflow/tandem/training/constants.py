"""Constants of Adam, where both the optimiser and its compiled loops find them."""

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
"""Kingma and Ba's (2014) defaults."""
