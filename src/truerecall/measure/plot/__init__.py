"""Plots as inline SVG: pure functions from records to a string, without a dependency.

They take their colours from CSS variables of the page (``--plot-1`` to ``--plot-6``, ``--plot-ink``,
``--plot-muted``, ``--plot-grid``) and
their text from ``currentColor``, so a dark page needs no second drawing.
"""
