"""Turns of a session as the memory holds them, made of what was said."""

from datetime import UTC, datetime, timedelta

from truerecall.agents.facts.extract import facts_in
from truerecall.agents.facts.records import Fact, FactKind, Kept
from truerecall.agents.records import Action, ActionKind, Outcome, Role, Turn, Where
from truerecall.core.entry import Trust

START = datetime(2024, 3, 1, 9, 0, tzinfo=UTC)


def entry_id(number: int) -> str:
    """The id of the entry of a turn."""
    return f"019c0000-0000-7000-8000-{number:012d}"


def turn(
    text: str,
    role: Role = "assistant",
    number: int = 0,
    action: Action | None = None,
    trust: Trust | None = None,
    at: datetime | None = START,
) -> Kept:
    """A turn of the session, a minute after the one before it."""
    shown = text if action is None else f"{action.command or action.name}\n{action.output}"
    when = None if at is None else at + timedelta(minutes=number)
    given = trust if trust is not None else Trust.EXTERNAL if role == "tool" else Trust.LEARNED
    said = Turn(f"u{number}", number, role, text, when, Where("/srv/shop", "main", "abc123"), action)
    return Kept(said, entry_id(number), shown, given)


def ran(command: str, outcome: Outcome = "ok", number: int = 0, output: str = "") -> Kept:
    """A command that was run."""
    return turn("", "tool", number, Action("Bash", "command", outcome, command, output=output))


def did(kind: ActionKind, *files: str, number: int = 0, output: str = "") -> Kept:
    """A tool that was used on files."""
    return turn("", "tool", number, Action(kind.title(), kind, "ok", files=files, output=output))


def told(text: str, role: Role = "assistant") -> list[tuple[FactKind, str]]:
    """What one turn tells, by kind and text."""
    return [(fact.kind, fact.text) for fact in facts_in([turn(text, role)], [], "github.com/acme/shop")]


def only(text: str, role: Role = "assistant") -> Fact:
    """The one fact that a turn tells."""
    (fact,) = facts_in([turn(text, role)], [], "github.com/acme/shop")
    return fact
