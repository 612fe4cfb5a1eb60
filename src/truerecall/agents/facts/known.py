"""What a space knows already: a fact is stored once, however many sessions tell it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from truerecall.agents.facts.records import PREDICATES, Fact, FactKind
from truerecall.core.entry import Entry

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


@dataclass(slots=True)
class Known:
    """The facts that live in a space."""

    keys: set[tuple[FactKind, str]] = field(default_factory=set)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "Known":
        """Those among these entries; an ended one is not known any more."""
        found = ((kind_of(entry), normalised(entry.text)) for entry in entries)
        return cls({(kind, text) for kind, text in found if kind is not None})

    @classmethod
    def in_space(cls, memory: "Memory") -> "Known":
        """Those of the memory's space that its user sees."""
        from truerecall.memory.store.protocol import Filter

        return cls.of(memory.list(Filter(kind="fact", newest=_MOST)))

    def fresh(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """Those that are not known, each once; they are known from now on."""
        new = []
        for fact in facts:
            key = key_of(fact)
            if key not in self.keys:
                self.keys.add(key)
                new.append(fact)
        return tuple(new)


def kind_of(entry: Entry) -> FactKind | None:
    """Of which kind a fact's entry is; None of an entry that holds none of a session."""
    if entry.kind != "fact" or entry.source.channel != CHANNEL or entry.statement is None:
        return None
    return KINDS.get(entry.statement.predicate)
