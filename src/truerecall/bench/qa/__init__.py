"""Accuracy: an answering model, at least two judges, and every stage's result kept."""
