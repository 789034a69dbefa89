"""The loops of training that are compiled for the CPU.

Each touches every float once, where a chain of array operations reads and writes it five to ten
times. Rows or dimensions are shared out among threads, never a sum, so the result does not depend
on their number. On CUDA array operations are used instead; tests hold both to the same numbers.
"""
