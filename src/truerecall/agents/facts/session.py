"""The facts of one session as the memory holds them; and taking them out of its turns once more."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

from truerecall.agents.facts.drafting import Origin, drafts_of
from truerecall.agents.facts.known import Known, kind_of
from truerecall.agents.facts.records import Fact, Kept
from truerecall.agents.records import Role, ToolName, Turn, Where
from truerecall.core.entry import Entry
from truerecall.errors import NotFound
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter
from truerecall.memory.write.prepare import WriteResult

Extract = Callable[[Sequence[Kept], Sequence[Kept], str], tuple[Fact, ...]]
"""``extract.facts_in``, or the same of another extractor."""

_ROLES: Mapping[str, Role] = {"prompt": "user", "answer": "assistant", "tool": "tool"}
_TOOLS: Mapping[str, ToolName] = {name: name for name in get_args(ToolName)}
_ALL = 1_000_000
_SHOWN = 5  # sessions that a remedy names


def session_of(memory: Memory, name: str) -> str:
    """The session of an id, or of a prefix that only one has; its subagents' sessions begin with its own.

    Raises:
        NotFound: None is called so, or several are.
    """
    if name and memory.list(Filter(session=name, newest=1)):
        return name
    names = _sessions(memory)
    found = [one for one in names if name and one.startswith(name)]
    whole = [one for one in found if all(other == one or other.startswith(f"{one}/") for other in found)]
    if whole:
        return whole[0]
    shown = ", ".join((found or names)[:_SHOWN])
    if found:
        raise NotFound(
            f"{len(found)} sessions begin with {name!r}",
            where="session",
            remedy=f"Write more of it: {shown}.",
        )
    raise NotFound(
        f"no session of this project is called {name!r}",
        where="session",
        remedy=f"The latest: {shown}."
        if names
        else "Nothing of this project was captured yet: `truerecall agents import` takes in what there is.",
    )


def facts_of(memory: Memory, session: str) -> list[Entry]:
    """The facts of a session that are not ended, in the order of its turns."""
    entries = memory.list(Filter(kind="fact", session=session, newest=_ALL))
    held = [entry for entry in entries if kind_of(entry) is not None]
    return sorted(held, key=lambda entry: (entry.source.position or 0, entry.id))


def extract_again(memory: Memory, session: str, extract: Extract) -> tuple[WriteResult, ...]:
    """Take the facts out of the turns that the memory holds, and remember those that the space does not know.

    What was done is known by its text alone, so that commands which were run are not among them.
    """
    entries = memory.list(Filter(kind="turn", session=session, newest=_ALL))
    kept = sorted(_kept(entries), key=lambda one: one.turn.position)
    space = memory.scope.space
    found = Known.in_space(memory).fresh(extract(kept, [], space))
    tools = (_TOOLS.get(entry.source.tool or "") for entry in entries)
    tool: ToolName = next((tool for tool in tools if tool is not None), "claude-code")
    return memory.remember(drafts_of(found, kept, Origin(tool, session, space)))


def _kept(entries: Sequence[Entry]) -> Iterator[Kept]:
    for entry in entries:
        source = entry.source
        role = _ROLES.get(source.channel or "")
        if role is not None and source.position is not None:
            at = None if entry.happened_at is None else entry.happened_at.instant
            where = Where(source.cwd, source.branch, source.commit)
            yield Kept(
                Turn(entry.id, source.position, role, entry.text, at, where),
                entry.id,
                entry.text,
                entry.trust,
            )


def _sessions(memory: Memory) -> list[str]:
    """The names of all sessions, that of the latest entry first."""
    names = (entry.source.session for entry in memory.list(Filter(newest=_ALL)))
    return list(dict.fromkeys(name for name in names if name))
