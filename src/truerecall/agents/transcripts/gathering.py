"""What a reading gathers while it goes through the lines."""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from truerecall.agents.records import Action, Role, Turn, Usage, Where
from truerecall.agents.transcripts.lines import ROOM, Batch
from truerecall.agents.transcripts.reading import Cursor, Reading

_MOST_FAULTS = 100  # of a file that is no transcript at all, the first ones say so
_MOST_TYPES = 100  # types that a broken writer makes up must not fill the memory


@dataclass(slots=True)
class Gathering:
    """Turns, usages and what was passed over, so far."""

    turns: list[Turn] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    version: str | None = None

    def say(
        self,
        role: Role,
        text: str,
        uid: str,
        position: int,
        at: datetime | None,
        where: Where,
        model: str | None,
    ) -> None:
        """Add what was said, unless it is nothing."""
        if text.strip():
            self.turns.append(Turn(uid, position, role, text, at, where, None, model or None))

    def do(self, action: Action, uid: str, position: int, at: datetime | None, where: Where) -> None:
        """Add what was done."""
        self.turns.append(Turn(uid, position, "tool", "", at, where, action))

    def skip(self, kind: str) -> None:
        """Count what is passed over on purpose."""
        self.skipped[kind] += 1

    def wonder(self, kind: str) -> None:
        """Count what no version that was seen had."""
        known = kind in self.unknown or len(self.unknown) < _MOST_TYPES
        self.unknown[kind if known else "…"] += 1

    def fail(self, line: int, what: str) -> None:
        """Note a line that could not be read."""
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(f"line {line + 1}: {what}")

    def reading(self, batch: Batch, carry: dict[str, Any]) -> Reading:
        """All of it, with the cursor behind the batch."""
        return Reading(
            turns=tuple(self.turns),
            usages=tuple(self.usages),
            cursor=Cursor(
                batch.offset, batch.number * ROOM, batch.head, json.dumps(carry, ensure_ascii=False)
            ),
            more=batch.more,
            skipped=dict(self.skipped),
            unknown=dict(self.unknown),
            faults=tuple(self.faults),
            version=self.version,
        )


def carried(cursor: Cursor | None, batch: Batch) -> dict[str, Any]:
    """What the cursor carries, unless it is of another file."""
    if cursor is None or batch.anew or not cursor.carry:
        return {}
    data: dict[str, Any] = json.loads(cursor.carry)
    return data
