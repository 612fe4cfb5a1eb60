"""The sides: what each puts into the home and the workspace of a run; one file a kind."""
