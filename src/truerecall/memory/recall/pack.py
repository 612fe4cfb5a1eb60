"""The block that goes before a model: what was recalled, within a budget of tokens, as data and not as orders.

Grouped by session, dated, oldest first; each line names its entry's short id and trust, so that it can be cited.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from truerecall.core.entry import Entry, Trust
from truerecall.core.records import dataclass
from truerecall.memory.write.border import RECALL_CLOSE, RECALL_OPEN

if TYPE_CHECKING:  # hooks load no models
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
    cut: str | None = None
    """The entry that is in it only in part."""


def short_id(entry_id: str) -> str:
    """The last eight digits of an id: enough to cite it by within a block."""
    return entry_id[-8:]


def pack(
    ranked: Sequence[Entry],
    budget: int,
    counter: "TokenCounter",
    heading: Callable[[Entry], str] | None = None,
) -> Packed:
    """Take entries in their order as long as they fit; one that does not is left out, and smaller ones may follow.

    If not even the first fits, it is cut, visibly: an answer in part beats none. ``heading`` makes the line above the
    entries of a session and day from one of them, without a line feed; by default it says when.
    """
    said = heading or when
    room = budget - counter.count(RECALL_OPEN) - counter.count(RECALL_CLOSE) - 2
    taken = _fitting(ranked, room, counter, said)
    cut = None
    if not taken and ranked:
        first = ranked[0]
        line = _cut(first, room - counter.count(said(first)) - 2, counter)
        taken, cut = ([(first, line)], first.id) if line else ([], None)
    text = _text(taken, said)
    while counter.count(text) > budget:  # a bound may count more for lines together than for each
        taken.pop()
        text = _text(taken, said)
    ids = [entry.id for entry, _ in _arranged(taken)]
    left = tuple(entry.id for entry in ranked if entry.id not in ids)
    return Packed(text, counter.count(text), tuple(ids), left, cut if ids else None)


def _fitting(
    ranked: Sequence[Entry], room: int, counter: "TokenCounter", heading: Callable[[Entry], str]
) -> list[tuple[Entry, str]]:
    taken: list[tuple[Entry, str]] = []
    groups: set[tuple[str, str]] = set()
    for entry in ranked:
        if room < _LEAST:
            break
        if len(entry.text) > room * _CHARACTERS:
            continue
        line = _line(entry, entry.text)
        cost = counter.count(line) + 1
        if _group(entry) not in groups:
            cost += counter.count(heading(entry)) + 1
        if cost <= room:
            room -= cost
            groups.add(_group(entry))
            taken.append((entry, line))
    return taken


def _text(taken: Sequence[tuple[Entry, str]], heading: Callable[[Entry], str]) -> str:
    """The block of these lines; empty for none."""
    if not taken:
        return ""
    lines, open_group = [RECALL_OPEN], None
    for entry, line in _arranged(taken):
        if _group(entry) != open_group:
            open_group = _group(entry)
            lines.append(heading(entry))
        lines.append(line)
    return "\n".join([*lines, RECALL_CLOSE])


def _arranged(taken: Sequence[tuple[Entry, str]]) -> list[tuple[Entry, str]]:
    """By group, the group that began first before the others, and oldest first inside."""
    starts: dict[tuple[str, str], datetime] = {}
    for entry, _ in taken:
        starts[_group(entry)] = min(_began(entry), starts.get(_group(entry), _began(entry)))

    def place(item: tuple[Entry, str]) -> tuple[object, ...]:
        entry, group = item[0], _group(item[0])
        return starts[group], group, _began(entry), _place(entry), entry.id

    return sorted(taken, key=place)


def _line(entry: Entry, text: str) -> str:
    speaker = f"{entry.source.speaker}: " if entry.source.speaker else ""
    # A text cannot begin a line of the block, nor close it: neither an id nor a trust can be forged from within.
    body = f"{speaker}{text}".replace(RECALL_OPEN, "[…]").replace(RECALL_CLOSE, "[…]")
    quote = "> " if entry.trust is Trust.EXTERNAL else ""
    body = "\n".join(
        f"{'  ' if number else ''}{quote}{part}" for number, part in enumerate(body.splitlines() or [""])
    )
    return f"[{short_id(entry.id)} {entry.trust.label}] {body}"


def _cut(entry: Entry, room: int, counter: "TokenCounter") -> str:
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


def when(entry: Entry) -> str:
    """The line above the entries of a session and day: when the first of them happened."""
    happened = entry.happened_at
    if happened is None:
        return "# undated"
    return f"# {happened.instant:%Y-%m-%d %H:%M}" if happened.precision == "instant" else f"# {happened}"
