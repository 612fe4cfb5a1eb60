"""The write side: the border, masking and what is derived from an entry."""
