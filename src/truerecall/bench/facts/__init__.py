"""How right and how complete the facts are that are taken out of sessions, by the labels of two people."""
