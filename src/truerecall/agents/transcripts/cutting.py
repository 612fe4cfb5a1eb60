"""How much of a tool's output is kept: its beginning and its end, where errors stand."""

HEAD, TAIL = 1500, 1000
"""Characters; what lies between is replaced by a note of how much it was."""


def cut(output: str) -> str:
    """The output, or its two ends where it is longer than both."""
    left = len(output) - HEAD - TAIL
    return output if left <= 0 else f"{output[:HEAD]}\n[… {left} characters cut …]\n{output[-TAIL:]}"
