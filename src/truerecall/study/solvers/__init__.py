"""The agents that are studied: one file a solver, named in ``table``."""
