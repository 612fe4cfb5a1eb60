"""Asks every question of every arm, and counts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from truerecall.bench.carry.controls import Budget, Control
from truerecall.bench.carry.manifest import CarryOutcome, CarryPair, CarryRow, UnrelatedRow
from truerecall.bench.carry.questions import CarryFile, CarryQuestion
from truerecall.bench.manifest import Interval
from truerecall.measure.comparing import mcnemar_exact
from truerecall.measure.intervals import wilson

Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Carried:
    """Everything that was counted."""

    rows: list[CarryRow]
    pairs: list[CarryPair]
    unrelated: list[UnrelatedRow]
    outcomes: list[CarryOutcome]


def carry(
    file: CarryFile, arms: Mapping[str, Control], budget: Budget, ours: Sequence[str], progress: Told
) -> Carried:
    """Ask all questions, and all prompts to which nothing should be given.

    Args:
        file: The questions and the prompts.
        arms: By name what makes a block.
        budget: Of each block; one that is over it is an error, for every arm.
        ours: The arms that are compared with every other one.
        progress: Told how many blocks of how many were made.
    """
    total, done = (len(file.questions) + len(file.unrelated)) * len(arms), 0
    outcomes = []
    for question in file.questions:
        blocks = {name: _within(arm(question.question, budget), budget, name) for name, arm in arms.items()}
        done += len(arms)
        progress(done, total)
        outcomes.append(_outcome(question, blocks, budget))
    unrelated = []
    for name, arm in arms.items():
        given: dict[str, bool] = {}
        for prompt in file.unrelated:
            given[prompt.id] = bool(_within(arm(prompt.prompt, budget), budget, name))
            done += 1
            progress(done, total)
        unrelated += _unrelated(name, given)
    pairs = [_pair(outcomes, one, other) for one in ours for other in arms if other != one]
    return Carried(_rows(outcomes, list(arms)), pairs, unrelated, outcomes)


def half_of(name: str) -> str:
    """Which half a question or a prompt belongs to, by its number: the odd ones are the ones that were tuned on."""
    return "odd-numbered" if int(name[1:]) % 2 else "even-numbered"


def _unrelated(arm: str, given: Mapping[str, bool]) -> list[UnrelatedRow]:
    groups: dict[str, list[bool]] = {"all": list(given.values())}
    for name, something in given.items():
        groups.setdefault(half_of(name), []).append(something)
    return [
        UnrelatedRow(arm=arm, of=of, n=len(said), given=sum(said), interval=_interval(sum(said), len(said)))
        for of, said in groups.items()
    ]


def _within(block: str, budget: Budget, arm: str) -> str:
    tokens = budget.counter.count(block) if block else 0
    if tokens > budget.tokens or len(block) > budget.characters:
        raise AssertionError(
            f"{arm} gave a block of {tokens} tokens, {len(block)} characters: over the budget"
        )
    return block


def _outcome(question: CarryQuestion, blocks: Mapping[str, str], budget: Budget) -> CarryOutcome:
    return CarryOutcome(
        id=question.id,
        kind=question.kind,
        trust=question.trust,
        transcript=question.transcript,
        carried={name: question.carried_by(block) for name, block in blocks.items()},
        tokens={name: budget.counter.count(block) if block else 0 for name, block in blocks.items()},
    )


def _rows(outcomes: Sequence[CarryOutcome], arms: Sequence[str]) -> list[CarryRow]:
    groups: dict[str, list[CarryOutcome]] = {"all": list(outcomes)}
    for outcome in outcomes:
        for of in (
            half_of(outcome.id),
            f"evidence {outcome.trust}",
            f"kind {outcome.kind}",
            f"transcript {outcome.transcript}",
        ):
            groups.setdefault(of, []).append(outcome)
    return [_row(group, of, arm) for of, group in groups.items() for arm in arms]


def _row(outcomes: Sequence[CarryOutcome], of: str, arm: str) -> CarryRow:
    carried, n = sum(one.carried[arm] for one in outcomes), len(outcomes)
    return CarryRow(
        arm=arm,
        of=of,
        n=n,
        carried=carried,
        rate=round(carried / n, 4),
        interval=_interval(carried, n),
        empty=sum(one.tokens[arm] == 0 for one in outcomes),
        mean_tokens=round(sum(one.tokens[arm] for one in outcomes) / n, 1),
    )


def _pair(outcomes: Sequence[CarryOutcome], one: str, other: str) -> CarryPair:
    this = sum(outcome.carried[one] and not outcome.carried[other] for outcome in outcomes)
    that = sum(outcome.carried[other] and not outcome.carried[one] for outcome in outcomes)
    return CarryPair(
        arm=one, against=other, only_this=this, only_that=that, p=round(mcnemar_exact(this, that), 6)
    )


def _interval(successes: int, n: int) -> Interval:
    bounds = wilson(successes, n)
    return Interval(low=round(bounds.low, 4), high=round(bounds.high, 4))
