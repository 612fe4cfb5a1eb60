"""How often the block that a prompt gets carries what was asked for: measured on real sessions among made ones."""
