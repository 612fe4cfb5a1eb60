"""The ledger, held against what it was made from: every row of a run folder worked out anew."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from truerecall.study.folder import StudyRun
from truerecall.study.planned import Plan, PlannedRun
from truerecall.study.records import RunRow
from truerecall.study.tally import row, spent


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A place where a run folder contradicts itself."""

    where: str
    """Question, side and repeat."""
    what: str


def disagreements(run: StudyRun) -> list[Disagreement]:
    """What in a run folder is not what its exchanges, marks and prices make of it; empty where all agrees.

    Every file of a finished attempt by its hash, tokens and money of each row and each discarded attempt, what each
    answer was given for, whether it was correct, and the hash of each injected block.

    Raises:
        StudyError: the folder holds no run, or a file of it is damaged.
    """
    plan = run.plan()
    return [found for planned in plan.runs for found in _of(run, plan, planned)]


def _of(run: StudyRun, plan: Plan, planned: PlannedRun) -> Iterator[Disagreement]:
    where = f"{planned.question}, {planned.side}, repeat {planned.repeat}"
    kept = run.row(planned)
    for discarded in run.discarded_of(planned):
        if spent(run.exchanges(planned, discarded.attempt), plan.prices) != discarded.spent:
            yield Disagreement(
                where, f"attempt {discarded.attempt}: what it spent is not what its exchanges used"
            )
    if kept is None or kept.attempt in [one.attempt for one in run.discarded_of(planned)]:
        return  # of a run of which no attempt counts, the attempts say all
    now = run.files(planned, kept.attempt)
    for name in sorted({*kept.files, *now}):
        if kept.files and kept.files.get(name) != now.get(name):
            yield Disagreement(
                where, f"{name} {'was changed' if name in now else 'is gone'} since the run was finished"
            )
    made = _made(run, plan, planned, kept)
    for name in type(kept).model_fields:
        if name != "files" and getattr(kept, name) != getattr(made, name):
            yield Disagreement(
                where, f"its {name.replace('_', ' ')} is not what its exchanges and marks make it"
            )
    block = kept.admission.block
    if block and sha256(block.encode()).hexdigest() != kept.admission.block_sha256:
        yield Disagreement(where, "the hash of its block is not that of the block")


def _made(run: StudyRun, plan: Plan, planned: PlannedRun, kept: RunRow) -> RunRow:
    side = next(one for one in plan.sides if one.name == planned.side)
    question = next(one for one in plan.questions if one.id == planned.question)
    return row(
        planned,
        side,
        question,
        (plan.runs.index(planned), kept.attempt),
        (run.exchanges(planned, kept.attempt), run.graded(planned, kept.attempt)),
        (kept.admission, kept.audit, kept.block),
        plan.prices,
    )
