"""Blocks for systems that do not pack themselves: made by the shipped packer, like those of the memory."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256

from truerecall.bench.systems.protocol import Answer, Block, Item
from truerecall.core.entry import Entry, EventTime, Scope, Source, Trust
from truerecall.core.ids import id_text
from truerecall.memory.recall.pack import Packed, pack
from truerecall.models.protocols import TokenCounter

SCOPE = Scope(tenant="bench", space="conversation", user="bench")
"""The one scope of every measured store: it says nothing of the data set or its gold."""

_LONGEST_LINE = 2_000
_LONGEST_TOKEN = 128  # characters: no vocabulary in use has a longer one


class Packer:
    """Packs the items of one conversation."""

    def __init__(self, items: Mapping[str, Item], counter: TokenCounter) -> None:
        """Take the item behind each handle, and the counter of all blocks."""
        self._counter = _Remembering(counter)
        # A full dump gives one and the same large block for every question and budget.
        self._counted = lru_cache(maxsize=8)(counter.count)
        self._items = items
        self._entries: dict[str, Entry] = {}
        self._handles: dict[str, str] = {}

    def block(self, handles: Sequence[str], budget: int) -> tuple[Block, int]:
        """The best of ``handles`` (best first) that fit ``budget`` tokens, and the tokens that they take."""
        packed = pack([self._entry(handle) for handle in handles], budget, self._counter)
        kept = tuple(self._handles[entry_id] for entry_id in uncut(packed))
        return Block(packed.text, kept), packed.tokens

    def given(self, answer: Answer, budget: int, *, whole: bool) -> tuple[Block, int]:
        """The block of an answer and its tokens: the system's own, or one that is packed here.

        A block of its own is cut at the budget unless it is ``whole``, as the full dump's must be.
        """
        own = answer.blocks.get(budget)
        if own is None:
            return self.block(answer.handles, budget)
        text = own.text
        if self._counted(text) > budget and not whole:
            text = within(text, budget, self._counter)
        return Block(text, own.handles), self._counted(text)

    def _entry(self, handle: str) -> Entry:
        """The item as an entry; made when it is first looked at, for most never are."""
        entry = self._entries.get(handle)
        if entry is None:
            entry = self._entries[handle] = _entry(handle, self._items[handle])
            self._handles[entry.id] = handle
        return entry


def within(text: str, budget: int, counter: TokenCounter) -> str:
    """As much of the beginning of a text as fits into a budget of tokens."""
    low, high = 0, min(len(text), budget * _LONGEST_TOKEN)
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(text[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def uncut(packed: Packed) -> tuple[str, ...]:
    """Ids of the entries that stand whole in a block: a part of one does not carry its evidence."""
    return tuple(entry_id for entry_id in packed.ids if entry_id != packed.cut)


class _Remembering:
    """Counts each line once: the packer meets the same ones for every question and budget."""

    def __init__(self, counter: TokenCounter) -> None:
        self.name = counter.name
        self._counter = counter
        self._counts: dict[str, int] = {}

    def count(self, text: str) -> int:
        """As the counter behind it."""
        if len(text) > _LONGEST_LINE:
            return self._counter.count(text)
        known = self._counts.get(text)
        if known is None:
            known = self._counts[text] = self._counter.count(text)
        return known


def _entry(handle: str, item: Item) -> Entry:
    # Ids stand in the block: one length for all systems, so that none pays for the length of its handles.
    return Entry(
        id=id_text(sha256(handle.encode("utf-8", "surrogatepass")).digest()[:16]),
        scope=SCOPE,
        visibility="shared",
        text=item.text,
        kind="turn" if item.speaker else "document",
        decay_class="episodic",
        trust=Trust.LEARNED,
        source=Source(speaker=item.speaker or None, session=item.session, position=item.position),
        source_ids=(),
        happened_at=EventTime(item.at),
        recorded_at=item.at,
        replayed=True,
        valid_from=None,
        valid_to=None,
        ended_at=None,
        proof_count=None,
        confidence=None,
        pinned=False,
        masked=0,
    )
