"""The gate: whether finished runs are worse than a baseline by more than stated margins."""
