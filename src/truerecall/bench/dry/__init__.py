"""The whole protocol on the fixtures, with scripted models: proof that the wiring works, and nothing else."""
