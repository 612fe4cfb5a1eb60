"""How much of a tool's output is kept: its beginning and its end, where errors stand."""

from truerecall.agents.private import without_private
from truerecall.memory.write.border import strip_recalled
from truerecall.memory.write.mask import mask

HEAD, TAIL = 1500, 1000
"""Characters; what lies between is replaced by a note of how much it was."""
_MOST_MASKED = 200_000
"""Characters: far more than the longest secret and what is left of either end."""


def cut(output: str) -> str:
    """The output, or its two ends where it is longer than both."""
    left = len(output) - HEAD - TAIL
    return output if left <= 0 else f"{output[:HEAD]}\n[… {left} characters cut …]\n{output[-TAIL:]}"


def cut_clean(output: str) -> str:
    """As ``cut``; what is cut is first rid of what is private or recalled, and its secrets are masked.

    Half of a block or of a secret is no longer recognised: a closing tag alone hides nothing.
    """
    if len(output) <= HEAD + TAIL:
        return output
    whole = strip_recalled(without_private(output))
    if len(whole) <= _MOST_MASKED:
        return cut(mask(whole).text)
    half = _MOST_MASKED // 2
    first, last = mask(whole[:half]).text[:HEAD], mask(whole[-half:]).text[-TAIL:]
    return f"{first}\n[… {len(whole) - HEAD - TAIL} characters cut …]\n{last}"
