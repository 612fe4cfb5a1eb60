"""An injected block without what is wrapped around its entries, so that nothing says whose memory it was."""

import re
from collections.abc import Iterator

from truerecall.core.entry import Trust
from truerecall.memory.write.border import RECALL_CLOSE, RECALL_OPEN

_TAG = re.compile(r"\s*</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>\s*")
_TRUSTS = "|".join(trust.label for trust in Trust)
_PREFIX = re.compile(rf"\[[\w-]{{1,40}} (?:{_TRUSTS})\] ")


def unwrapped(block: str, marker: str = "") -> str:
    """What a block says, entry by entry.

    Of a block of our own the lines that open and close it, its headings (what it is, when, which tool, who) and the id
    and trust before each entry are left out. Of another memory's block, lines that are nothing but a tag are, and
    ``marker`` wherever it stands; what else it says of itself stays, for nobody knows its form.

    Args:
        block: As it was injected.
        marker: What the side puts into everything that it injects.
    """
    kept = list(_entries(block))
    if marker:
        kept = [line.replace(marker, "") for line in kept]
    return "\n".join(line for line in kept if any(map(str.isalnum, line))).strip()


def _entries(block: str) -> Iterator[str]:
    ours = False
    for line in block.split("\n"):
        if line.strip() in (RECALL_OPEN, RECALL_CLOSE):
            ours = line.strip() == RECALL_OPEN
        elif not ours and not _TAG.fullmatch(line):
            yield line
        elif ours and not line.startswith("# "):  # a line of an entry never begins so: it is indented
            yield _PREFIX.sub("- ", line, count=1) if line.startswith("[") else line
