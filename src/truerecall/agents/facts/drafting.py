"""Facts as the memory takes them in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truerecall.agents.facts.known import CHANNEL
from truerecall.agents.facts.records import PREDICATES, Fact, Kept
from truerecall.agents.records import ToolName, Where
from truerecall.core.entry import Draft, EventTime, Source, Statement, Trust

_LONGEST_NAME = 200  # characters of what a statement is about


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the facts of a session come from."""

    tool: ToolName
    session: str
    repository: str
    """The project's space."""


def drafts_of(facts: Iterable[Fact], kept: Sequence[Kept], origin: Origin) -> list[Draft]:
    """A draft of each fact, in order.

    Args:
        facts: What was found.
        kept: The turns that they were found in: the branch, commit and folder are those of a fact's own turn.
        origin: The session.

    The memory lowers each one's trust to the lowest of its sources, and refuses or lowers what gives orders.
    """
    places = {one.turn.position: one.turn.where for one in kept}
    return [_draft(fact, places.get(fact.position, Where()), origin) for fact in facts]


def _draft(fact: Fact, where: Where, origin: Origin) -> Draft:
    return Draft(
        text=fact.text,
        kind="fact",
        decay_class="semantic",
        trust=Trust.LEARNED,
        source=Source(
            channel=CHANNEL,
            session=origin.session,
            position=fact.position,
            tool=origin.tool,
            repository=origin.repository,
            commit=where.commit,
            branch=where.branch,
            cwd=where.cwd,
        ),
        source_ids=fact.sources,
        happened_at=None if fact.at is None else EventTime(fact.at),
        statement=Statement(fact.subject[:_LONGEST_NAME], PREDICATES[fact.kind], fact.value),
    )
