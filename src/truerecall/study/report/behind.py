"""What stands behind the figures of a study: what grading cost, whether it was blind, and what solvers tried."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.study.grade.spending import RoleSpent
from truerecall.study.planned import Plan
from truerecall.study.records import Confirmed, Exchange, ToolUse

_CUT = 120  # characters of what a denied attempt was after
_AFTER = "command", "cmd", "file_path", "filePath", "notebook_path", "path", "pattern"


class BlindCheck(Record):
    """How well a classifier tells from the first answers, as the judge read them, whether there was a memory."""

    auc: float | None = Field(description="0.5 is chance, 1 tells each pair on a question apart.")
    p: float | None = Field(
        description="How often labels dealt anew within each question do at least as well."
    )
    n: int = Field(description="Answers that it was tried on.")
    questions: int = Field(description="Of them, questions with answers of both kinds.")
    reason: str = Field(default="", description="Why there is none.")


class Loaded(Record):
    """How often the memory of another kind could be filled, of all attempts at a side's runs."""

    side: str
    attempts: int
    failed: int
    problems: dict[str, int] = Field(description="What went wrong, and how often.")
    median_seconds: float = Field(description="Wall time; no side's cost.")


class ClaimsOn(Record):
    """Claims that the judge took for wrong: of one run, or of all runs of a side on a question."""

    question: str
    side: str
    repeat: int | None = Field(description="None: of all repeats.")
    suspects: int
    wrong: int = Field(description="A person says so.")
    not_wrong: int
    waiting: int = Field(description="Nobody has said yet.")


class WrongClaim(Record):
    """A claim that a person called wrong."""

    question: str
    side: str
    repeat: int
    followups: int
    quote: str


class WaitingClaim(Record):
    """A claim of which nobody has said anything; whose it is is not told, for somebody is to judge it."""

    id: str = Field(description="As in claims.toml.")
    question: str
    runs: int = Field(description="That make it, in the same words.")
    checker: Literal["wrong", "right", "cannot tell", "not checked"]


class DeniedAttempts(Record):
    """What the finished runs of a side tried and were denied."""

    side: str
    tool: str
    what: str = Field(description="The path or the command, cut.")
    times: int


class Behind(Record):
    """All that a report says of a run folder besides its figures."""

    grading: list[RoleSpent] = Field(description="Never a side's cost.")
    lost_calls: int = Field(
        description="Calls of grading models that were begun and never kept: they may have been paid in vain."
    )
    blind: BlindCheck
    loading: list[Loaded] = Field(description="Of sides with a command that fills their memory.")
    run_claims: list[ClaimsOn] = Field(description="Of runs with a suspected claim.")
    question_claims: list[ClaimsOn] = Field(description="By question and side, where a run is finished.")
    wrong_claims: list[WrongClaim]
    waiting: list[WaitingClaim]
    denied: list[DeniedAttempts]

    def claims_of(self, question: str, side: str, repeat: int | None = None) -> ClaimsOn | None:
        """Of one run, or of all runs of a side on a question; None where there is none."""
        among = self.question_claims if repeat is None else self.run_claims
        wanted = (question, side, repeat)
        return next((one for one in among if (one.question, one.side, one.repeat) == wanted), None)


def run_claims(plan: Plan, confirmed: Iterable[Confirmed]) -> list[ClaimsOn]:
    """By run, in the order of the plan; runs without a suspect are left out."""
    verdicts: dict[tuple[str, str, int], Counter[str]] = {}
    for one in confirmed:
        verdicts.setdefault((one.question, one.side, one.repeat), Counter())[one.verdict] += 1
    runs = [(run.question, run.side, run.repeat) for run in plan.runs]
    return [_claims_on(*run, verdicts[run]) for run in runs if run in verdicts]


def question_claims(
    plan: Plan, confirmed: Iterable[Confirmed], finished: Iterable[tuple[str, str]]
) -> list[ClaimsOn]:
    """By question and side with a finished run; a side that made no doubtful claim has a row of zeros."""
    verdicts: Counter[tuple[str, str, str]] = Counter(
        (one.question, one.side, one.verdict) for one in confirmed
    )
    there = set(finished)
    places = product([one.id for one in plan.questions], [one.name for one in plan.sides])
    return [
        _claims_on(
            question,
            side,
            None,
            Counter({told: verdicts[question, side, told] for told in ("wrong", "not wrong", "unconfirmed")}),
        )
        for question, side in places
        if (question, side) in there
    ]


def _claims_on(question: str, side: str, repeat: int | None, verdicts: Mapping[str, int]) -> ClaimsOn:
    return ClaimsOn(
        question=question,
        side=side,
        repeat=repeat,
        suspects=sum(verdicts.values()),
        wrong=verdicts.get("wrong", 0),
        not_wrong=verdicts.get("not wrong", 0),
        waiting=verdicts.get("unconfirmed", 0),
    )


def denied_attempts(runs: Iterable[tuple[str, Sequence[Exchange]]]) -> list[DeniedAttempts]:
    """What was denied, by side in the order given, then by how often.

    Args:
        runs: Of each finished run its side and what was said in it.
    """
    tried: dict[str, Counter[tuple[str, str]]] = {}
    for side, exchanges in runs:
        own = tried.setdefault(side, Counter())
        for exchange in exchanges:
            for use in exchange.uses:
                if use.outcome == "denied" or use.id in exchange.denied:
                    own[use.name, _after(use)] += 1
    return [
        DeniedAttempts(side=side, tool=tool, what=what, times=times)
        for side, own in tried.items()
        for (tool, what), times in sorted(own.items(), key=lambda pair: (-pair[1], pair[0]))
    ]


def _after(use: ToolUse) -> str:
    """What a use of a tool was after."""
    found = next((use.input[name] for name in _AFTER if name in use.input), "")
    text = " ".join(str(found).split())
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"
