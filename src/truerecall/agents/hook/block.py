"""What is put before a model: a block of entries that says what it is, within what the tool takes inline."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerecall.agents.hook.counting import BytesCounter
from truerecall.core.entry import Entry
from truerecall.core.records import dataclass, replace
from truerecall.memory.recall.pack import pack, when
from truerecall.memory.write.border import RECALL_CLOSE, RECALL_OPEN

if TYPE_CHECKING:
    from truerecall.agents.records import ToolName

INLINE = 9_500
"""A longer text Claude Code and Cursor put into a file (from 10,000 UTF-16 units), and Codex cuts (about 10,000 bytes):
docs of each tool, measured with the real command lines. OpenCode has no limit."""
_CHARACTERS = 3
"""To a token, at most: each has a byte."""
_LONGEST_NAME = 60  # characters of a tool's or a user's name in a heading


@dataclass(frozen=True, slots=True)
class Block:
    """A text to inject and what is in it."""

    text: str
    entries: int
    tokens: int
    """By ``counting``."""
    ids: tuple[str, ...] = ()
    """Of the entries."""


def block(ranked: Sequence[Entry], what: str, budget: int, tool: "ToolName") -> Block | None:
    """The entries that fit, in one block that begins by saying ``what`` it is; None where none fits.

    The marks of a recalled block enclose all of it, and the saying is a heading: so capture knows the block again and
    leaves it out, also where it was cut off.
    """
    tokens, about = BytesCounter(), f"# {what}"
    budget = min(budget, 3 * INLINE)  # tokens have a byte at least, and units of UTF-16 three bytes at most
    ranked = _within(ranked, budget * _CHARACTERS)
    while budget > 0:
        packed = pack(ranked, max(0, budget - tokens.count(about) - 1), tokens, heading)
        if not packed.ids:
            return None
        text = packed.text.replace(RECALL_OPEN, f"{RECALL_OPEN}\n{about}", 1)
        size = size_inline(text, tool)
        if size <= INLINE:
            return Block(text, len(packed.ids), tokens.count(text), packed.ids)
        budget = min(budget - 1, budget * INLINE // size)
    return None


def _within(ranked: Sequence[Entry], characters: int) -> list[Entry]:
    """The first of the entries, until they have so many characters: to count the tokens of the others takes long."""
    taken: list[Entry] = []
    size = 0
    for entry in ranked:
        if size > characters:
            break
        # What is longer than all that goes inline cannot fit whole.
        taken.append(entry if len(entry.text) <= INLINE else replace(entry, text=entry.text[:INLINE]))
        size += len(taken[-1].text)
    return taken


def size_inline(text: str, tool: "ToolName") -> int:
    """The length of a text as its tool measures it: Codex in bytes, the others in units of UTF-16."""
    if tool == "codex":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def heading(entry: Entry) -> str:
    """When, in which tool and by whom: ``# 2026-11-28 10:02 codex, ada``."""
    parts = [_plain(part) for part in (entry.source.tool, entry.scope.user) if part]
    return f"{when(entry)} {', '.join(parts)}"


def _plain(name: str) -> str:
    """A name that cannot end the line, nor open or close a block."""
    return " ".join(name.replace(RECALL_OPEN, "[…]").replace(RECALL_CLOSE, "[…]").split())[:_LONGEST_NAME]
