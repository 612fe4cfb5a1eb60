"""Systems under measurement: one adapter a file, all behind the protocol of ``protocol.py``."""
