"""What can be learned from a session, sentence by sentence: rules for each kind of fact, named in ``table``."""
