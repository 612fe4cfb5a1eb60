"""The command line: one module a command group; each parses, calls and prints."""
