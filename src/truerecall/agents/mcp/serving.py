"""The verbs of the server, without the protocol: on the memory of one project, as one user."""

from collections.abc import Sequence
from pathlib import Path

from truerecall.agents.facts.records import PREDICATES
from truerecall.agents.mcp.replies import DATA, Forgotten, NoteKind, Recalled, RecallReply, Remembered
from truerecall.agents.private import without_private
from truerecall.agents.project import Project
from truerecall.agents.repeating import gives_orders, runs_of
from truerecall.core.clock import Clock, system_clock
from truerecall.core.config import Settings
from truerecall.core.entry import DEFAULT_TRUST, Draft, Entry, EventTime, Scope, Source, Statement, Trust
from truerecall.errors import InvalidInput, NotFound, StoreError
from truerecall.memory.memory import Memory
from truerecall.memory.recall.pack import short_id
from truerecall.memory.recall.recalled import Hit
from truerecall.memory.store.protocol import Filter
from truerecall.models.protocols import Embedder

MOST = 50
"""Entries that one recall gives, at most."""
_MOST_OF_SESSION = 2000
_ORDERS = (
    "Kept as external, for it says what is to be done: it is recalled only with include_external. A person makes it a"
    " rule of the project by saying it in a prompt."
)
_LONGEST = 20_000
"""Characters that may be remembered or corrected at once: one thing, not a file."""


class Serving:
    """Opens the store on first use; a project of which nothing is known yet makes none until something is remembered.

    Args:
        store: The SQLite file.
        scope: Who works here; its space is the project's.
        project: Which project, and where it stands.
        settings: Of the memory.
        embedder: As for ``Memory.open``.
        clock: Returns the present.
        off: Why the memory is off here, if it is: every verb says so and does nothing.
    """

    def __init__(
        self,
        store: Path,
        scope: Scope,
        project: Project,
        settings: Settings,
        embedder: Embedder | str | None = "auto",
        clock: Clock = system_clock,
        off: str | None = None,
    ) -> None:
        self.project = project
        self._store = store
        self._scope = scope
        self._settings = settings
        self._embedder = embedder
        self._clock = clock
        self._off = off
        self._memory: Memory | None = None

    def recall(self, query: str, limit: int, include_external: bool) -> RecallReply:
        """What answers a query best, by all the lanes that are on."""
        self._refuse_off()
        if not query.strip():
            raise InvalidInput("the query is empty", remedy="Say in words what you want to know.")
        if not 1 <= limit <= MOST:
            raise InvalidInput(f"limit is {limit}", remedy=f"Give a number from 1 to {MOST}.")
        if not self._store.exists():
            return RecallReply(project=self.project.space, found=[], note="Nothing has been remembered yet.")
        trust = DEFAULT_TRUST | {Trust.EXTERNAL} if include_external else DEFAULT_TRUST
        hits = self._opened().recall(query, limit=limit, trust=trust).hits
        nothing = "Nothing fits: say it in other words, or set include_external to search tools' output too."
        return RecallReply(
            project=self.project.space,
            found=[_recalled(hit) for hit in hits],
            note=DATA if hits else nothing,
        )

    def remember(self, text: str, kind: NoteKind, client: str | None) -> Remembered:
        """Keep one thing, without what is private; what gives orders to its reader is refused."""
        text = without_private(text)
        self._refuse_off()
        if not text.strip():
            raise InvalidInput("the text is empty", remedy="Give one sentence that can be read by itself.")
        _check_length(text)
        self._store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        memory, project = self._opened(), self.project
        # A model passes on what it has read. An order is taken from a person only: what they type is captured.
        ordering = bool(runs_of(text)) or gives_orders(text)
        statement = None if kind == "note" else Statement(project.name, PREDICATES[kind], text)
        source = Source(
            speaker=self._scope.user,
            channel="mcp",
            tool=client,
            repository=project.space,
            commit=project.commit,
            branch=project.branch,
            cwd=str(project.root),
        )
        draft = Draft(
            text=text,
            kind="fact",
            decay_class="semantic",
            trust=Trust.EXTERNAL if ordering else Trust.LEARNED,
            source=source,
            happened_at=EventTime(self._clock()),
            statement=statement,
        )
        (result,) = memory.remember(draft)
        if result.id is None:
            raise InvalidInput(
                f"it was not remembered: {result.reason}",
                remedy="State what is so, without telling the reader what to do.",
            )
        note = _ORDERS if ordering and result.status != "duplicate" else result.reason
        return Remembered(id=result.id, status=result.status, masked=result.masked, note=note)

    def correct(self, entry_id: str, text: str) -> Remembered:
        """Put another text in the place of an entry; the old one can still be looked up."""
        text = without_private(text)
        if not text.strip():
            raise InvalidInput("the text is empty", remedy="Give the corrected text, or use forget.")
        _check_length(text)
        memory = self._known()
        old = memory.get(entry_id)
        says = old.statement
        statement = None if says is None else Statement(says.subject, says.predicate, text)
        result = memory.correct(old.id, text, statement=statement)
        if result.id is None:
            raise InvalidInput(f"it was not corrected: {result.reason}", remedy="Give another text.")
        return Remembered(
            id=result.id, status=result.status, masked=result.masked, note=f"It takes the place of {old.id}."
        )

    def forget(self, entry_ids: Sequence[str]) -> Forgotten:
        """Retire entries: all of them, or none where one is not there."""
        if not entry_ids:
            raise InvalidInput("no id is given", remedy="Name the ids that recall gave.")
        memory = self._known()
        ids = [memory.get(entry_id).id for entry_id in entry_ids]
        memory.forget(*ids)
        return Forgotten(ids=ids)

    def session(self, session: str) -> str:
        """All that is kept of a session, as Markdown, in its order."""
        wanted = Filter(session=session, newest=_MOST_OF_SESSION)
        entries = sorted(self._known().list(wanted), key=_place)
        if not entries:
            raise NotFound(
                f"there is no session {session} here",
                remedy="Take the session of something that recall gave.",
            )
        lines = [f"# Session {session}", "", DATA, ""]
        lines += [f"- {_line(entry)}" for entry in entries]
        return "\n".join(lines)

    def entry(self, entry_id: str) -> str:
        """One entry with where it came from and what happened to it, as Markdown."""
        history = self._known().history(entry_id)
        entry, source = history.entry, history.entry.source
        told = {
            "kind": entry.kind,
            "trust": entry.trust.label,
            "happened": entry.happened_at,
            "recorded": f"{entry.recorded_at:%Y-%m-%dT%H:%M:%SZ}",
            "ended": None if entry.ended_at is None else f"{entry.ended_at:%Y-%m-%dT%H:%M:%SZ}",
            "who": source.speaker or entry.scope.user,
            "tool": source.tool,
            "session": source.session,
            "repository": source.repository,
            "branch": source.branch,
            "commit": source.commit,
            "taken from": ", ".join(entry.source_ids) or None,
        }
        lines = [f"# Entry {entry.id}", "", DATA, ""]
        lines += [f"- {name}: {value}" for name, value in told.items() if value is not None]
        lines += [f"- {event.kind} {event.at:%Y-%m-%dT%H:%M:%SZ}" for event in history.events]
        return "\n".join([*lines, "", *(f"> {line}" for line in entry.text.splitlines())])

    def close(self) -> None:
        """Release the store."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def _known(self) -> Memory:
        """The memory; ``StoreError`` where nothing was ever remembered."""
        self._refuse_off()
        if not self._store.exists():
            raise StoreError("nothing has been remembered yet", remedy="Use remember first.")
        return self._opened()

    def _refuse_off(self) -> None:
        if self._off is not None:
            raise InvalidInput(self._off, remedy="Go on without it; the user decides that.")

    def _opened(self) -> Memory:
        if self._memory is None:
            self._memory = Memory.open(
                self._store,
                user=self._scope.user,
                tenant=self._scope.tenant,
                space=self._scope.space,
                embedder=self._embedder,
                settings=self._settings,
                clock=self._clock,
            )
        return self._memory


def _check_length(text: str) -> None:
    if len(text) > _LONGEST:
        raise InvalidInput(
            f"the text has {len(text)} characters, more than {_LONGEST}",
            remedy="Say what matters of it in a few sentences.",
        )


def _recalled(hit: Hit) -> Recalled:
    entry, source = hit.entry, hit.entry.source
    return Recalled(
        id=short_id(entry.id),
        text=entry.text,
        kind=entry.kind,
        trust=entry.trust.label,
        when=None if entry.happened_at is None else str(entry.happened_at),
        who=source.speaker,
        tool=source.tool,
        session=source.session,
        commit=source.commit,
        why=hit.why,
    )


def _place(entry: Entry) -> tuple[int, str]:
    return -1 if entry.source.position is None else entry.source.position, entry.id


def _line(entry: Entry) -> str:
    who = f"{entry.source.speaker}: " if entry.source.speaker else ""
    when = "" if entry.happened_at is None else f" {str(entry.happened_at)[:16]}"
    quote = "> " if entry.trust is Trust.EXTERNAL else ""
    body = "\n  ".join(f"{quote}{line}" for line in f"{who}{entry.text}".splitlines())
    return f"[{short_id(entry.id)} {entry.trust.label}{when}] {body}"
