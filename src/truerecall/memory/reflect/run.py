"""A run of reflection: choose groups, ask, write; broken off anywhere, it goes on when it is run again.

A group is asked about, then its causal links are written, then its entries in one transaction, and then it is noted as
done. Killed before the entries were there, the group is asked about once more, and links that are there are not written
again; killed after, the entries tell by their channel that only the note is missing.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from truerecall.core.entry import DERIVED, Draft, Trust
from truerecall.errors import ChatFailed
from truerecall.memory.reflect.asking import Asker, Reflector
from truerecall.memory.reflect.drafts import CHANNEL, Proposed
from truerecall.memory.reflect.extractor import ChatExtractor
from truerecall.memory.reflect.groups import Group, Limits
from truerecall.memory.reflect.proposals import Cause
from truerecall.memory.reflect.salvage import Dropped
from truerecall.memory.store.protocol import Filter, Store
from truerecall.memory.write.prepare import Refusal, WriteResult, entry_of
from truerecall.models.protocols import ChatModel, TokenCounter

if TYPE_CHECKING:
    from truerecall.memory.memory import Memory

_MOST_FAILURES = 3  # groups in a row that a model fails on, before the run stops: it is down
_ALL = 1_000_000
_NO_ID = "00000000-0000-7000-8000-000000000000"  # of an entry that is only looked at


@dataclass(frozen=True, slots=True)
class Options:
    """What a run is asked for."""

    limits: Limits = field(default_factory=Limits)
    external: bool = False
    """Whether external entries are reflected on as well, on their own."""
    extract: bool = False
    """Whether statements are taken out of single entries instead."""
    dry: bool = False
    """Whether nothing is written, and no model is called but a free one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one group."""

    group: Group
    tokens_in: int
    """Of what the model is asked, by the named counter."""
    proposed: Proposed | None
    """None where no model was called, it failed, or the group had been written before."""
    results: tuple[WriteResult, ...] = ()
    """Of each draft, what became of it; in a dry run, what would, as far as its text alone decides."""
    linked: int = 0
    """Causal links written."""
    failure: str = ""
    """Why the group is not done."""


@dataclass(frozen=True, slots=True)
class Reflection:
    """A run, or what it would be."""

    outcomes: tuple[Outcome, ...]
    counter: str
    """What tokens were counted with."""
    most_writes: int
    """Entries and links that the groups can come to, at most."""
    most_tokens_out: int
    """Tokens that the model can reply, at most."""
    stopped: bool = False
    """Whether it ended early, the model having failed again and again."""

    @property
    def tokens_in(self) -> int:
        """Of all that the model is asked."""
        return sum(outcome.tokens_in for outcome in self.outcomes)

    @property
    def failures(self) -> tuple[str, ...]:
        """Of each group that is not done, why."""
        return tuple(outcome.failure for outcome in self.outcomes if outcome.failure)

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """What the model proposed and is not used."""
        return tuple(d for outcome in self.outcomes if outcome.proposed for d in outcome.proposed.dropped)


Progress = Callable[[int, int], None]
"""Told how many groups of how many are done."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run works with."""

    memory: "Memory"
    store: Store
    chat: ChatModel
    now: datetime
    counter: TokenCounter


def reflect(run: Run, options: Options, progress: Progress | None = None) -> Reflection:
    """Reflect on the next groups.

    A group that the model fails on, or whose reply cannot be read at all, is passed over and stays undone; after three
    in a row the run stops. ``progress`` is told how many groups of how many were asked about.
    """
    asker: Asker = ChatExtractor(run.chat) if options.extract else Reflector(run.chat)
    trust = {Trust.SYSTEM, Trust.LEARNED} | ({Trust.EXTERNAL} if options.external else set())
    scope = run.memory.scope
    with run.store.view(scope, run.now, trust) as view:
        chosen = asker.groups(view, run.store.reflected, options.limits, run.counter)
    written = _written(run)
    outcomes: list[Outcome] = []
    failed = 0
    for number, group in enumerate(chosen, start=1):
        outcome = _one(run, asker, group, options.dry, written)
        outcomes.append(outcome)
        failed = failed + 1 if outcome.failure else 0
        if progress is not None:
            progress(number, len(chosen))
        if failed == _MOST_FAILURES:
            break
    return Reflection(
        outcomes=tuple(outcomes),
        counter=run.counter.name,
        most_writes=len(chosen) * asker.most_writes,
        most_tokens_out=len(chosen) * run.chat.parameters.max_tokens,
        stopped=len(outcomes) < len(chosen),
    )


def _one(run: Run, asker: Asker, group: Group, dry: bool, written: Collection[str]) -> Outcome:
    tokens_in = sum(run.counter.count(message.content) for message in asker.messages(group))
    if f"{CHANNEL}{group.digest}" in written:
        if not dry:
            _note(run, group)
        return Outcome(group, 0, None)
    if dry and not run.chat.free:
        return Outcome(group, tokens_in, None)
    try:
        asked = asker.ask(group)
    except ChatFailed as error:
        return Outcome(group, tokens_in, None, failure=str(error))
    found = asked.proposed
    if not found.readable:
        cut = ", and was cut: raise max_tokens under [chat]" if asked.reply.cut else ""
        return Outcome(group, tokens_in, found, failure=f"the reply held none of the lists{cut}")
    if dry:
        return Outcome(group, tokens_in, found, tuple(_preview(run, group, draft) for draft in found.drafts))
    linked = sum(_link(run.memory, cause) for cause in found.causes)
    results = run.memory.remember(found.drafts) if found.drafts else ()
    _note(run, group)
    return Outcome(group, tokens_in, found, results, linked)


def _preview(run: Run, group: Group, draft: Draft) -> WriteResult:
    sources = {entry.id: entry for entry in group.entries}
    validate = run.memory.settings.write.validate
    made = entry_of(draft, run.memory.scope, _NO_ID, run.now, sources, validate)
    if isinstance(made, Refusal):
        return WriteResult("refused", None, made.reason)
    return WriteResult("stored", None, made.remark, made.entry.masked)


def _note(run: Run, group: Group) -> None:
    private = group.entries[0].visibility == "private"
    run.store.note_reflected(run.memory.scope, private, group.digests, run.now)


def _link(memory: "Memory", cause: Cause) -> bool:
    """Write a link unless it is there."""
    for event in memory.history(cause.effect).events:
        if event.kind == "caused_by" and event.other_id == cause.cause:
            return False
    memory.link(cause.cause, cause.effect, cause.confidence)
    return True


def _written(run: Run) -> set[str]:
    """The channels of what was derived here before, ended entries included."""
    return {
        entry.source.channel
        for kind in DERIVED
        for entry in run.store.listing(run.memory.scope, Filter(kind=kind, ended=True, newest=_ALL), run.now)
        if (entry.source.channel or "").startswith(CHANNEL) and entry.source.channel is not None
    }
