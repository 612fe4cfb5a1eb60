"""What a space knows already: a fact is stored once, however many sessions tell it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from truerecall.agents.facts.records import PREDICATES, Fact, FactKind
from truerecall.core.entry import Entry, Trust
from truerecall.errors import NotFound

if TYPE_CHECKING:  # numpy loads with it
    from truerecall.memory.memory import Memory

CHANNEL = "fact"
"""The channel of an entry that holds a fact of a session."""

KINDS: dict[str, FactKind] = {predicate: kind for kind, predicate in PREDICATES.items()}
"""The way back."""

_WORD = re.compile(r"\w+")
_MOST = 100_000  # facts of a space that are looked at


def key_of(fact: Fact) -> tuple[FactKind, str]:
    """What makes two facts the same: their kind and the words of their text."""
    return fact.kind, normalised(fact.text)


def normalised(text: str) -> str:
    """The words of a text in lower case; of one without words the text itself."""
    return " ".join(_WORD.findall(text.lower())) or text.strip()


def _never(entry_id: str) -> bool:
    return not entry_id  # which none is


@dataclass(slots=True)
class Known:
    """The facts that live in a space; one that came from outside keeps out no other than one from outside."""

    keys: set[tuple[FactKind, str]] = field(default_factory=set)
    external: set[tuple[FactKind, str]] = field(default_factory=set)
    from_outside: Callable[[str], bool] = _never
    """Whether the entry of an id is what a tool put out."""

    @classmethod
    def of(cls, entries: Iterable[Entry], from_outside: Callable[[str], bool] = _never) -> "Known":
        """Those among these entries; an ended one is not known any more."""
        known = cls(from_outside=from_outside)
        for entry in entries:
            if (kind := kind_of(entry)) is not None:
                keys = known.external if entry.trust <= Trust.EXTERNAL else known.keys
                keys.add((kind, normalised(entry.text)))
        return known

    @classmethod
    def in_space(cls, memory: "Memory") -> "Known":
        """Those of the memory's space that its user sees."""
        from truerecall.memory.store.protocol import Filter

        def from_outside(entry_id: str) -> bool:
            try:
                entry = memory.get(entry_id)
            except NotFound:
                return False
            # What somebody said is theirs, though a passage of it be lowered.
            return entry.trust <= Trust.EXTERNAL and entry.source.channel == "tool"

        return cls.of(memory.list(Filter(kind="fact", newest=_MOST)), from_outside)

    def fresh(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """Those that are not known, each once; they are known from now on."""
        new = []
        for fact in facts:
            key = key_of(fact)
            if key in self.keys:
                continue
            if any(self.from_outside(source) for source in fact.sources):
                if key in self.external:
                    continue
                self.external.add(key)
            else:
                self.keys.add(key)
            new.append(fact)
        return tuple(new)


def kind_of(entry: Entry) -> FactKind | None:
    """Of which kind a fact's entry is; None of an entry that holds none of a session."""
    if entry.kind != "fact" or entry.source.channel != CHANNEL or entry.statement is None:
        return None
    return KINDS.get(entry.statement.predicate)
