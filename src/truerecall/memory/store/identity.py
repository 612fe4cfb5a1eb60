"""How a file is known to be a store of ours, and of which schema."""

APPLICATION_ID = 0x7472636C  # "trcl", in the header of every store

SCHEMA = 5
"""The newest schema: how many migrations there are. Here, so that a reader need not load them."""
