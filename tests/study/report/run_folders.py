"""Run folders of studies that never ran: what a report is made from, written as a run writes it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from finished_studies import a_plan, a_run, finished, of_run, used

from truerecall.bench.qa.records import Called, Message, Request, Stage
from truerecall.bench.qa.stages import STAGES, StageStore
from truerecall.study.folder import CUTS, DISCARDED, ENVIRONMENT, PLAN, ROW, Finished, StudyRun, keep
from truerecall.study.planned import Cut, Plan, PlannedRun, PriceRow
from truerecall.study.records import (
    Blinded,
    Call,
    Discarded,
    Exchange,
    Graded,
    Marking,
    RunRow,
    Suspect,
    ToolUse,
)

OPUS = PriceRow(input=4.0, output=20.0, cache_read=0.2, cache_write_5m=5.0, cache_write_1h=8.0)
Suspects = Mapping[str, Sequence[Suspect]]


def planned(run: str) -> PlannedRun:
    """The run called ``QUESTION SIDE REPEAT``."""
    question, side, repeat = run.split()
    return PlannedRun(question=question, side=side, repeat=int(repeat))


def thrown(run: str, reason: str, attempt: int = 1, detail: str = "", tokens: int = 500) -> Discarded:
    """An attempt that does not count."""
    question, side, repeat = run.split()
    told = {"question": question, "side": side, "repeat": int(repeat), "attempt": attempt, "reason": reason}
    return Discarded.model_validate({**told, "detail": detail, "spent": used(tokens, 0.25)})


def all_correct(plan: Plan) -> list[RunRow]:
    """Every run of a plan, correct at once; with a memory at half of what it takes without one."""
    return [
        a_run(of_run(run), 0, 500 if run.side.startswith("memory") else 1000,
              0.05 if run.side.startswith("memory") else 0.1)
        for run in plan.runs
    ]  # fmt: skip


def a_study(questions: int = 2, controls: int = 1, **changes: object) -> Finished:
    """All of it finished and correct."""
    plan = a_plan(questions, controls, **changes)  # type: ignore[arg-type]
    return finished(plan, all_correct(plan))


def denied(tool: str, **given: str) -> ToolUse:
    """A use of a tool that was denied."""
    return ToolUse(id="d", name=tool, input=dict(given), outcome="denied")


def exchange(uses: Sequence[ToolUse] = (), answer: str = "So.") -> Exchange:
    """A question and its answer."""
    return Exchange(
        kind="question", prompt="What?", answer=answer, ended="answered", uses=list(uses), seconds=1.0,
        calls=[Call(id="m1", model="m", input=1, output=1)],
    )  # fmt: skip


def graded(text: str, suspects: Sequence[Suspect] = ()) -> Graded:
    """A blinded answer."""
    return Graded(
        exchange=0,
        followups=0,
        blinded=Blinded(text=text, state="clean"),
        truth=Marking(key="truth", state="valid"),
        suspects=list(suspects),
    )


def written(
    folder: Path,
    study: Finished,
    texts: Mapping[str, str] | None = None,
    uses: Mapping[str, Sequence[ToolUse]] | None = None,
    suspects: Suspects | None = None,
) -> StudyRun:
    """The folder of a study; by the name of a run the blinded first answer, uses of tools and suspected claims."""
    texts, uses, suspects = texts or {}, uses or {}, suspects or {}
    folder.mkdir(parents=True, exist_ok=True)
    run = StudyRun(folder)
    keep(folder / PLAN, study.plan)
    keep(folder / ENVIRONMENT, study.environment)
    if study.cuts:
        run.keep_cuts(study.cuts)
    for row in study.rows:
        name = f"{row.question} {row.side} {row.repeat}"
        claims = suspects.get(name, ())
        if row.answers and claims:
            first = row.answers[0].model_copy(update={"suspects": len(claims)})
            row = row.model_copy(update={"answers": [first, *row.answers[1:]]})
        place = run.attempt(planned(name), row.attempt)
        if row.answers:
            keep(place / "graded-0.json", graded(texts.get(name, "It is so."), claims))
        keep(place / "exchange-0.json", exchange(uses.get(name, ())))
        keep(run.place(planned(name)) / ROW, row)
    for one in study.discarded:
        keep(run.attempt(planned(f"{one.question} {one.side} {one.repeat}"), one.attempt) / DISCARDED, one)
    return run


def a_cut(question: str) -> Cut:
    """The memory of the day of a question."""
    return Cut(question=question, sha256="c" * 64, entries=1200, later_entries=6, later_events=2)


def ask(folder: Path, stage: Stage, model: str, times: int, lost: int = 0) -> None:
    """Calls of a grading model, as the stage store of a run keeps them; ``lost`` ones began and never came back."""
    store = StageStore(folder / STAGES)
    for number in range(times + lost):
        request = Request(
            stage=stage, model=model, identity="a", parameters={"sample": number},
            messages=[Message(role="user", content=f"{stage} {number}")],
        )  # fmt: skip
        store.begin("made up", request)
        if number < times:
            called = Called(
                text="yes", finish_reason="stop", tokens_in=1000, tokens_cached=100, tokens_out=50
            )
            store.keep("made up", request, called)
    store.close()


def tables(markdown: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The tables of a page: each caption with its rows by column."""
    parts = re.split(r"^(?:\*\*(.+)\*\*|<summary>(.+)</summary>)\n\n(?=\|)", markdown, flags=re.MULTILINE)
    for bold, folded, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        lines = []
        for line in rest.splitlines():
            if not line.startswith("|"):
                break
            lines.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        yield bold or folded, [dict(zip(lines[0], row, strict=True)) for row in lines[2:]]


def table(markdown: str, caption: str) -> list[dict[str, str]]:
    """The rows of the one table whose caption begins so."""
    (rows,) = (found for told, found in tables(markdown) if told.startswith(caption))
    return rows


__all__ = [
    "CUTS", "OPUS", "a_cut", "a_plan", "a_run", "a_study", "all_correct", "ask", "denied", "exchange", "finished",
    "graded", "of_run", "planned", "table", "tables", "thrown", "used", "written",
]  # fmt: skip
