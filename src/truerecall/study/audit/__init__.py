"""What the transcript of a run shows: reads outside the workspace, and whether the memory arrived."""
