"""Proposes the questions of a study out of a memory: what was asked again, and what never was before."""
