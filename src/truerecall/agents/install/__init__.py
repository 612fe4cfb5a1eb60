"""Installing into coding agents, and out of them again: their own files, edited so that nothing else moves."""
