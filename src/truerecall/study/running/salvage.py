"""What a killed process left: the calls that were paid for a prompt that nobody waited for."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from truerecall.study.folder import DISCARDED, StudyRun, keep
from truerecall.study.planned import Plan, PlannedRun
from truerecall.study.records import Exchange
from truerecall.study.solvers.protocol import Seat, Solver

BROKEN_OFF = "the study was broken off"
"""How the problem begins of an exchange that was ended from outside."""
AT_LIMIT = f"{BROKEN_OFF}: one call more of the model could have passed the limit of the costs"
"""The problem of one that was ended at the limit."""
LEFT_BEHIND = f"{BROKEN_OFF}; the calls of a prompt that was under way may have been paid besides"
"""Why an attempt does not count that a process left unfinished."""
GRADED_LATE = (
    f"{BROKEN_OFF} by a failed call of the judge; marked since, its last answer would need another prompt"
)
"""Why one does not count that cannot go on."""
_MARK = "mark"


def leave_mark(seat: Seat, run: PlannedRun, attempt: int) -> None:
    """Note beside a home whose it is, in a word that tells a solver nothing."""
    (seat.home.parent / _MARK).write_text(_marked(run, attempt), encoding="ascii")


def salvage(work: Path, run: StudyRun, plan: Plan, solver: Solver) -> None:
    """Keep what solvers had used when their study was killed, as an exchange that failed; before the homes are cleared.

    Without it only the exchanges that had ended would be counted. A call that was under way at that moment is in no
    transcript, and stays unknown.
    """
    homes = {
        mark.read_text(encoding="ascii", errors="replace"): mark.parent / "home"
        for mark in work.glob(f"*/{_MARK}")
    }
    for planned, attempt in _unfinished(run, plan):
        home = homes.get(_marked(planned, attempt))
        if home is None:
            continue
        exchanges = run.exchanges(planned, attempt)
        known = {call.id for exchange in exchanges for call in exchange.calls}
        calls = [call for call in solver.left_in(home) if call.id not in known]
        if calls:
            left = Exchange(
                kind="follow-up" if exchanges else "question",
                prompt="",
                ended="failed",
                problem=f"{BROKEN_OFF} by a signal that cannot be caught; what is counted stood in the transcript",
                calls=calls,
                seconds=0.0,
            )
            keep(run.attempt(planned, attempt) / f"exchange-{len(exchanges)}.json", left)


def _unfinished(run: StudyRun, plan: Plan) -> Iterator[tuple[PlannedRun, int]]:
    for planned in plan.runs:
        row = run.row(planned)  # a run that failed may be done anew while its row still stands
        for attempt in run.attempts(planned):
            is_row = row is not None and row.attempt == attempt
            if not is_row and not (run.attempt(planned, attempt) / DISCARDED).is_file():
                yield planned, attempt


def _marked(run: PlannedRun, attempt: int) -> str:
    told = json.dumps([run.question, run.side, run.repeat, attempt])
    return sha256(told.encode()).hexdigest()[:16]
