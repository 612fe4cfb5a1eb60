"""The memory: what is stored, how it is written and how it is recalled."""
