"""Does memory pay for a coding agent? An experiment on one's own repositories and recorded sessions, and its sample."""
