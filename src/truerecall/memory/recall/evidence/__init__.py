"""What speaks for a candidate, beyond the lanes: one file a kind of evidence; ``table.py`` names them all."""
