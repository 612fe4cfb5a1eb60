"""Question by question: what each side did with it, what memory saved on it, and every run."""

from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.study.figures.records import Dot, Measure, QuestionFigures, SideOnQuestion, View
from truerecall.study.report.amounts import NAMES, NONE, amount, share
from truerecall.study.report.behind import Behind, ClaimsOn

_STATES = {"reached": "", "not reached": "not reached", "no price": "no price", "no runs": "no runs"}
_MEASURES: tuple[Measure, ...] = ("tokens", "cost", "uncached_cost", "seconds")


def sections(view: View, behind: Behind) -> tuple[Section, ...]:
    """One a question, controls too."""
    return tuple(_section(question, behind) for question in view.questions)


def key(question: str) -> str:
    """By which a page finds the section of a question."""
    return f"question-{question}"


def _section(question: QuestionFigures, behind: Behind) -> Section:
    if question.control:
        title = f"Control question {question.question}"
        tables = [_sides(question, behind), _runs(question, behind)]
    else:
        title = f"Question {question.question}"
        tables = [_sides(question, behind), _savings(question), _runs(question, behind)]
    return section(key(question.question), title, [question.text], tables)


def _sides(question: QuestionFigures, behind: Behind) -> Table:
    rows = [
        (
            side.side,
            f"{side.correct} of {side.counted}",
            ", ".join(_after(dot) for dot in side.dots) or NONE,
            _hits([dot.truth_hits for dot in side.dots], question.truth_facts),
            *(_STATES[one.state] or amount(one.value, one.measure) for one in side.medians),
            _claims(behind.claims_of(question.question, side.side)),
            *(
                [f"{sum(dot.misled for dot in side.dots)} of {len(side.dots)}"]
                if question.wrong_facts
                else []
            ),
            f"{sum(dot.delivered for dot in side.dots)} of {len(side.dots)}" if side.dots else NONE,
        )
        for side in question.sides
    ]
    columns = [
        "side", "correct", "follow-ups until then", "facts in the last answer",
        *(NAMES[measure] for measure in _MEASURES), "wrong claims",
        *(["misled"] if question.wrong_facts else []), "text injected",
    ]  # fmt: skip
    return table(
        f"{question.question}: by side, amounts as medians to the first correct answer", columns, rows
    )


def _after(dot: Dot) -> str:
    """Follow-ups before the first correct answer, or how it ended instead."""
    if dot.correct_after is not None:
        return str(dot.correct_after)
    return {"wrong": "never", "out": "thrown out"}.get(dot.outcome, dot.outcome)


def _hits(hits: list[int | None], facts: int) -> str:
    told = [NONE if one is None else str(one) for one in hits]
    return f"{', '.join(told)} of {facts}" if told else NONE


def _claims(found: ClaimsOn | None) -> str:
    """Those that a person called wrong, and those that wait for one."""
    if found is None:
        return "0"
    return f"{found.wrong}, {found.waiting} not decided" if found.waiting else str(found.wrong)


def _savings(question: QuestionFigures) -> Table:
    rows = [
        (
            f"{one.side}: {NAMES[one.measure]}",
            amount(one.memory, one.measure),
            one.against or NONE,
            amount(one.other, one.measure),
            share(one.saved) if one.saved is not None else f"no saving: {one.reason}",
        )
        for one in question.savings
    ]
    columns = ["memory side", "its median", "against", "median of that side", "saved"]
    return table(f"{question.question}: saved", columns, rows)


def _runs(question: QuestionFigures, behind: Behind) -> Table:
    rows = [_run(question, side, dot, behind) for side in question.sides for dot in side.dots]
    columns = [
        "run", "outcome", "injected", "follow-ups", "truth facts", "session facts", "in the block", "tokens", "cost",
        "wrong claims", "per-protocol",
    ]  # fmt: skip
    return table(f"{question.question}: every run", columns, rows, words=3, folded=True)


def _run(question: QuestionFigures, side: SideOnQuestion, dot: Dot, behind: Behind) -> tuple[str, ...]:
    until = dot.to_correct or dot.whole
    outcome = f"{dot.outcome}: {dot.problem}" if dot.problem else dot.outcome
    return (
        f"{side.side} {dot.repeat}",
        f"misled, {outcome}" if dot.misled else outcome,
        _injected(side, dot),
        NONE if dot.correct_after is None else str(dot.correct_after),
        _of(dot.truth_hits, question.truth_facts),
        _marked(dot.session_hits, question.session_facts, bool(dot.answers)),
        _marked(dot.block_hits, question.session_facts, dot.block_unknown),
        amount(until.tokens, "tokens"),
        amount(until.cost, "cost"),
        _claims(behind.claims_of(question.question, side.side, dot.repeat)),
        "yes" if dot.per_protocol else f"no: {dot.reason}",
    )


def _injected(side: SideOnQuestion, dot: Dot) -> str:
    """What reached the model, by the transcript."""
    if not dot.delivered:
        return "nothing found" if dot.nothing_found else "nothing"
    return {"memory": "recalled", "placebo": "neutral text"}.get(side.kind, "a text")


def _marked(hits: int | None, facts: int, there: bool) -> str:
    """As ``_of``; that there was a text and it could not be marked is said."""
    return "not marked" if hits is None and facts and there else _of(hits, facts)


def _of(hits: int | None, facts: int) -> str:
    return NONE if hits is None or not facts else f"{hits} of {facts}"
