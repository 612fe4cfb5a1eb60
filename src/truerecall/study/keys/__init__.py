"""Keys: checkable facts with the places where they were verified; drafted, checked, approved."""
