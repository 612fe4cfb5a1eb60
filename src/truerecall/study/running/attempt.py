"""One attempt at one run: prompts, audit, grading, until an answer is correct or nothing is left to ask."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from truerecall.bench.qa.records import Called
from truerecall.models.protocols import ChatMessage
from truerecall.study.audit.admission import admission
from truerecall.study.audit.hooks import JournalHooks
from truerecall.study.audit.outside import audit
from truerecall.study.design import Question, Side, Study
from truerecall.study.folder import AUDIT, DISCARDED, ROW, StudyRun, keep, read_record
from truerecall.study.grade.asking import Asker, GraderRole
from truerecall.study.grade.checking import checked
from truerecall.study.grade.code import Sources
from truerecall.study.grade.grading import grade, has_gaps, mark_block, twice, with_gaps_filled
from truerecall.study.grade.marking import is_left_out
from truerecall.study.planned import Plan, PlannedQuestion, PlannedRun, PlannedSide
from truerecall.study.records import Audit, Discarded, Exchange, ExchangeKind, Graded, RunRow
from truerecall.study.running.options import Stage as Told
from truerecall.study.running.planning import RULES
from truerecall.study.running.salvage import AT_LIMIT, BROKEN_OFF, GRADED_LATE, LEFT_BEHIND, leave_mark
from truerecall.study.running.spending import Budget
from truerecall.study.seats import Seats
from truerecall.study.sides.loading import LOADING, Loading
from truerecall.study.sides.table import Stage, equip
from truerecall.study.solvers.protocol import Conversation, Seat, Solver
from truerecall.study.tally import row, spent

FOLLOW_UP = "A reviewer says your answer is incomplete or wrong in places; keep investigating."
"""What is said after an answer that is not correct: never what is missing."""


@dataclass(frozen=True, slots=True)
class Table:
    """All that every attempt of a study works with."""

    study: Study
    plan: Plan
    run: StudyRun
    solver: Solver
    seats: Seats
    cuts: Path
    """The folder of the memories of the day, a file a question."""
    placebo: Mapping[str, str]
    """The neutral text of each question."""
    asker: Asker
    budget: Budget
    """Counts what the solver spends, and says whether a prompt may begin, and go on."""
    told: Callable[[Told, PlannedRun, str], None] = lambda stage, run, why: None
    """Told of each stage of each run, and of what went wrong."""
    talking: "Talking" = field(default_factory=lambda: Talking())

    def question(self, run: PlannedRun) -> tuple[Question, PlannedQuestion]:
        """The question of a run, as its files have it and as it is planned."""
        files = {one.id: one for one in self.study.questions}
        return files[run.question], next(one for one in self.plan.questions if one.id == run.question)

    def sources(self, run: PlannedRun) -> Sources:
        """The repositories of a run's question at their commits: those that its workspaces are copied from."""
        built = self.seats.workspace(self.study, self.question(run)[0])
        return {path.name: path for path in (built.cwd, *built.beside)}.get

    def side(self, run: PlannedRun) -> tuple[Side, PlannedSide]:
        """The side of a run, likewise."""
        files = {one.name: one for one in self.study.sides}
        return files[run.side], next(one for one in self.plan.sides if one.name == run.side)


class Talking:
    """The conversations that are under way, so that they can be ended all at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[Conversation] = set()
        self._ended = False

    @property
    def ended(self) -> bool:
        """Whether no further prompt may be said."""
        return self._ended

    def end(self) -> None:
        """End them, and let none begin."""
        with self._lock:
            self._ended = True
            for conversation in self._open:
                conversation.close()

    @contextmanager
    def held(self, conversation: Conversation) -> Iterator[Conversation]:
        """One conversation, while it is under way; it is closed at the end."""
        with self._lock:
            self._open.add(conversation)
        try:
            yield conversation
        finally:
            with self._lock:
                self._open.discard(conversation)
            conversation.close()


class UntilEnded:
    """Asks the graders, until the study is broken off: then no further call is made.

    Args:
        asker: Who is asked.
        talking: Knows whether it was.
    """

    def __init__(self, asker: Asker, talking: Talking) -> None:
        self._asker, self._talking = asker, talking

    def ask(self, role: GraderRole, messages: Sequence[ChatMessage], sample: int = 0) -> tuple[str, Called]:
        """See ``Asker``.

        Raises:
            Interrupted: the study was broken off.
        """
        if self._talking.ended:
            raise Interrupted
        return self._asker.ask(role, messages, sample)


class Interrupted(Exception):
    """The study was broken off; the attempt is done anew by the next process."""


def attempt(table: Table, run: PlannedRun, number: int, slot: int) -> RunRow | Discarded:
    """Do a run once; what it leaves is on disk as soon as it is there, but for the row itself."""
    folder = table.run.attempt(run, number)
    folder.mkdir(parents=True)
    question, _ = table.question(run)
    side, _ = table.side(run)
    with table.seats.seat(slot, table.study, question, folder / "transcript") as seat:
        leave_mark(seat, run, number)
        neutral = table.placebo.get(question.id, "")
        stage = Stage(table.study, question, seat, table.cuts / f"{question.id}.db", neutral)
        equipment = equip(side, stage)
        if problem := _loading_problem(folder / "transcript" / LOADING):
            table.told("warned", run, f"its memory could not be filled: {problem}")
        done = _Attempt(table, run, number)
        with table.talking.held(table.solver.begin(seat, equipment)) as conversation:
            done.talk(conversation, seat)
        return done.outcome()


def brought_to_an_end(table: Table, run: PlannedRun, number: int) -> RunRow | Discarded | None:
    """What came of an attempt, whose money is counted, that was broken off after its last prompt: it is only graded.

    None of one that must be done anew: a prompt was under way, or another one would have to follow.
    """
    done = _Attempt(table, run, number)
    done.recall()
    return done.outcome() if done.grade_the_rest() else None


def is_to_be_marked(table: Table, run: PlannedRun, row: RunRow) -> bool:
    """Whether failed calls of the graders left something out of a finished run."""
    counts = row.outcome not in ("out", "failed")
    return counts and (is_left_out(row.block) or any(map(has_gaps, table.run.graded(run, row.attempt))))


def marked_anew(table: Table, run: PlannedRun, row: RunRow) -> RunRow | Discarded | None:
    """The row of a finished run, whose money is counted, with all asked for again that ``is_to_be_marked`` misses.

    None where its last answer turns out to be wrong, and its conversation, which is gone, would have to go on: then
    the attempt is discarded, and the run must be done anew.
    """
    done = _Attempt(table, run, row.attempt)
    done.recall()
    if done.fill_gaps():
        return done.outcome()
    discard_interrupted(table.run, run, row.attempt, table.plan, GRADED_LATE)
    (table.run.place(run) / ROW).unlink()
    return None


def _loading_problem(path: Path) -> str:
    """What kept a memory of another kind from being filled; nothing where it was, or had not to be."""
    return read_record(path, Loading).problem if path.is_file() else ""


class _Attempt:
    """What has come of an attempt so far."""

    def __init__(self, table: Table, run: PlannedRun, number: int) -> None:
        self._table, self._run, self._number = table, run, number
        self._question, self._side = table.question(run)[1], table.side(run)[1]
        self._folder = table.run.attempt(run, number)
        self._exchanges: list[Exchange] = []
        self._graded: list[Graded] = []
        self._audit = Audit(uses=0, denied=0)

    def talk(self, conversation: Conversation, seat: Seat) -> None:
        """Ask, and go on asking, until an answer is correct, the run is over, or it is thrown out."""
        ask = partial(self._ask, conversation, seat, JournalHooks(seat.home))
        if self._side.kind == "redo" and not ask(self._question.request, "request"):
            return
        prompt = self._question.text
        kind: ExchangeKind = "question"
        while ask(prompt, kind):
            self._grade()
            if self._is_over:
                return
            prompt, kind = FOLLOW_UP, "follow-up"

    def recall(self) -> None:
        """Take up what an earlier process left on disk."""
        self._exchanges = self._table.run.exchanges(self._run, self._number)
        self._graded = self._table.run.graded(self._run, self._number)
        if self._exchanges and not self._exchanges[-1].problem.startswith(BROKEN_OFF):
            self._audit = read_record(self._folder / AUDIT, Audit)

    def grade_the_rest(self) -> bool:
        """Whether the run is over, once its last answer is graded."""
        last = self._exchanges[-1] if self._exchanges else None
        if last is None or last.kind == "request" or last.problem.startswith(BROKEN_OFF):
            return False
        if self._exchanges[-1].ended == "failed" or self._audit.outside:
            return True
        if not self._graded or self._graded[-1].exchange < len(self._exchanges) - 1:
            self._grade()
        return self._is_over

    def fill_gaps(self) -> bool:
        """Ask again for what failed calls of the graders left out; whether the run is over all the same.

        All is asked before anything is written, and the row goes first: whatever is broken off, no row stands beside
        marks that it does not hold.
        """
        table, found = self._table, []
        for one in self._graded:
            if has_gaps(one):
                filled = with_gaps_filled(one, self._question, table.asker)
                found.append(checked(filled, self._question, table.sources(self._run), table.asker))
        kept = {one.exchange: one for one in found}
        self._graded = [kept.get(one.exchange, one) for one in self._graded]
        if not self._is_over:
            return False
        (table.run.place(self._run) / ROW).unlink()
        for one in found:
            keep(self._folder / f"graded-{one.exchange}.json", one)
            table.told("graded", self._run, "")
        return True

    def outcome(self) -> RunRow | Discarded:
        """The ledger row, or why there is none."""
        if self._audit.outside:
            found = self._audit.outside[0]
            return self._discarded("outside", f"{found.tool}: {found.why}")
        if self._exchanges[-1].ended == "failed":
            return self._discarded("failed", self._exchanges[-1].problem)
        admitted = admission(self._side, self._exchanges)
        kept = self._side.kind == "memory" and not self._question.control
        marker = self._side.marker
        block = mark_block(admitted.block, self._question, self._table.asker, marker) if kept else None
        position = self._table.plan.runs.index(self._run)
        return row(
            self._run,
            self._side,
            self._question,
            (position, self._number),
            (self._exchanges, self._graded),
            (admitted, self._audit, block),
            self._table.plan.prices,
        )

    @property
    def _is_over(self) -> bool:
        last = self._graded[-1]
        return last.correct or last.truth.state == "invalid" or last.followups >= self._table.plan.followups

    @property
    def _is_broken_off(self) -> bool:
        return self._table.talking.ended

    def _ask(
        self, conversation: Conversation, seat: Seat, hooks: JournalHooks, prompt: str, kind: ExchangeKind
    ) -> bool:
        """Say one prompt; whether the attempt goes on."""
        if self._is_broken_off:
            raise Interrupted
        budget = self._table.budget
        with budget.prompt() as spending:
            exchange = _heard(conversation.ask(prompt, kind, spending.limit))
            at_limit = spending.ended_by_limit(exchange)
        ended = BROKEN_OFF if self._is_broken_off else AT_LIMIT if at_limit else ""
        if ended:  # from outside: what it says of itself is no result, but its calls were paid
            exchange = exchange.model_copy(update={"ended": "failed", "problem": ended})
        # A hook of ours that found nothing leaves no line in a transcript; its journal says that it ran.
        exchange = exchange.model_copy(update={"hooks": [*exchange.hooks, *hooks.added()]})
        self._exchanges.append(exchange)
        self._audit = audit(self._exchanges, seat)
        # The audit first: an exchange that is there was held against the workspace, which is gone soon.
        keep(self._folder / AUDIT, self._audit)
        keep(self._folder / f"exchange-{len(self._exchanges) - 1}.json", exchange)
        if ended:
            self._discarded("interrupted", ended)
            raise budget.reached() if ended == AT_LIMIT else Interrupted
        self._table.told("asked", self._run, "")
        return exchange.ended != "failed" and not self._audit.outside

    def _grade(self) -> None:
        exchange = len(self._exchanges) - 1
        followups = sum(one.kind == "follow-up" for one in self._exchanges)
        rules_only = self._table.plan.rewriter == RULES
        again = twice(self._table.plan.seed, self._run, followups)
        asker = self._table.asker
        answer = self._exchanges[exchange].answer
        graded = grade(answer, self._question, exchange, followups, asker, rules_only, again)
        graded = checked(graded, self._question, self._table.sources(self._run), asker)
        self._graded.append(graded)
        keep(self._folder / f"graded-{exchange}.json", graded)
        self._table.told("graded", self._run, "")

    def _discarded(self, reason: str, detail: str) -> Discarded:
        discarded = Discarded.model_validate(
            {
                "question": self._run.question,
                "side": self._run.side,
                "repeat": self._run.repeat,
                "attempt": self._number,
                "reason": reason,
                "detail": detail,
                "spent": spent(self._exchanges, self._table.plan.prices),
                "audit": self._audit,
            }
        )
        keep(self._folder / DISCARDED, discarded)
        return discarded


def _heard(exchange: Exchange) -> Exchange:
    """An exchange in which the model never answered has failed, whatever ended it: a server that is down, say."""
    if exchange.calls or exchange.ended in ("answered", "failed"):
        return exchange
    why = f"the model did not answer once before the {'time' if exchange.ended == 'timeout' else 'rounds'} ran out"
    problem = f"{why}: {exchange.problem}" if exchange.problem else why
    return exchange.model_copy(update={"ended": "failed", "problem": problem})


def discard_interrupted(
    run: StudyRun, planned: PlannedRun, number: int, plan: Plan, why: str = LEFT_BEHIND
) -> Discarded:
    """Mark an attempt that an earlier process left unfinished; what it spent is counted."""
    discarded = Discarded(
        question=planned.question,
        side=planned.side,
        repeat=planned.repeat,
        attempt=number,
        reason="interrupted",
        detail=why,
        spent=spent(run.exchanges(planned, number), plan.prices),
    )
    keep(run.attempt(planned, number) / DISCARDED, discarded)
    return discarded


def unfinished(run: StudyRun, planned: PlannedRun) -> list[int]:
    """Attempts at a run without a row of which nobody has said yet that they do not count."""
    return [
        number for number in run.attempts(planned) if not (run.attempt(planned, number) / DISCARDED).is_file()
    ]
