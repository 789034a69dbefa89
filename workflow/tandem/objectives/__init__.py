"""Objectives: the losses that training minimises, with the negatives that they need."""
