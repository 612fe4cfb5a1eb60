"""The suite: injected text, contradictions and secrets, over many templates; counts with their intervals."""
