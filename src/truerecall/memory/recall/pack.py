"""The block that goes before a model: what was recalled, within a budget of tokens, as data and not as orders.

Grouped by session, dated, oldest first; each line names its entry's short id and trust, so that it can be cited.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from truerecall.core.entry import Entry, Trust
from truerecall.memory.write.border import RECALL_CLOSE, RECALL_OPEN
from truerecall.models.protocols import TokenCounter

_CUT = " [… cut]"
_UNDATED = datetime.min.replace(tzinfo=UTC)  # before all that is dated
_CHARACTERS = (
    24  # no ordinary text has more to a token: a longer one need not be counted to see that it does not fit
)
_LEAST = 6  # tokens of the shortest line: its brackets, id and trust


@dataclass(frozen=True, slots=True)
class Packed:
    """A block and what is in it."""

    text: str
    """Empty where nothing fits."""
    tokens: int
    """By the counter that it was packed with; at most the budget."""
    ids: tuple[str, ...]
    """Entries in it, in the order of the block."""
    left_out: tuple[str, ...]
    """Entries that did not fit."""


def short_id(entry_id: str) -> str:
    """The last eight digits of an id: enough to cite it by within a block."""
    return entry_id[-8:]


def pack(ranked: Sequence[Entry], budget: int, counter: TokenCounter) -> Packed:
    """Take entries in their order as long as they fit; one that does not is left out, and smaller ones may follow.

    If not even the first fits, it is cut, visibly: an answer in part beats none.
    """
    spent = counter.count(RECALL_OPEN) + counter.count(RECALL_CLOSE) + 2
    groups: set[tuple[str, str]] = set()
    taken: list[tuple[Entry, str]] = []
    left: list[str] = []
    for place, entry in enumerate(ranked):
        if spent + _LEAST > budget:
            left.extend(rest.id for rest in ranked[place:])
            break
        if len(entry.text) > budget * _CHARACTERS:
            left.append(entry.id)
            continue
        line = _line(entry, entry.text)
        cost = counter.count(line) + 1
        if _group(entry) not in groups:
            cost += counter.count(_heading(entry)) + 1
        if spent + cost > budget:
            left.append(entry.id)
            continue
        spent += cost
        groups.add(_group(entry))
        taken.append((entry, line))
    if not taken and ranked:
        line = _cut(ranked[0], budget - spent - counter.count(_heading(ranked[0])) - 2, counter)
        if line:
            taken.append((ranked[0], line))
            left.remove(ranked[0].id)
    block = _block(taken, left, counter)
    while (
        block.tokens > budget
    ):  # lines may count for more together than apart, where a counter is a mere bound
        left.append(taken.pop()[0].id)
        block = _block(taken, left, counter)
    return block


def _block(taken: Sequence[tuple[Entry, str]], left: Sequence[str], counter: TokenCounter) -> Packed:
    if not taken:
        return Packed("", 0, (), tuple(left))
    ordered = sorted(taken, key=lambda item: (_began(item[0]), _group(item[0]), _place(item[0]), item[0].id))
    starts: dict[tuple[str, str], datetime] = {}
    for entry, _ in ordered:
        starts.setdefault(_group(entry), _began(entry))
    # Stable: keeps the order inside a group.
    ordered.sort(key=lambda item: (starts[_group(item[0])], _group(item[0])))
    lines, open_group = [RECALL_OPEN], None
    for entry, line in ordered:
        if _group(entry) != open_group:
            open_group = _group(entry)
            lines.append(_heading(entry))
        lines.append(line)
    text = "\n".join([*lines, RECALL_CLOSE])
    return Packed(text, counter.count(text), tuple(entry.id for entry, _ in ordered), tuple(left))


def _line(entry: Entry, text: str) -> str:
    speaker = f"{entry.source.speaker}: " if entry.source.speaker else ""
    # A text cannot begin a line of the block, nor close it: neither an id nor a trust can be forged from within.
    body = f"{speaker}{text}".replace(RECALL_OPEN, "[…]").replace(RECALL_CLOSE, "[…]")
    quote = "> " if entry.trust is Trust.EXTERNAL else ""
    body = "\n".join(
        f"{'  ' if number else ''}{quote}{part}" for number, part in enumerate(body.splitlines() or [""])
    )
    return f"[{short_id(entry.id)} {entry.trust.label}] {body}"


def _cut(entry: Entry, room: int, counter: TokenCounter) -> str:
    """The line with as much of the text as fits; empty where not even a word does."""
    low, high = 0, min(len(entry.text), max(0, room) * _CHARACTERS)
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(_line(entry, entry.text[:middle] + _CUT)) <= room:
            low = middle
        else:
            high = middle - 1
    return _line(entry, entry.text[:low] + _CUT) if low else ""


def _group(entry: Entry) -> tuple[str, str]:
    return entry.source.session or "", "" if entry.happened_at is None else str(entry.happened_at)[:10]


def _began(entry: Entry) -> datetime:
    return _UNDATED if entry.happened_at is None else entry.happened_at.instant


def _place(entry: Entry) -> int:
    return -1 if entry.source.position is None else entry.source.position


def _heading(entry: Entry) -> str:
    happened = entry.happened_at
    if happened is None:
        return "# undated"
    return f"# {happened.instant:%Y-%m-%d %H:%M}" if happened.precision == "instant" else f"# {happened}"
