"""What is left out of a text before it is kept or shown: addresses, secrets by their shape, keys of the environment."""

import re
from collections.abc import Mapping

from truerecall.memory.write.mask import mask
from truerecall.models.unsaid import Unsaid

NO_ADDRESS = "[address left out]"
_NO_LINE = "(left out: it holds a piece of a key)"
_ADDRESS = re.compile(r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s'\",;|<>]*")
_KEY_NAME = re.compile(r"(?i)(?:key|token|secret|password|passwd|credentials?)$")
_LEAST = 8  # characters of a value: a shorter one is no key, and stands in any text


def without_addresses(text: str, instead: str = NO_ADDRESS) -> str:
    """A text without its URLs, and so without what may stand in one: a host, a user, a password, a query."""
    return _ADDRESS.sub(instead, text)


def disclosed(text: str) -> str:
    """A text without addresses, and without secrets of a known shape."""
    return mask(without_addresses(text)).text


def keys_of(environment: Mapping[str, str]) -> Unsaid:
    """What the variables hold whose names say that they hold a key."""
    return Unsaid(
        value for name, value in environment.items() if _KEY_NAME.search(name) and len(value) >= _LEAST
    )


def overheard(line: str, unsaid: Unsaid) -> str:
    """A line that another process said; a remark in its place where it holds a piece of a key."""
    return _NO_LINE if unsaid.held_by(line) else disclosed(line)
