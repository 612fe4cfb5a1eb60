"""The order of the runs: which is begun next, on which seat, and when no further one is."""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace

from truerecall.errors import LimitReached, RunError
from truerecall.study.folder import ROW, keep
from truerecall.study.planned import PlannedRun
from truerecall.study.records import Admission, Audit, Discarded, RunRow, Spent
from truerecall.study.running.attempt import (
    Interrupted,
    Table,
    UntilEnded,
    attempt,
    brought_to_an_end,
    discard_interrupted,
    is_to_be_marked,
    marked_anew,
    unfinished,
)
from truerecall.study.running.options import RunOptions, Stage, StudyProgress
from truerecall.study.tally import spent

_LOOK = 0.2  # seconds between two looks at whether somebody pressed Ctrl-C


class Schedule:
    """Does what is not finished, a run after the other or several at once."""

    def __init__(
        self,
        table: Table,
        options: RunOptions,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._options, self._timer = options, timer
        plan, run = table.plan, table.run
        self._total = len(plan.runs)
        self._budget = table.budget
        self._table = replace(table, told=self._told, asker=UntilEnded(table.asker, table.talking))
        self._waiting: deque[PlannedRun] = deque()
        self._waiting.extend(planned for planned in plan.runs if not self._is_done(planned))
        begun = [
            spent(run.exchanges(planned, number), plan.prices)
            for planned in self._waiting
            if not self._stands(planned)
            for number in unfinished(run, planned)
        ]
        self._budget.take([*run.rows(), *run.discarded()], begun)
        self._done = self._total - len(self._waiting)
        self._before = self._done
        self._slots = deque(range(1, options.jobs + 1))
        self._began = timer()
        self._lock = threading.Lock()
        self._unheard = 0
        """Attempts in a row, at whatever runs, that failed before the model answered."""

    def go(self) -> None:
        """Until all is finished, the limit is reached, or somebody breaks it off."""
        with ThreadPoolExecutor(self._options.jobs) as pool:
            running: dict[Future[None], int] = {}
            at_limit = False
            try:
                while self._waiting or running:
                    while self._waiting and self._slots and self._budget.allows(len(running)):
                        slot = self._slots.popleft()
                        running[pool.submit(self._do, self._waiting.popleft(), slot)] = slot
                    if not running:
                        self._tell("stopping", "")
                        return
                    ended, _ = wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED)
                    for future in ended:
                        self._slots.append(running.pop(future))
                        at_limit = self._met_limit(future, at_limit)
            except BaseException:
                # What is under way is ended at once: a prompt may take half an hour, and is paid while it does.
                self._waiting.clear()
                self._table.talking.end()
                raise

    def _met_limit(self, ended: Future[None], before: bool) -> bool:
        """Whether a run has been ended by the limit, this one or one before it; then no further one begins."""
        try:
            ended.result()
        except LimitReached:
            # Those beside it go on to their end: what they still need may cost nothing, or is not over the limit.
            self._waiting.clear()
            if not before:
                self._tell("stopping", "")
            return True
        return before

    def _do(self, run: PlannedRun, slot: int) -> None:
        """Attempts at one run, until one counts or enough were thrown out."""
        self._told("begun", run)
        with suppress(Interrupted):
            self._finish(run, self._attempts(run, slot))

    def _attempts(self, run: PlannedRun, slot: int) -> RunRow:
        plan, folder = self._table.plan, self._table.run
        if ended := self._marked_anew(run) or self._left_behind(run):
            return ended
        thrown = [
            one for one in folder.discarded_of(run) if one.reason != "interrupted" and not _unheard(one)
        ]
        while True:
            if len(thrown) > plan.again:
                return self._out(run, thrown[-1])
            folder.plan()  # whoever removed the folder wants no further run paid
            number = max(folder.attempts(run), default=0) + 1
            outcome = attempt(self._table, run, number, slot)
            if isinstance(outcome, RunRow):
                self._unheard = 0
                return outcome
            thrown.append(outcome)
            self._budget.measure(outcome)
            self._told("thrown out", run, outcome.detail)
            self._look_at_failures(outcome)

    def _stands(self, run: PlannedRun) -> bool:
        """Whether a run has a row that stays; one of attempts at which the model was never heard is done anew."""
        row = self._table.run.row(run)
        if row is None or row.outcome != "failed":
            return row is not None
        thrown = self._table.run.discarded_of(run)
        return not thrown or not all(map(_unheard, thrown))

    def _is_done(self, run: PlannedRun) -> bool:
        """Whether nothing is left to do for a run: its row stays, and no failed call of a grader left a gap in it."""
        row = self._table.run.row(run)
        return row is not None and self._stands(run) and not is_to_be_marked(self._table, run, row)

    def _look_at_failures(self, thrown: Discarded) -> None:
        """End the study where two runs in a row fail at all attempts: a provider that is down is no side's result."""
        with self._lock:
            self._unheard = self._unheard + 1 if _unheard(thrown) else 0
            failed = self._unheard
        if failed >= 2 * (self._table.plan.again + 1):
            raise RunError(
                f"{failed} attempts in a row failed before the model answered, the last with: {thrown.detail}",
                where=f"{self._table.plan.solver.model}: {thrown.question}, {thrown.side}",
                remedy="Mend that, then run the same command again: those runs are done anew.",
            )

    def _marked_anew(self, run: PlannedRun) -> RunRow | None:
        """The row of a run that was finished but for marks that failed calls left out."""
        row = self._table.run.row(run)
        outcome = marked_anew(self._table, run, row) if row is not None and self._stands(run) else None
        return outcome if isinstance(outcome, RunRow) else None

    def _left_behind(self, run: PlannedRun) -> RunRow | None:
        """The row of an attempt of an earlier process that only had to be graded; others of it do not count."""
        plan, folder = self._table.plan, self._table.run
        for number in unfinished(folder, run):
            outcome = brought_to_an_end(self._table, run, number)
            if isinstance(outcome, RunRow):
                return outcome
            if outcome is None:
                discard_interrupted(folder, run, number, plan)
        return None

    def _finish(self, run: PlannedRun, row: RunRow) -> None:
        files = self._table.run.files(run, row.attempt)
        keep(self._table.run.place(run) / ROW, row.model_copy(update={"files": files}))
        self._budget.measure(row)
        with self._lock:
            self._done += 1
        self._told("finished", run)

    def _out(self, run: PlannedRun, last: Discarded) -> RunRow:
        """The row of a run of which every attempt was thrown out: it is counted, and its money stands there."""
        _, side = self._table.side(run)
        return RunRow(
            question=run.question,
            side=run.side,
            kind=side.kind,
            repeat=run.repeat,
            attempt=last.attempt,
            position=self._table.plan.runs.index(run),
            outcome="out" if last.reason == "outside" else "failed",
            problem=last.detail,
            admission=Admission(delivered=False, per_protocol=False, reason="no attempt counts"),
            audit=last.audit or Audit(uses=0, denied=0),
            spent=Spent(),
            seconds=0.0,
        )

    def _told(self, stage: Stage, run: PlannedRun, why: str = "") -> None:
        self._tell(stage, f"{run.question}, {run.side}, repeat {run.repeat}" + (f": {why}" if why else ""))

    def _tell(self, stage: Stage, what: str) -> None:
        with self._lock:
            made = self._done - self._before
            pace = (self._timer() - self._began) / made if made else None
            left = None if pace is None else round(pace * (self._total - self._done), 1)
            spent = None if self._table.plan.scripted else self._budget.spent  # a script is not paid
            self._options.report(
                StudyProgress(stage, self._done, self._total, what, left, spent, self._budget.left)
            )


def _unheard(thrown: Discarded) -> bool:
    """Whether an attempt failed before the model answered once."""
    return thrown.reason == "failed" and not thrown.spent.calls
