"""One file a lane. A lane ranks the view's rows by one kind of evidence; ``table.py`` names them all."""
