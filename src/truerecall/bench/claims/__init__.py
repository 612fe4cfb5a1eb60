"""Mechanical claims: each says that one mechanism works, and none is a figure of accuracy. ``table.py`` names them."""
