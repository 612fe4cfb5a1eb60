"""Where entries are kept. All SQL of the memory lives here."""
