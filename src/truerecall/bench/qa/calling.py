"""Asking a model, and keeping what came of it: no call is made twice, and none without a mark on disk."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from queue import SimpleQueue
from time import perf_counter
from typing import Literal

from truerecall.bench.progress import Progress, Report
from truerecall.bench.qa.records import Called, Request, Stage
from truerecall.bench.qa.roles import name_of
from truerecall.bench.qa.spending import Purse, Tokens, tokens_at_most
from truerecall.bench.qa.stages import StageStore
from truerecall.bench.systems.wire import whole
from truerecall.errors import ChatFailed, ChatRefused, RunError
from truerecall.models.protocols import ChatMessage, ChatModel, ServedModel
from truerecall.models.unsaid import Unsaid

FAILURES = 10
"""Failed calls in a row that end a run: the eleventh would fail too."""
EMPTY = "the answer is empty"
"""How the failure of a call begins whose answer says nothing."""
_UNSAID = "the answer holds a piece of a key that is in use, so it was not kept"


@dataclass(frozen=True, slots=True)
class Due:
    """A call whose result a run needs."""

    key: str
    tokens: int
    """Of its messages, by the run's counter."""
    make: Callable[[], Request]
    """Called when it is asked: requests hold whole contexts, so not all are kept in memory."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms models are asked."""

    store: StageStore
    """Keeps every result."""
    run: str
    """The run's name: marks of calls that are under way carry it."""
    purse: Purse
    """Says whether a further call may be made."""
    jobs: int = 4
    """Calls under way at once, of models that are not free; the others are asked in order."""
    retry_failed: bool = False
    """Ask failed calls again."""
    report: Report = lambda progress: None
    """Told of every call."""
    unsaid: Unsaid = field(default_factory=lambda: Unsaid(()))
    """The keys that are in use: an answer with one is not kept."""
    timer: Callable[[], float] = perf_counter
    """Seconds that only rise."""


class Caller:
    """Asks models, and keeps count of it."""

    def __init__(self, terms: Terms) -> None:
        """Ask on these terms."""
        self._terms = terms
        self.made: Counter[Stage] = Counter()
        """Calls that were made, by stage."""
        self.reused: Counter[Stage] = Counter()
        """Results that were there, by stage."""

    def ask(self, stage: Stage, model: ChatModel, dues: Iterable[Due]) -> None:
        """Have every one of these answered; each is in the store then, as an answer or as a failure.

        Raises:
            ChatRefused: no further call would be answered; nothing is kept of this one.
            RunError: ten calls in a row failed, or the next one could pass the limit of the costs.
        """
        wanted = {due.key: due for due in dues}
        known = self._terms.store.known(wanted)
        waiting = deque(due for key, due in wanted.items() if self._is_due(known.get(key)))
        asked = _Round(self._terms, stage, model, waiting)
        self.reused[stage] += len(wanted) - len(waiting)
        try:
            asked.go()
        finally:
            self.made[stage] += len(asked.made)
            self.reused[stage] += asked.found

    def waiting(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that would be asked."""
        wanted = set(keys)
        known = self._terms.store.known(wanted)
        return {key for key in wanted if self._is_due(known.get(key))}

    def _is_due(self, failed: bool | None) -> bool:
        return failed is None or (failed and self._terms.retry_failed)


class _Round:
    """One model, asked until nothing is due; everything but the calls themselves happens in one thread."""

    def __init__(self, terms: Terms, stage: Stage, model: ChatModel, waiting: deque[Due]) -> None:
        self._terms = terms
        self._stage = stage
        self._model = model
        self._name = name_of(model)
        self._waiting = waiting
        self._total = len(waiting)
        self._running: dict[str, Request] = {}
        self._ended: SimpleQueue[tuple[str, Called | BaseException]] = SimpleQueue()
        self._failed_in_a_row = 0
        self._started = terms.timer()
        self.made: list[str] = []
        """Keys of the calls that were made."""
        self.found = 0
        """Results that another process was quicker to keep."""

    def go(self) -> None:
        try:
            while self._waiting or self._running:
                self._start()
                if self._running:
                    self._end(*self._ended.get())
        except BaseException:
            # What is under way will be paid: it is waited for and kept. A second Ctrl-C leaves it.
            if self._running:
                self._tell("stopping")
            while self._running:
                self._collect(*self._ended.get())
            raise

    def _start(self) -> None:
        """Put calls under way, as many as may be."""
        store, purse = self._terms.store, self._terms.purse
        most = 1 if self._model.free else self._terms.jobs
        while self._waiting and len(self._running) < most:
            due = self._waiting[0]
            failed = store.known([due.key]).get(due.key)
            if failed is False:
                self._waiting.popleft()
                self.found += 1
                continue
            tokens = Tokens(tokens_at_most(self._model, due.tokens), self._model.parameters.max_tokens)
            wanted = self._model.tries if isinstance(self._model, ServedModel) else 1
            tries = purse.allows(self._name, tokens, wanted)
            if not tries or (tries < wanted and self._running):  # those under way may leave enough for all
                if not self._running:
                    raise purse.stop()
                return
            self._waiting.popleft()
            request = due.make()
            if not self._model.free:
                store.begin(self._terms.run, request)
            purse.reserve(due.key, self._name, tokens, tries)
            self._running[due.key] = request
            if self._model.free:
                self._call(due.key, request, tries)
            else:
                threading.Thread(target=self._call, args=(due.key, request, tries), daemon=True).start()

    def _call(self, key: str, request: Request, tries: int) -> None:
        model = self._model
        try:
            if isinstance(model, ServedModel) and tries < model.tries:
                model = model.trying(tries)
            self._ended.put((key, called_by(model, request, self._terms.unsaid, self._terms.timer)))
        except BaseException as error:  # raised again by who waits for it
            self._ended.put((key, error))

    def _end(self, key: str, outcome: Called | BaseException) -> None:
        called = self._collect(key, outcome)
        if isinstance(outcome, BaseException):
            raise outcome
        self._tell(self._stage)
        self._failed_in_a_row = self._failed_in_a_row + 1 if called is not None and called.failure else 0
        if called is not None and self._failed_in_a_row == FAILURES:
            raise RunError(
                f"{FAILURES} calls in a row failed, the last with: {called.failure}",
                where=self._name,
                remedy="Mend that, then run the same command again with --retry-failed; it goes on from here.",
            )

    def _collect(self, key: str, outcome: Called | BaseException) -> Called | None:
        """Keep what came of a call; None where nothing did."""
        request = self._running.pop(key)
        if isinstance(outcome, BaseException):
            self._terms.purse.settle(key, self._name, None)
            if isinstance(outcome, ChatRefused):
                self._terms.store.give_up(self._terms.run, request)
            return None
        self._terms.purse.settle(key, self._name, outcome)
        self.made.append(key)
        return self._terms.store.keep(self._terms.run, request, outcome)

    def _tell(self, stage: Stage | Literal["stopping"]) -> None:
        done = self._total - len(self._waiting) - len(self._running)
        spent = self._terms.timer() - self._started
        left = round(spent / len(self.made) * (self._total - done), 1) if self.made else None
        self._terms.report(Progress(stage, done, self._total, left, system=self._name))


def called_by(
    model: ChatModel, request: Request, unsaid: Unsaid, timer: Callable[[], float] = perf_counter
) -> Called:
    """Ask a model, and say what came of it.

    Raises:
        ChatRefused: its key, its name or its address is wrong.
        ModelError: it cannot be asked at all.
    """
    messages = [ChatMessage(message.role, message.content) for message in request.messages]
    started = timer()
    try:
        reply = model.reply(messages)
    except ChatRefused:
        raise
    except ChatFailed as error:
        why = whole(error.problem)
        if unsaid.held_by(why):
            why = "the call failed; why is not kept, for it holds a piece of a key"
        return Called(
            failure=why,
            tokens_in=error.tokens_in,
            tokens_out=error.tokens_out,
            tokens_cached=error.tokens_cached,
            tokens_reasoning=error.tokens_reasoning,
            ms=_ms(started, timer),
            tries=error.tries,
        )
    ms = _ms(started, timer)
    told = "\n".join((reply.text, reply.model, reply.finish_reason, *map(str, reply.sent.values())))
    hidden = unsaid.held_by(told)
    text = "" if hidden else whole(reply.text)
    failure = _UNSAID if hidden else None if text.strip() else EMPTY
    if failure == EMPTY and reply.cut:
        failure = f"{EMPTY}: the limit of tokens was used up before it began"
    return Called(
        text=text,
        failure=failure,
        finish_reason="" if hidden else whole(reply.finish_reason),
        model="" if hidden else whole(name_of(model) if reply.model == model.name else reply.model),
        sent={} if hidden else dict(reply.sent),
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        tokens_cached=reply.tokens_cached,
        tokens_reasoning=reply.tokens_reasoning,
        ms=ms,
        tries=reply.tries,
    )


def _ms(started: float, timer: Callable[[], float]) -> float:
    return round((timer() - started) * 1000.0, 3)
