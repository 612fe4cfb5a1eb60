"""Real sessions with the facts that are taken out of them; each fact with an id that a label can name."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from random import Random

from truerecall.agents.facts.extract import facts_in
from truerecall.agents.facts.records import Fact, FactKind, Kept
from truerecall.agents.records import ToolName
from truerecall.agents.rendering import rendered
from truerecall.agents.transcripts.lines import ROOM
from truerecall.agents.transcripts.reading import Cursor, Transcript, TranscriptReader
from truerecall.agents.transcripts.table import READERS
from truerecall.core.entry import Trust
from truerecall.errors import DatasetError

_FOLDERS: Mapping[str, ToolName] = {"claude_code": "claude-code", "codex": "codex"}
_CHANGED = datetime(2026, 1, 1, tzinfo=UTC)
PROJECT = "folder:project:0"


@dataclass(frozen=True, slots=True)
class Extracted:
    """A fact of a session."""

    id: str
    """Of its session, place, kind and text: it changes with any of them."""
    session: str
    turn: int
    """The place of its turn among those of the session, from 0."""
    fact: Fact
    external: bool
    """Whether one of its sources came from outside."""


@dataclass(frozen=True, slots=True)
class Session:
    """One transcript."""

    name: str
    """Its file's name without the ending."""
    kept: tuple[Kept, ...]
    facts: tuple[Extracted, ...]

    def turn_of(self, line: int) -> int:
        """The turn that stands on a line of the transcript, from 1, or that is the last before it."""
        lines = [one.turn.position // ROOM + 1 for one in self.kept]
        return max(0, bisect_right(lines, line) - 1)


def read_sessions(folder: Path) -> list[Session]:
    """The transcripts of Claude Code and Codex below a folder, in order; ``DatasetError`` where there are none."""
    sessions = [
        _session(reader, tool, path)
        for name, tool in _FOLDERS.items()
        for reader in READERS[tool]
        for path in sorted((folder / name).glob("*.jsonl"))
    ]
    if not sessions:
        raise DatasetError(
            "there are no transcripts",
            where=str(folder),
            remedy="Name the folder that holds claude_code/*.jsonl and codex/*.jsonl.",
        )
    return sessions


def sampled(sessions: Sequence[Session], count: int, seed: int) -> list[Extracted]:
    """At least one fact of each kind, else as many of each as its share of all; in an order that tells nothing."""
    kinds: dict[FactKind, list[Extracted]] = {}
    for session in sessions:
        for one in session.facts:
            kinds.setdefault(one.fact.kind, []).append(one)
    total = sum(map(len, kinds.values()))
    random = Random(seed)
    chosen: list[Extracted] = []
    for kind in sorted(kinds):
        share = max(1, round(count * len(kinds[kind]) / total))
        chosen += random.sample(kinds[kind], min(share, len(kinds[kind])))
    random.shuffle(chosen)
    return chosen


def _session(reader: TranscriptReader, tool: ToolName, path: Path) -> Session:
    transcript, cursor = Transcript(tool, path, path.stem, _CHANGED), Cursor()
    kept: list[Kept] = []
    more = True
    while more:
        reading = reader.read(transcript, cursor)
        cursor, more = reading.cursor, reading.more
        for turn in reading.turns:
            shown = rendered(turn)
            if shown is not None:
                trust = Trust.EXTERNAL if turn.role == "tool" else Trust.LEARNED
                kept.append(Kept(shown.turn, str(turn.position), shown.text, trust))
    kept.sort(key=lambda one: one.turn.position)
    places = {one.turn.position: number for number, one in enumerate(kept)}
    outside = {one.entry_id for one in kept if one.trust == Trust.EXTERNAL}
    facts = tuple(
        Extracted(
            id=_id(path.stem, fact),
            session=path.stem,
            turn=places[fact.position],
            fact=fact,
            external=not outside.isdisjoint(fact.sources),
        )
        for fact in facts_in(kept, [], PROJECT)
    )
    return Session(path.stem, tuple(kept), facts)


def _id(session: str, fact: Fact) -> str:
    told = "\x00".join((session, str(fact.position), fact.kind, fact.text))
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]
