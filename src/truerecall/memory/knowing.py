"""The verbs about what is known: statements, profiles, causes, and what was useful."""

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from truerecall.core.clock import aware
from truerecall.core.entry import Event
from truerecall.errors import InvalidInput, NotFound
from truerecall.memory.opened import Opened

if TYPE_CHECKING:  # each is loaded by the verb that needs it
    from truerecall.core.entry import Entry
    from truerecall.memory.facts import FactView
    from truerecall.memory.feedback import Feedback, SavedRecall
    from truerecall.memory.recall.recalled import Recall


class Knowing(Opened):
    """See ``Memory``."""

    def facts(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        *,
        valid_at: datetime | None = None,
        known_at: datetime | None = None,
        current: bool = True,
    ) -> "tuple[FactView, ...]":
        """What the entries state, each with its status and the reason for it.

        Args:
            subject: Of this entity only, by any of its names.
            predicate: By this predicate only.
            valid_at: What was so then; by default now.
            known_at: As the memory knew it just before then; by default all that it knows.
            current: Leave out what is not so; False shows everything that was ever stated.
        """
        from truerecall.memory.facts import FactQuery, facts

        now = self._clock()
        asked = FactQuery(
            subject=subject,
            predicate=predicate,
            valid_at=now if valid_at is None else aware(valid_at, "valid_at"),
            known_at=None if known_at is None else aware(known_at, "known_at"),
            current=current,
        )
        return facts(self._store, self.scope, asked)

    def link(self, cause_id: str, effect_id: str, confidence: float = 1.0) -> None:
        """Note that one entry is a cause of another, how surely from 0 to 1; recall may follow it both ways."""
        self._writable()
        if (
            isinstance(confidence, bool)
            or not isinstance(confidence, int | float)
            or not 0 <= confidence <= 1
        ):
            raise InvalidInput(f"confidence is {confidence!r}", remedy="Give a number from 0 to 1.")
        cause, effect = self._entry(cause_id), self._entry(effect_id)
        if cause.id == effect.id:
            raise InvalidInput("an entry is no cause of itself", remedy="Name two entries.")
        event = Event(
            self._ids(), self._clock(), "caused_by", effect.id, cause.id, detail=str(float(confidence))
        )
        if cause.visibility == "private" and effect.visibility == "shared":
            # Where the private one stands: who reads the shared one alone learns of no other.
            event = Event(event.id, event.at, "causes", cause.id, effect.id, detail=event.detail)
        self._store.record(self.scope, [event])

    def feedback(
        self,
        recall: "Recall | SavedRecall",
        *,
        response: str | None = None,
        cited: Collection[str] = (),
        failed: bool = False,
    ) -> "Feedback":
        """Record which of the recalled entries went into an answer, and whether that turned out badly.

        Args:
            recall: What was recalled, here or (``SavedRecall``) by another process.
            response: The answer that was given: an entry that it says again was used.
            cited: Ids of entries that the answer cites.
            failed: Whether the answer turned out badly.
        """
        from truerecall.memory.feedback import feedback

        self._writable()
        return feedback(
            self._store,
            self.scope,
            recall,
            self._clock(),
            self._ids,
            response=response,
            cited=cited,
            failed=failed,
        )

    def _entry(self, entry_id: str) -> "Entry":
        full = self._full_id(entry_id)
        found = self._store.get(self.scope, [full])
        if full not in found:
            raise NotFound(
                f"there is no entry {entry_id} here", remedy="`list` and `recall` show what there is."
            )
        return found[full]
