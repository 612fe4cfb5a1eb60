"""Running a study: what is finished stays, what was broken off is done anew, and nothing is paid twice."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from truerecall.bench.locking import locked
from truerecall.bench.outputs import write_whole
from truerecall.bench.secrecy import keys_of
from truerecall.errors import StudyError
from truerecall.models.protocols import ChatModel, ChatParameters
from truerecall.models.tokens import BOUND, counter
from truerecall.study.cut import cut
from truerecall.study.design import Study
from truerecall.study.estimate import expected_run
from truerecall.study.files.graders import grader_model
from truerecall.study.folder import StudyRun
from truerecall.study.frozen import Frozen, read_frozen
from truerecall.study.grade.asking import GraderRole
from truerecall.study.grade.desk import GradingDesk, open_desk
from truerecall.study.keys.approving import require_approved
from truerecall.study.planned import Plan
from truerecall.study.running.attempt import Table
from truerecall.study.running.options import RunOptions, StudyProgress
from truerecall.study.running.planning import RULES, grader_specs, keep_plan, make_plan
from truerecall.study.running.salvage import salvage
from truerecall.study.running.schedule import Schedule
from truerecall.study.running.spending import Budget
from truerecall.study.seats import Seats
from truerecall.study.sides.placebo import neutral_text
from truerecall.study.sides.preview import preview
from truerecall.study.solvers.table import solver
from truerecall.study.tally import price_row

_PARAMETERS = ChatParameters(max_tokens=8192, timeout=300.0)
"""Of grading models: an answer with its marks is a few thousand tokens."""


def plan_study(study: Study, options: RunOptions) -> Plan:
    """What would be run; nothing is asked, and nothing stays written. Keys need not be approved yet.

    Each workspace is built once and removed, so that a commit that is not there is found now.

    Raises:
        StudyError: an export is damaged, a commit is missing, a grader cannot be asked, or the solver cannot be used.
    """
    plan = make_plan(study, read_frozen(study), solver(study.solver, options.environment), options)
    for spec in _grader_models(study, plan).values():
        grader_model(spec, study.folder, options.environment, _PARAMETERS)
    with tempfile.TemporaryDirectory() as work:
        _look_for_links(study, plan, Seats(Path(work), options.environment), options)
    return plan


def run_study(study: Study, options: RunOptions) -> StudyRun:
    """Run what is not finished yet, and give the folder; a limit of the costs ends it early, and cleanly.

    Raises:
        StudyError: the study, its solver or its folder cannot be used.
        RunError: another process works in the folder.
        ChatRefused: a grading model cannot be asked.
        KeyboardInterrupt: it was broken off; the same call goes on from there.
    """
    require_approved(study)
    chosen = solver(study.solver, options.environment)
    frozen = read_frozen(study)
    plan = make_plan(study, frozen, chosen, options)
    _check_prices(plan, options)
    options.out.mkdir(parents=True, exist_ok=True)
    run = StudyRun(options.out)
    with locked(run.folder):
        keep_plan(run, plan, options)
        with _desk(study, run, plan, options) as desk:
            work = options.work or _work(run)
            salvage(work, run, plan, chosen)
            seats = Seats(work, options.environment)
            _look_for_links(study, plan, seats, options)
            cuts = _cuts(study, frozen, run, plan, options)
            placebo = _placebo(study, run, plan, seats, options)
            budget = Budget(options.max_cost, expected_run(plan), desk, plan.prices)
            table = Table(study, plan, run, chosen, seats, cuts, placebo, desk, budget)
            Schedule(table, options).go()
            seats.close()
    return run


def _look_for_links(study: Study, plan: Plan, seats: Seats, options: RunOptions) -> None:
    """Build every workspace before anything is paid, and tell of links that a solver may follow out of it."""
    for question in study.questions:
        links = seats.workspace(study, question).links_out
        if links:
            what = f"the workspace of {question.id} holds links that lead out, and a run that follows one is thrown out"
            options.report(
                StudyProgress("warned", 0, len(plan.runs), f"{what}: {', '.join(map(str, links[:5]))}")
            )


def _work(run: StudyRun) -> Path:
    """A folder that is the same each time, for the path stands in every request; and that tells nothing."""
    mark = sha256(str(run.folder).encode()).hexdigest()[:8]
    return Path(tempfile.gettempdir()) / f"truerecall-{mark}"


def _check_prices(plan: Plan, options: RunOptions) -> None:
    unknown = price_row(plan.solver.model, plan.prices) is None
    if options.max_cost is not None and unknown:
        raise StudyError(
            f"the price of {plan.solver.model} is not known, so no limit of costs can be held",
            where="--max-cost",
            remedy="Give a table with --prices, or leave --max-cost out.",
        )


def _cuts(study: Study, frozen: Frozen, run: StudyRun, plan: Plan, options: RunOptions) -> Path:
    """The memory of the day of each question; one that is there is kept, as long as it is what it was."""
    folder = run.folder / "cuts"
    folder.mkdir(exist_ok=True)
    known = {one.question: one for one in run.cuts()}
    for question in study.questions:
        target = folder / f"{question.id}.db"
        if question.id in known and target.is_file() and _hash(target) == known[question.id].file_sha256:
            continue
        options.report(StudyProgress("cut", 0, len(plan.runs), question.id))
        for stale in folder.glob(f"{question.id}.*"):
            stale.unlink()
        made = cut(frozen, question, target)
        if question.id in known and known[question.id].sha256 != made.sha256:
            raise StudyError(
                "the memory of the day is not what it was when the run began",
                where=f"cuts/{question.id}.db",
                remedy="Put the frozen memory back as it was, or name a new folder with --out.",
            )
        known[question.id] = made.model_copy(update={"file_sha256": _hash(target)})
        run.keep_cuts([known[one.id] for one in study.questions if one.id in known])
    return folder


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _placebo(study: Study, run: StudyRun, plan: Plan, seats: Seats, options: RunOptions) -> Mapping[str, str]:
    """Neutral text as long as what the memory recalls, by question; nothing without a placebo side."""
    memory = next((side for side in study.sides if side.kind == "memory"), None)
    if memory is None or not any(side.kind == "placebo" for side in study.sides):
        return {}
    folder = run.folder / "placebo"
    folder.mkdir(exist_ok=True)
    texts = {}
    for question in study.questions:
        path = folder / f"{question.id}.txt"
        if not path.is_file():
            options.report(StudyProgress("preview", 0, len(plan.runs), question.id))
            shown = preview(study, question, memory, run.folder / "cuts" / f"{question.id}.db", seats)
            # As a memory has its digest when a session begins and its block at the prompt.
            tokens = sum(map(counter(BOUND).count, (shown.digest, shown.block)))
            write_whole(path, neutral_text(tokens))
        texts[question.id] = path.read_text(encoding="utf-8")
    return texts


def _grader_models(study: Study, plan: Plan) -> dict[GraderRole, str]:
    """The spec of each model that grades."""
    rewriter, judge, checker = grader_specs(study)
    specs: dict[GraderRole, str] = {"judge": judge, "checker": checker}
    return specs if plan.rewriter == RULES else {"rewriter": rewriter, **specs}


@contextmanager
def _desk(study: Study, run: StudyRun, plan: Plan, options: RunOptions) -> Iterator[GradingDesk]:
    specs = _grader_models(study, plan)
    opened: dict[str, ChatModel] = {
        spec: grader_model(spec, study.folder, options.environment, _PARAMETERS)
        for spec in dict.fromkeys(specs.values())
    }
    models = {role: opened[spec] for role, spec in specs.items()}
    with open_desk(
        run.folder, study.name, models, options.prices, options.max_cost, keys_of(options.environment)
    ) as desk:
        yield desk
