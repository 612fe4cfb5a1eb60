"""What coding agents call at the events of a session. Imports what lexical recall needs, and nothing else."""
