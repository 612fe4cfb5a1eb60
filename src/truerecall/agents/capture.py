"""Reads what is new in the sessions of coding agents and remembers it, with the facts that it tells.

What makes every crash safe is the order: the memory is written first, then how far the transcript was read. A capture
that dies in between is done again, and the memory knows its own entries. Captures wait for each other, part by part.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from truerecall.agents.captured import Captured
from truerecall.agents.facts.extract import facts_in
from truerecall.agents.facts.known import Known
from truerecall.agents.facts.records import Kept
from truerecall.agents.facts.session import Extract
from truerecall.agents.keeping import Fresh, Keeper, known_in
from truerecall.agents.left_out import LeftOut, read_left_out
from truerecall.agents.pieces import pieces_of
from truerecall.agents.places import Places
from truerecall.agents.private import without_private
from truerecall.agents.progress import LEFT_OUT, Progress, Reached
from truerecall.agents.records import ToolName, Turn, Where
from truerecall.agents.rendering import Rendered, rendered
from truerecall.agents.repeating import CUT, has_order, orders_of, runs_of
from truerecall.agents.settings import AgentSettings
from truerecall.agents.spaces import Home, Spaces
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript, TranscriptReader
from truerecall.agents.transcripts.table import READERS
from truerecall.core.clock import Clock
from truerecall.core.entry import Scope, Trust
from truerecall.errors import InvalidInput, NotFound, TranscriptError
from truerecall.memory.write.mask import mask
from truerecall.models.protocols import Embedder

Told = Callable[[int, int], None]
"""Is told how many transcripts are done, of how many."""

LATELY = timedelta(days=1)
"""What is captured within this time is news, and remembered as of now; what is older is history that is replayed."""
_PART = 256 << 10
"""Bytes that are read, remembered and noted together: some seconds at most, for others wait meanwhile."""
_BEFORE = 80  # turns before the new ones that facts are compared with


class Capture:
    """Captures into one memory; close it, or use ``with``."""

    def __init__(
        self,
        settings: AgentSettings,
        places: Places,
        environment: Mapping[str, str],
        clock: Clock,
        *,
        embedder: Embedder | str | None = "none",
        lately: timedelta = LATELY,
        extract: Extract = facts_in,
        keep_off: bool = True,
    ) -> None:
        """Open the progress file; memories are opened when they are written to.

        Args:
            settings: The agents'.
            places: Where the files are.
            environment: Where the transcripts are, and who works here.
            clock: The present.
            embedder: As for ``Memory.open``. Without one entries are found by their words, and get their vectors from
                ``truerecall reembed`` or the next import: a capture beside a session must be cheap.
            lately: How old news may be; nothing is news for an import of history.
            extract: What takes the facts out of turns.
            keep_off: Whether what went on while the memory was off stays out; else it is taken in, also where an
                earlier capture left it out.

        Raises:
            StoreError: The progress file cannot be opened.
        """
        self._settings, self._environment, self._clock = settings, environment, clock
        self._lately, self._extract = lately, extract
        self._places, self._keep_off = places, keep_off
        self._spaces = Spaces(settings, places, environment, clock, embedder)
        self._known: dict[Scope, Known] = {}
        store = self._spaces.store
        self.progress = Progress.open(places.progress, store)
        if not store.exists():
            self.progress.restart()

    def close(self) -> None:
        """Release the files."""
        self._spaces.close()
        self.progress.close()

    def __enter__(self) -> "Capture":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def transcript(self, transcript: Transcript, deadline: datetime | None = None) -> Captured:
        """Capture what is new in one transcript, part by part; at the deadline the rest is left to the next time.

        Raises:
            TranscriptError: It cannot be read at all.
            StoreError: The memory or the progress file cannot be written; what was written stays, and the next capture
                goes on from there.
        """
        problem: TranscriptError | None = None
        for reader in READERS.get(transcript.tool, ()):
            try:
                return self._read(reader, transcript, deadline)
            except TranscriptError as error:
                problem = problem or error
        raise problem or TranscriptError(
            f"there is no reader for {transcript.tool}",
            remedy="Name another tool.",
            where=str(transcript.path),
        )

    def sweep(
        self,
        tools: Collection[ToolName],
        since: datetime | None = None,
        progress: Told | None = None,
        deadline: datetime | None = None,
    ) -> Iterator[Captured]:
        """Capture all transcripts of these tools that grew since they were captured, the oldest first.

        A transcript that cannot be read is told of (``Captured.problem``) and passed over.

        Raises:
            StoreError: As ``transcript``.
        """
        waiting = list(self.waiting(tools, since))
        for done, (reader, transcript) in enumerate(waiting):
            if deadline is not None and self._clock() >= deadline:
                return
            if progress is not None:
                progress(done, len(waiting))
            try:
                captured = self._read(reader, transcript, deadline)
            except (TranscriptError, InvalidInput) as error:
                captured = Captured(transcript, problem=error.problem)
            yield captured
        if progress is not None and waiting:
            progress(len(waiting), len(waiting))

    def waiting(
        self, tools: Collection[ToolName], since: datetime | None = None
    ) -> Iterator[tuple[TranscriptReader, Transcript]]:
        """The transcripts that a sweep would read, each with its reader."""
        for tool in tools:
            for reader in READERS.get(tool, ()):
                for transcript in reader.find(self._environment, since):
                    reached = self.progress.reached(transcript)
                    if (
                        reached is None
                        or not reached.whole
                        or reached.changed != transcript.changed
                        or self._again(reached)
                    ):
                        yield reader, transcript

    def _again(self, reached: Reached) -> bool:
        """Whether a transcript is to be read from its beginning: turns in it were left out, and are not to be."""
        return not self._keep_off and reached.totals.get("off", 0) > 0

    def _read(self, reader: TranscriptReader, transcript: Transcript, deadline: datetime | None) -> Captured:
        captured = Captured(transcript)
        before: list[Kept] | None = None
        while True:
            with self.progress.turn():
                more, before = self._part(reader, captured, before)
            if not more or (deadline is not None and self._clock() >= deadline):
                return captured

    def _part(
        self, reader: TranscriptReader, captured: Captured, before: list[Kept] | None
    ) -> tuple[bool, list[Kept]]:
        """Read and keep one part; whether there is more, and what the next part comes after."""
        transcript = captured.transcript
        reached = self.progress.reached(transcript) or Reached(Cursor())
        if self._again(reached):
            reached = Reached(Cursor(), totals=_without_off(reached.totals))
        begun = None if reached.cursor == Cursor() else reached.cursor
        reading = reader.read(transcript, begun, _PART)
        counted = captured.counts.copy()
        captured.read(reading)
        uids = self.progress.captured(transcript.tool, [turn.uid for turn in reading.turns])
        if before is None:
            before = self._before(reader, transcript, reached, reading) if reading.turns else []
        kept = self._keep(captured, reading, uids, before)
        self.progress.spend(transcript.tool, reading.usages)
        totals = {name: count - counted[name] for name, count in captured.counts.items()}
        for name, count in reached.totals.items():
            totals[name] = totals.get(name, 0) + count
        self.progress.reach(
            transcript,
            Reached(
                _masked(reading.cursor),
                begun if reading.turns else reached.before,
                transcript.changed,
                not reading.more,
                totals,
            ),
        )
        return reading.more, [*before, *kept][-_BEFORE:]

    def _keep(
        self, captured: Captured, reading: Reading, uids: Mapping[str, str | None], before: Sequence[Kept]
    ) -> list[Kept]:
        """Remember the turns of a reading that were not captured before."""
        transcript, counts = captured.transcript, captured.counts
        outside = _Outside(self.progress, transcript)
        off = read_left_out(self._places) if self._keep_off else LeftOut()
        groups: dict[Home, list[Fresh]] = {}
        entries: dict[str, str | None] = {}
        last = Where()
        for turn in reading.turns:
            trust = outside.trust(turn)
            last = turn.where if turn.where.cwd else replace(turn.where, cwd=last.cwd)
            passed = uids.get(turn.uid) == LEFT_OUT
            if turn.uid in uids and not passed:
                counts["duplicates"] += 1
                continue
            counts["turns"] += 1
            if (passed and self._keep_off) or off.holds(transcript.tool, transcript.session, turn.at):
                counts["excluded"] += 1
                counts["off"] += 1
                entries.setdefault(turn.uid, LEFT_OUT)
                continue
            entries.setdefault(turn.uid, None)
            home = self._spaces.home(last, transcript.path)
            shown = rendered(turn, self._settings.capture.outputs)
            if home is None or shown is None:
                counts["excluded" if home is None else "left_out"] += 1
                continue
            _count(captured, shown, turn.role == "assistant" and trust == Trust.EXTERNAL)
            pieces, masked = pieces_of(shown, trust, outside.repeats)
            counts["masked"] += masked
            groups.setdefault(home, []).append(Fresh(shown, trust, pieces))
        kept: list[Kept] = []
        for home, fresh in groups.items():
            made = self._remember(captured, home, fresh, before, outside)
            entries.update((turn.uid, None if one is None else one.entry_id) for turn, one in made)
            kept += [one for _, one in made if one is not None]
        outside.note()
        self.progress.capture(transcript.tool, entries)
        return sorted(kept, key=lambda one: one.turn.position)

    def _remember(
        self,
        captured: Captured,
        home: Home,
        fresh: Sequence[Fresh],
        before: Sequence[Kept],
        outside: "_Outside",
    ) -> list[tuple[Turn, Kept | None]]:
        memory = self._spaces.memory(home.scope)
        now = self._clock()
        captured.spaces.add(home.scope.space)
        keeper = Keeper(memory, home, captured)
        made = keeper.turns(fresh, now, now - self._lately)
        if home.scope not in self._known:
            self._known[home.scope] = known_in(memory)
        new = [one for _, one in made if one is not None]
        found = self._extract(new, before, home.scope.space)
        keeper.facts(self._known[home.scope].fresh(found), [*before, *new], outside.repeats)
        return made

    def _before(
        self, reader: TranscriptReader, transcript: Transcript, reached: Reached, reading: Reading
    ) -> list[Kept]:
        """What was captured just before this reading, as the memory has it: read again, for no text is kept of it."""
        if reached.before is None and reached.cursor == Cursor():
            return []
        first = reading.turns[0].position
        again = reader.read(transcript, reached.before, _PART).turns
        turns = [turn for turn in again if turn.position < first][-_BEFORE:]
        entries = self.progress.captured(transcript.tool, [turn.uid for turn in turns])
        kept = []
        for turn in turns:
            entry_id = entries.get(turn.uid)
            home = self._spaces.home(turn.where, transcript.path)
            shown = rendered(turn, self._settings.capture.outputs)
            if entry_id in (None, LEFT_OUT) or home is None or shown is None:
                continue
            try:
                entry = self._spaces.memory(home.scope).get(entry_id)
            except NotFound:
                continue
            kept.append(Kept(shown.turn, entry.id, entry.text, entry.trust))
        return kept


class _Outside:
    """What came from outside in a session, and whether an answer repeats its orders; see ``repeating``."""

    def __init__(self, progress: Progress, transcript: Transcript) -> None:
        self._progress, self._tool = progress, transcript.tool
        self._session = transcript.session.partition("/")[0]  # with its subagents
        self._runs: set[bytes] = set()

    def trust(self, turn: Turn) -> Trust:
        """How far a turn is trusted; to be asked of all turns, in their order."""
        if turn.role == "tool":
            if turn.action is not None:
                self._runs |= orders_of(turn.action.output)
            return Trust.EXTERNAL
        return Trust.EXTERNAL if turn.role == "assistant" and self.repeats(turn.text) else Trust.LEARNED

    def repeats(self, text: str) -> bool:
        """Whether a text repeats an order, or gives one in a session of which a part was not seen."""
        asked = runs_of(text)
        found = (self._runs & asked) or self._progress.outside(self._tool, self._session, asked)
        return bool(found) or (self._cut() and has_order(text))

    def note(self) -> None:
        """Keep it for later captures of the session."""
        self._progress.came_from_outside(self._tool, self._session, self._runs)

    def _cut(self) -> bool:
        return CUT in self._runs or bool(self._progress.outside(self._tool, self._session, [CUT]))


def _count(captured: Captured, shown: Rendered, lowered: bool) -> None:
    captured.counts["withheld"] += shown.withheld
    captured.counts["private"] += shown.private
    captured.counts["lowered"] += lowered


def _without_off(totals: Mapping[str, int]) -> dict[str, int]:
    """What was counted, without the turns that are counted again because they were left out."""
    off = totals.get("off", 0)
    kept = {name: count for name, count in totals.items() if name != "off"}
    return {
        name: max(0, count - off) if name in ("turns", "excluded") else count for name, count in kept.items()
    }


def _masked(cursor: Cursor) -> Cursor:
    """A cursor that carries nothing secret or private of a command that still runs."""
    if not cursor.carry or (mask(cursor.carry).text == cursor.carry == without_private(cursor.carry)):
        return cursor
    return replace(cursor, carry=json.dumps(_clean(json.loads(cursor.carry))))


def _clean(value: object) -> object:
    if isinstance(value, str):
        return mask(without_private(value)).text
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return {key: _clean(item) for key, item in value.items()} if isinstance(value, dict) else value
