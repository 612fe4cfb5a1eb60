"""The head-to-head: ours, the controls and other systems over the same questions, in one record."""
