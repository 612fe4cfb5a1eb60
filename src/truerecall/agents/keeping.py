"""The new turns of one session in one project, remembered once; and the facts that they tell."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from truerecall.agents.captured import Captured
from truerecall.agents.facts.drafting import Origin, drafts_of
from truerecall.agents.facts.known import Known
from truerecall.agents.facts.records import Fact, Kept
from truerecall.agents.pieces import Piece
from truerecall.agents.records import Role, Turn
from truerecall.agents.rendering import Rendered
from truerecall.agents.spaces import Home
from truerecall.core.entry import Draft, Entry, EventTime, Source, Trust
from truerecall.memory.analysis import tokens
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter
from truerecall.memory.write.border import normalise, strip_recalled
from truerecall.memory.write.mask import mask
from truerecall.memory.write.prepare import WriteResult

CHANNELS: dict[Role, str] = {"user": "prompt", "assistant": "answer", "tool": "tool"}
_ALL = 1_000_000  # entries of one session, ended ones as well


@dataclass(frozen=True, slots=True)
class Fresh:
    """A turn that is to be remembered."""

    rendered: Rendered
    trust: Trust
    pieces: tuple[Piece, ...]
    """The entries that it becomes."""

    @property
    def turn(self) -> Turn:
        """The turn itself."""
        return self.rendered.turn


class Keeper:
    """Remembers turns of one session in one project."""

    def __init__(self, memory: Memory, home: Home, captured: Captured) -> None:
        self._memory, self._home, self._captured = memory, home, captured
        self._session = captured.transcript.session
        self._passages: dict[str, Sequence[Entry]] = {}
        """By the id of the first what a turn was kept in, where it is several entries."""
        self._there: dict[tuple[int | None, str | None], list[Entry]] = {}
        for entry in memory.list(Filter(session=self._session, ended=True, newest=_ALL)):
            self._there.setdefault((entry.source.position, entry.source.channel), []).append(entry)

    def turns(
        self, fresh: Sequence[Fresh], now: datetime, replayed_before: datetime
    ) -> list[tuple[Turn, Kept | None]]:
        """Remember turns; each with what the memory has of it, which is nothing where it was forgotten or refused.

        Args:
            fresh: In their order.
            now: The present.
            replayed_before: A turn of before this is history: its own time is when the memory learned it.
        """
        drafts = [self._draft(one, piece, replayed_before) for one in fresh for piece in one.pieces]
        found = [self._same(draft) for draft in drafts]
        results = iter(
            self._memory.remember([draft for draft, old in zip(drafts, found, strict=True) if old is None])
        )
        olds = iter(found)
        made: list[tuple[Turn, Kept | None]] = []
        for one in fresh:
            entries = [self._entry(next(olds), results, now) for _ in one.pieces]
            living = [entry for entry in entries if entry is not None]
            made.append((one.turn, self._kept(one, living) if living else None))
        return made

    def _entry(self, old: Entry | None, results: Iterator[WriteResult], now: datetime) -> Entry | None:
        """The entry that a piece became, or the one that was there; None of one that was forgotten or refused."""
        if old is None:
            return self._written(next(results), "stored")
        self._captured.counts["duplicates"] += 1
        return None if old.ended_at is not None and old.ended_at <= now else old

    def _kept(self, one: Fresh, entries: Sequence[Entry]) -> Kept:
        """The turn as facts are taken from it: whole, though it may be kept in passages."""
        if len(one.pieces) == 1:
            (entry,) = entries
            return Kept(one.turn, entry.id, entry.text, entry.trust)
        self._passages[entries[0].id] = entries
        # Only what is trusted: a fact of an external passage would be external, and is worth little.
        trusted = [entry for entry in entries if entry.trust > Trust.EXTERNAL] or entries
        text = "\n\n".join(entry.text for entry in trusted)
        return Kept(one.turn, entries[0].id, text, max(entry.trust for entry in entries))

    def facts(self, found: Sequence[Fact], kept: Sequence[Kept], repeats: Callable[[str], bool]) -> None:
        """Remember facts of these turns; what ``repeats`` says repeats an order from outside is external."""
        transcript = self._captured.transcript
        origin = Origin(transcript.tool, self._session, self._home.scope.space)
        drafts = [self._sourced(draft) for draft in drafts_of(found, kept, origin)]
        lowered = [replace(draft, trust=Trust.EXTERNAL) if repeats(draft.text) else draft for draft in drafts]
        self._captured.counts["lowered"] += sum(
            one is not two for one, two in zip(drafts, lowered, strict=True)
        )
        for result in self._memory.remember([draft for draft in lowered if self._same(draft) is None]):
            self._written(result, "facts")

    def _sourced(self, draft: Draft) -> Draft:
        """With the passage that a fact stands in among its sources, where the turn is kept in passages."""
        words = set(tokens(draft.text))

        def best(entry_id: str) -> str:
            if (entries := self._passages.get(entry_id)) is None:
                return entry_id
            return max(entries, key=lambda entry: len(words.intersection(tokens(entry.text)))).id

        return replace(draft, source_ids=tuple(dict.fromkeys(map(best, draft.source_ids))))

    def _written(self, result: WriteResult, counted: str) -> Entry | None:
        counts = self._captured.counts
        counts["masked"] += result.masked
        if result.id is None:
            counts["refused"] += 1
            return None
        counts["duplicates" if result.status == "duplicate" else counted] += 1
        return self._memory.get(result.id)

    def _same(self, draft: Draft) -> Entry | None:
        """An entry of the same place and text, ended or not: what was forgotten does not come back."""
        others = self._there.get((draft.source.position, draft.source.channel))
        if not others:
            return None
        text = mask(strip_recalled(normalise(draft.text).text)).text
        says = draft.statement
        return next(
            (
                other
                for other in others
                if other.text == text
                and (says is None or other.statement is None or other.statement.predicate == says.predicate)
            ),
            None,
        )

    def _draft(self, one: Fresh, piece: Piece, replayed_before: datetime) -> Draft:
        turn, project, where = one.turn, self._home.project, one.turn.where
        now = self._home.exists and (turn.at is None or turn.at >= replayed_before)
        return Draft(
            text=piece.text,
            trust=piece.trust,
            source=Source(
                speaker=_speaker(turn, self._home, self._captured.transcript.tool),
                channel=CHANNELS[turn.role],
                session=self._session,
                position=turn.position,
                tool=self._captured.transcript.tool,
                repository=project.space,
                # What git says today is no news of a turn of long ago.
                commit=where.commit or (project.commit if now else None),
                branch=where.branch or (project.branch if now else None),
                cwd=where.cwd,
            ),
            happened_at=None if turn.at is None else EventTime(turn.at),
            recorded_at=turn.at if turn.at is not None and turn.at < replayed_before else None,
        )


def known_in(memory: Memory) -> Known:
    """The facts that a space knows: one that came from outside keeps out none that somebody says."""
    return Known.in_space(memory)


def _speaker(turn: Turn, home: Home, tool: str) -> str:
    if turn.role == "user":
        return home.scope.user
    return tool if turn.role == "assistant" else turn.action.name if turn.action else "tool"
