"""Readers of public data sets: one file a data set, into the records of ``records.py``."""
