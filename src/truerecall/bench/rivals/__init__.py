"""Other memory systems: one adapter script each, run in a virtual environment of its own, and the table of them.

The adapters and ``line.py`` import nothing of this package: where they run it is not installed.
"""
