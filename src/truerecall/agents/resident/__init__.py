"""An opt-in process that keeps the model and the store's vectors ready for the hook, and ends by itself."""
