"""Dates in texts: what "last Friday" or "in March 2023" means to somebody who says it at some instant."""
