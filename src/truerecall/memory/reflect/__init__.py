"""Reasoning over what is remembered, offline and by a chat model; off unless it is switched on."""
