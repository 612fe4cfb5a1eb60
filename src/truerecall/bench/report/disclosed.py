"""What a report may say: no control characters, no address, and nothing that looks like a secret."""

import re

from truerecall.bench.report.figures import plain
from truerecall.memory.write.mask import mask

_ADDRESS = re.compile(r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s'\",;|<>]*")
_NO_ADDRESS = "[address left out]"


def disclosed(text: str) -> str:
    """One printable line of a manifest's text, its addresses and secrets replaced.

    What writes a manifest leaves both out of it. This stands behind it: a manifest may come from elsewhere, and a
    server's message may hold anything.
    """
    return mask(_ADDRESS.sub(_NO_ADDRESS, plain(text))).text
