"""The plan: everything that decides a study, fixed before anything is paid."""

import json
import os
import platform
import re
from pathlib import Path

from truerecall import __version__
from truerecall.bench.outputs import write_whole
from truerecall.bench.provenance import checkout, without_paths
from truerecall.bench.secrecy import without_addresses
from truerecall.core.clock import isoformat
from truerecall.errors import StudyError
from truerecall.memory.write.mask import mask
from truerecall.models.protocols import ChatParameters
from truerecall.models.specs import parse_spec
from truerecall.study.design import Approval, KeyFact, Question, Study
from truerecall.study.folder import ENVIRONMENT, PLAN, StudyRun, keep, record_text
from truerecall.study.frozen import Frozen
from truerecall.study.order import runs_in_order
from truerecall.study.planned import (
    Environment,
    Plan,
    PlannedCheckout,
    PlannedFact,
    PlannedQuestion,
    PlannedSolver,
)
from truerecall.study.running.options import RunOptions
from truerecall.study.sides.table import planned_side
from truerecall.study.solvers.protocol import Solver
from truerecall.study.tally import price_rows

_COMMAND = re.compile(r"/[a-z][\w:-]*(?:\s|\Z)")
RULES = "rules"
"""Named as the rewriter: no model, the rules alone."""


def make_plan(study: Study, frozen: Frozen, solver: Solver, options: RunOptions) -> Plan:
    """The plan of a study as it stands now; of one whose keys are not approved it is good for an estimate alone.

    Raises:
        StudyError: the solver cannot be used.
    """
    solver.check()
    _check_commands(study)
    questions = [_question(question) for question in study.questions]
    sides = [planned_side(side, study) for side in study.sides]
    rewriter, judge, checker = (_named(spec) for spec in grader_specs(study))
    asked = {study.solver.model, judge, checker, *([] if rewriter == RULES else [rewriter])}
    return Plan(
        name=study.name,
        scripted=options.scripted or judge.startswith("scripted:"),
        elsewhere=_elsewhere(study),
        solver=PlannedSolver(
            name=study.solver.name,
            model=study.solver.model,
            version=solver.version(),
            arguments=list(solver.arguments()),
            max_turns=study.solver.max_turns,
            timeout=study.solver.timeout,
        ),
        rewriter=rewriter,
        judge=judge,
        checker=checker,
        repeats=study.repeats,
        followups=study.followups,
        again=study.again,
        seed=study.seed,
        questions=questions,
        sides=sides,
        runs=runs_in_order(questions, sides, study.repeats, study.seed),
        memory={export.name: export.sha256 for export in frozen.exports},
        extraction_cost=study.memory.extraction_cost,
        prices_dated=options.prices.dated,
        prices_sha256=options.prices.sha256,
        prices=price_rows(sorted(asked), options.prices),
    )


def grader_specs(study: Study) -> tuple[str, str, str]:
    """The specs of rewriter, judge and checker."""
    graders = study.graders
    return graders.rewriter, graders.judge, graders.checker or graders.judge


def _check_commands(study: Study) -> None:
    """Whether each prompt would be asked: one that begins like ``/compact`` is a command to a coding agent."""
    for question in study.questions:
        for name, text in (("question.md", question.text), ("request.md", question.request)):
            if _COMMAND.match(text):
                raise StudyError(
                    f"{text.split()[0]} is a command of the solver, and no question",
                    where=f"questions/{question.id}/{name}",
                    remedy="Begin it with a word.",
                )


def _elsewhere(study: Study) -> list[str]:
    """Who is asked at another address than the provider's own, where any model may listen; never which address."""
    names = ("rewriter", "judge", "checker")
    found = [
        name
        for name, spec in zip(names, grader_specs(study), strict=True)
        if spec != RULES and parse_spec(spec, ChatParameters()).base_url
    ]
    return (
        ["solver", *found] if any(name.endswith("_BASE_URL") for name in study.solver.environment) else found
    )


def keep_plan(run: StudyRun, plan: Plan, options: RunOptions) -> None:
    """Fix the plan in the run folder, or hold it against the one that is there.

    Raises:
        StudyError: the folder holds another plan, or something that is no run.
    """
    path = run.folder / PLAN
    if path.is_file():
        if differing := _differing(run.plan(), plan):
            raise StudyError(
                f"the run was begun with another {', '.join(differing)}",
                where=str(run.folder),
                remedy="Put that back as it was, or name a new folder with --out: runs of two plans are not mixed.",
            )
        return
    _check_empty(run.folder)
    keep(run.folder / ENVIRONMENT, _environment(options))
    write_whole(path, record_text(plan))


def _check_empty(folder: Path) -> None:
    foreign = [path.name for path in folder.iterdir() if path.name != ENVIRONMENT and path.suffix != ".part"]
    if foreign:
        raise StudyError(
            "the folder holds something that is no run of a study",
            where=str(folder),
            remedy="Name an empty or a new folder with --out.",
        )


def _differing(old: Plan, new: Plan) -> list[str]:
    """The names of what two plans do not share."""
    before, after = (json.loads(plan.model_dump_json()) for plan in (old, new))
    return [name.replace("_", " ") for name in before if before[name] != after[name]]


def _environment(options: RunOptions) -> Environment:
    commit, dirty = checkout(Path(__file__).resolve().parents[4])
    return Environment(
        created=isoformat(options.clock()),
        truerecall=__version__,
        commit=commit,
        dirty=dirty,
        python=platform.python_version(),
        system=platform.system(),
        cores=os.cpu_count(),
        command=mask(without_paths(without_addresses(options.command, "URL"))).text,
    )


def _question(question: Question) -> PlannedQuestion:
    approval = question.approval or Approval("", question.asked_at, "")
    return PlannedQuestion(
        id=question.id,
        text=question.text,
        request=question.request,
        asked_at=isoformat(question.asked_at),
        control=question.control,
        checkouts=[
            PlannedCheckout(repository=one.repository, commit=one.commit) for one in question.checkouts
        ],
        session_key=[_fact(fact) for fact in question.session_key],
        truth_key=[_fact(fact) for fact in question.truth_key],
        approved_by=approval.by,
        approved_at=isoformat(approval.at),
        approved_sha256=approval.sha256,
    )


def _fact(fact: KeyFact) -> PlannedFact:
    return PlannedFact(number=fact.number, text=fact.text, place=str(fact.place), wrong=fact.wrong)


def _named(spec: str) -> str:
    """A grader without address and options: what decides the plan, and may be shown."""
    return spec if spec == RULES else parse_spec(spec, ChatParameters()).name
