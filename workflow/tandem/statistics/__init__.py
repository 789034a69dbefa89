"""Correlations, intervals and tests."""
