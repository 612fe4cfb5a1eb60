"""The desk at which grading models are asked: what came of a call is on disk before it is used, and is paid once."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from truerecall.bench.outputs import below
from truerecall.bench.qa.calling import EMPTY, called_by
from truerecall.bench.qa.prompting import clean
from truerecall.bench.qa.records import Called, Message, Request
from truerecall.bench.qa.roles import name_of, requested
from truerecall.bench.qa.spending import Purse, Tokens, tokens_at_most
from truerecall.bench.qa.stages import STAGES, StageStore
from truerecall.errors import ChatRefused, RunError, StudyError
from truerecall.measure.prices import PriceTable
from truerecall.models.protocols import ChatMessage, ChatModel, ServedModel
from truerecall.models.tokens import counter
from truerecall.models.unsaid import Unsaid
from truerecall.study.grade.asking import GraderRole
from truerecall.study.grade.spending import STAGE_OF, RoleSpent, role_spent

TRIES = 3
"""Calls of one request before it is given up; each with the tries of its provider's own library."""
FAILURES = 2 * TRIES
"""Failed calls in a row that end a study: a provider that is down is no reason to call a run invalid."""

_Result = TypeVar("_Result")


class GradingDesk:
    """Asks the models that grade, of any number of threads at once; see ``open_desk``.

    Args:
        books: Keeps what they answer.
        run: The name of the study: marks of calls that are under way carry it, requests do not.
        models: By role.
        prices: Of their tokens.
        max_cost: US dollars that all calls together must not pass, with what is charged beside them; those of earlier
            processes count.
        unsaid: The keys that are in use: an answer with one is not kept.
        timer: Seconds that only rise.
    """

    def __init__(
        self,
        books: "_Books",
        run: str,
        models: Mapping[GraderRole, ChatModel],
        prices: PriceTable,
        max_cost: float | None,
        unsaid: Unsaid,
        timer: Callable[[], float],
    ) -> None:
        self._books, self._run, self._models, self._prices = books, run, dict(models), prices
        self._unsaid, self._timer = unsaid, timer
        self._turn = threading.Condition()
        self._one_at_a_time = threading.Lock()
        self._asked: set[str] = set()
        """Keys of the requests that a thread is busy with."""
        self._calling = 0
        self._failed_in_a_row = 0
        self._kept = books.do(_kept)
        self._purse = Purse({name_of(model): model for model in models.values()}, prices.of, max_cost)
        self._purse.spent = sum(one.cost or 0.0 for one in self.spent)
        self.made: Counter[GraderRole] = Counter()
        """Calls that were made by this process, by role; failed ones too."""
        self.reused: Counter[GraderRole] = Counter()
        """Answers that were there already."""
        self.lost = books.do(lambda store: store.lost(run))
        """Calls that earlier processes began and never kept: they may have been paid in vain."""

    @property
    def spent(self) -> tuple[RoleSpent, ...]:
        """What grading has used so far, those of earlier processes included; never a side's cost."""
        with self._turn:
            return tuple(role_spent(role, kept, self._prices.of) for role, kept in self._kept.items() if kept)

    @property
    def cost(self) -> float | None:
        """US dollars of all that; None where a price is not known."""
        costs = [one.cost for one in self.spent]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def charge(self, dollars: float) -> None:
        """Count what somebody else spent, the solvers, towards the same limit; it is in no sum of grading."""
        with self._turn:
            self._purse.spent += dollars

    def ask(self, role: GraderRole, messages: Sequence[ChatMessage], sample: int = 0) -> tuple[str, Called]:
        """The key of the call, and what came of it: asked once, however many threads want it.

        A failed call is made again, and given back as it is after the last try; by the next process it is asked anew.

        Raises:
            ChatRefused: no further call would be answered.
            RunError: the limit of the costs is reached, or call after call fails.
            StudyError: no model has this role.
        """
        model = self._models.get(role)
        if model is None:
            raise StudyError(
                f"no model is there to be the {role}",
                remedy=f"Name one as {role} under [models] in study.toml.",
            )
        request = _request(role, model, messages, sample)
        with self._alone(request.key):
            found = self._books.do(lambda store: store.called(request.key))
            if found is None or found.failure is not None:
                return request.key, self._insist(role, model, request)
            with self._turn:
                self.reused[role] += 1
            return request.key, found

    def _insist(self, role: GraderRole, model: ChatModel, request: Request) -> Called:
        for _ in range(TRIES):
            called = self._call(role, model, request)
            if called.failure is None:
                break
        return called

    def _call(self, role: GraderRole, model: ChatModel, request: Request) -> Called:
        """One call: marked before it is made, kept before it is used."""
        tries = self._reserve(model, request)
        called = None
        try:
            if not model.free:
                self._books.do(lambda store: store.begin(self._run, request))
            trying = model.trying(tries) if isinstance(model, ServedModel) and tries < model.tries else model
            with self._one_at_a_time if model.free else nullcontext():
                called = called_by(trying, request, self._unsaid, self._timer)
        except ChatRefused:
            self._books.do(lambda store: store.give_up(self._run, request))
            raise
        finally:
            self._settle(role, model, request, called)
        kept = self._books.do(lambda store: store.keep(self._run, request, called))
        self._check_failures(model, called)
        return kept

    def _reserve(self, model: ChatModel, request: Request) -> int:
        """Wait until a call may be made, and say how many tries of its own it may take."""
        count = counter().count
        counted = sum(count(message.content) for message in request.messages)
        tokens = Tokens(tokens_at_most(model, counted), model.parameters.max_tokens)
        wanted = model.tries if isinstance(model, ServedModel) else 1
        with self._turn:
            while True:
                allowed = self._purse.allows(name_of(model), tokens, wanted)
                if allowed == wanted or (allowed and not self._calling):
                    break
                if not self._calling:
                    raise self._purse.stop()
                self._turn.wait()  # those under way may leave enough
            self._purse.reserve(request.key, name_of(model), tokens, allowed)
            self._calling += 1
        return allowed

    def _settle(self, role: GraderRole, model: ChatModel, request: Request, called: Called | None) -> None:
        with self._turn:
            self._calling -= 1
            self._purse.settle(request.key, name_of(model), called)
            if called is not None:
                self.made[role] += 1
                self._kept[role].append((name_of(model), _counts(called)))
            self._turn.notify_all()

    def _check_failures(self, model: ChatModel, called: Called) -> None:
        if (called.failure or "").startswith(EMPTY):
            return  # an answer came, if an empty one: the provider is there
        with self._turn:
            self._failed_in_a_row = self._failed_in_a_row + 1 if called.failure is not None else 0
            failed = self._failed_in_a_row
        if failed >= FAILURES:
            raise RunError(
                f"{failed} calls in a row failed, the last with: {called.failure}",
                where=name_of(model),
                remedy="Mend that, then run the same command again; it goes on from here.",
            )

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Equal requests wait for each other: the later one finds what the earlier one paid for."""
        with self._turn:
            while key in self._asked:
                self._turn.wait()
            self._asked.add(key)
        try:
            yield
        finally:
            with self._turn:
                self._asked.discard(key)
                self._turn.notify_all()


class _Books:
    """The stage store in a thread of its own: SQLite's connection serves one thread, and whoever asks waits for it."""

    def __init__(self, path: Path, unsaid: Unsaid) -> None:
        self._clerk = ThreadPoolExecutor(1, thread_name_prefix="stages")
        try:
            self._store = self._clerk.submit(StageStore, path, unsaid).result()
        except BaseException:
            self._clerk.shutdown()
            raise

    def do(self, what: Callable[[StageStore], _Result]) -> _Result:
        """What comes of something that is done with the store; on disk before this returns."""
        return self._clerk.submit(what, self._store).result()

    def close(self) -> None:
        """End the thread, once all is done that it was asked for."""
        try:
            self.do(lambda store: store.close())
        finally:
            self._clerk.shutdown()


@contextmanager
def open_desk(
    folder: Path,
    run: str,
    models: Mapping[GraderRole, ChatModel],
    prices: PriceTable,
    max_cost: float | None = None,
    unsaid: Unsaid | None = None,
    timer: Callable[[], float] = perf_counter,
) -> Iterator[GradingDesk]:
    """The desk of a run folder, for the process that has the run to itself.

    Args:
        folder: The run folder; answers are kept in its ``stages.db``.
        run: The name of the study.
        models: By role; see ``models.specs.model_of``.
        prices: Of their tokens.
        max_cost: US dollars that grading must not pass.
        unsaid: The keys that are in use.
        timer: Seconds that only rise.

    Raises:
        StudyError: a limit is set, and the price of a model is not known.
        RunError: the store cannot be used.
    """
    for model in models.values():
        if max_cost is not None and not model.free and prices.of(name_of(model)) is None:
            raise StudyError(
                f"the price of {name_of(model)} is not known, so no limit of costs can be held",
                where="--max-cost",
                remedy="Give a table with --prices, or leave --max-cost out.",
            )
    unsaid = unsaid or Unsaid(())
    books = _Books(below(folder.resolve(), STAGES), unsaid)
    try:
        yield GradingDesk(books, run, models, prices, max_cost, unsaid, timer)
    finally:
        books.close()


def _request(role: GraderRole, model: ChatModel, messages: Sequence[ChatMessage], sample: int) -> Request:
    return Request(
        stage=STAGE_OF[role],
        model=name_of(model),
        identity=model.identity,
        parameters={**requested(model), **({"sample": sample} if sample else {})},
        messages=[Message(role=message.role, content=clean(message.content)) for message in messages],
    )


def _kept(store: StageStore) -> dict[GraderRole, list[tuple[str, Called]]]:
    return {
        role: [(model, _counts(called)) for model, called in store.results(stage)]
        for role, stage in STAGE_OF.items()
    }


def _counts(called: Called) -> Called:
    """A call without its text: only what it used is summed."""
    return called.model_copy(update={"text": ""})
