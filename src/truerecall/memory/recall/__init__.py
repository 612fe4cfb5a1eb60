"""From a query to the entries that answer it: stages over candidates, in the order of ``pipeline.py``."""
