"""Grading: marks with quotes, twice for a fifth of them, and suspected claims held against the code."""
