"""Blinding: taking out of an answer where it came from, and checking that nothing else changed."""
