"""Letters that a text holds and does not show: a model reads them, and who looks the text over does not."""

import re
from collections.abc import Iterator

from truerecall.memory.write.harms import Found

# Directions that turn the order of letters around; and tags, which copy ASCII unseen, but for those of a flag.
_TURNED = re.compile("[\u202d\u202e]")
_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007f]{1,8}|([\U000e0020-\U000e007f]+)")


def hidden(text: str) -> Iterator[Found]:
    """The harms of this kind that a text shows."""
    if text.isascii():
        return
    if _TURNED.search(text) or any(match.group(1) for match in _TAGS.finditer(text)):
        yield Found("hidden", False)
