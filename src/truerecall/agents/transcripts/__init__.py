"""What coding agents keep of their sessions, read into turns: one reader a tool, named in ``table``."""
