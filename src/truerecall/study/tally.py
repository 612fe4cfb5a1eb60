"""What a run spent: tokens of each call once, money from them and a dated table, and the ledger row."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from truerecall.measure.prices import Price, PriceTable
from truerecall.study.planned import PlannedFact, PlannedQuestion, PlannedRun, PlannedSide, PriceRow
from truerecall.study.records import (
    Admission,
    AnswerRow,
    Audit,
    Call,
    Exchange,
    Graded,
    Marking,
    RunRow,
    Spent,
)

Outcome = Literal["correct", "wrong", "invalid", "failed", "out"]

_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})", re.ASCII)
_MILLION = 1_000_000


def price_rows(models: Iterable[str], table: PriceTable) -> dict[str, PriceRow]:
    """The prices of models, and of those of their dated snapshots that are in the table; others are left out.

    Args:
        models: Each as ``provider:model`` or as the model alone.
        table: Of ``provider:model``; a model alone that two providers sell at different prices has no price.
    """
    known: dict[str, PriceRow] = {}
    for model in models:
        for name in sorted(table.prices):
            shown = name if ":" in model else _bare(name)
            rest = shown.removeprefix(model)
            if shown.startswith(model) and (not rest or _DATED.fullmatch(rest)):
                found = _of_bare(shown, table) if shown != name else table.prices[name]
                if found is not None:
                    known[shown] = _price_row(found)
    return known


def price_row(model: str, prices: Mapping[str, PriceRow]) -> PriceRow | None:
    """The price of a model as a solver names it; None where it is not known, and never that of a like name."""
    if model in prices:
        return prices[model]
    alike = [
        row for name, row in prices.items() if (":" in name) != (":" in model) and _bare(name) == _bare(model)
    ]
    return alike[0] if alike and all(row == alike[0] for row in alike) else None


def spent(exchanges: Sequence[Exchange], prices: Mapping[str, PriceRow]) -> Spent:
    """Tokens and money of all that was said, each call of the model counted once.

    What the solver itself says of its cost is not used: it is cumulative.

    Args:
        exchanges: From the beginning of the run.
        prices: By model.
    """
    return spent_on(_once(exchanges), prices)


def spent_on(calls: Sequence[Call], prices: Mapping[str, PriceRow]) -> Spent:
    """Tokens and money of calls of the model, of which none stands there twice; the sum is exact, and rounded once.

    A call of a model without a price leaves the costs unknown, unless it used no token.
    """
    cost, uncached = Fraction(0), Fraction(0)
    unpriced: set[str] = set()
    for call in calls:
        row = price_row(call.model, prices)
        if row is not None:
            cost += _cost(call, row)
            uncached += _uncached(call, row)
        elif _tokens(call):
            unpriced.add(call.model)
    return Spent(
        calls=len(calls),
        input=sum(call.input for call in calls),
        output=sum(call.output for call in calls),
        cache_read=sum(call.cache_read for call in calls),
        cache_write_5m=sum(call.cache_write_5m for call in calls),
        cache_write_1h=sum(call.cache_write_1h for call in calls),
        cost=None if unpriced else float(cost / _MILLION),
        uncached_cost=None if unpriced else float(uncached / _MILLION),
        unpriced=sorted(unpriced),
    )


def row(
    run: PlannedRun,
    side: PlannedSide,
    question: PlannedQuestion,
    place: tuple[int, int],
    said: tuple[Sequence[Exchange], Sequence[Graded]],
    checked: tuple[Admission, Audit, Marking | None],
    prices: Mapping[str, PriceRow],
) -> RunRow:
    """The ledger row of a finished run.

    Args:
        run: Which one.
        side: Its side.
        question: Its question.
        place: Its position in the order of all runs, from 0, and the number of this attempt, from 1.
        said: All exchanges of the attempt, and what grading said of its answers, both in order.
        checked: Admission, audit, and the marks of the injected block.
        prices: By model.
    """
    exchanges, graded = said
    admission, audit, block = checked
    outcome, problem = _outcome(exchanges, graded, audit, question)
    return RunRow(
        question=run.question,
        side=run.side,
        kind=side.kind,
        repeat=run.repeat,
        attempt=place[1],
        position=place[0],
        outcome=outcome,
        problem=problem,
        answers=[_answer(one, exchanges[: one.exchange + 1], question, prices) for one in graded],
        admission=admission,
        audit=audit,
        block=block,
        spent=spent(exchanges, prices),
        seconds=math.fsum(exchange.seconds for exchange in exchanges),
        told_cost=_last_told(exchanges),
    )


def _last_told(exchanges: Sequence[Exchange]) -> float | None:
    """What the solver last said that the session had cost so far."""
    told = [exchange.told_cost for exchange in exchanges if exchange.told_cost is not None]
    return told[-1] if told else None


def _outcome(
    exchanges: Sequence[Exchange], graded: Sequence[Graded], audit: Audit, question: PlannedQuestion
) -> tuple[Outcome, str]:
    """How the run ended, and what went wrong; a mark that does not hold comes before everything after it."""
    if audit.outside:
        return "out", f"{audit.outside[0].tool}: {audit.outside[0].why}"
    for one in graded:
        if not _holds(one.truth, question.truth_key):
            return "invalid", one.truth.problem or "the marks do not cover the truth key"
        if one.correct:
            return "correct", ""
    last = exchanges[-1] if exchanges else None
    if last is None or not graded or last.ended == "failed":
        return "failed", last.problem if last and last.problem else "no answer was graded"
    return "wrong", ""


def _answer(
    graded: Graded, exchanges: Sequence[Exchange], question: PlannedQuestion, prices: Mapping[str, PriceRow]
) -> AnswerRow:
    session = graded.session
    if session is not None and not _holds(session, question.session_key):
        session = None
    wrong = {fact.number for fact in question.session_key if fact.wrong}
    twice = graded.second is not None and graded.second.state == "valid"
    return AnswerRow(
        followups=graded.followups,
        correct=graded.correct and _holds(graded.truth, question.truth_key),
        truth_hits=graded.truth.hits,
        session_hits=None if session is None else session.hits,
        misled=session is not None and any(mark.hit and mark.fact in wrong for mark in session.marks),
        blind=graded.blinded.state,
        suspects=len(graded.suspects),
        flips=graded.flips if twice else None,
        spent=spent(exchanges, prices),
        seconds=math.fsum(exchange.seconds for exchange in exchanges),
    )


def _holds(marking: Marking, key: Sequence[PlannedFact]) -> bool:
    """Whether there is one mark for each fact of the key: no marks at all are not all marks."""
    return marking.state == "valid" and sorted(mark.fact for mark in marking.marks) == sorted(
        fact.number for fact in key
    )


def _once(exchanges: Sequence[Exchange]) -> list[Call]:
    """Each call once; of records of the same one, the one with the most output: others are of its beginning."""
    calls: dict[str, Call] = {}
    nameless: list[Call] = []
    for exchange in exchanges:
        for call in exchange.calls:
            if not call.id:
                nameless.append(call)
            elif call.id not in calls or call.output > calls[call.id].output:
                calls[call.id] = call
    return [*calls.values(), *nameless]


def _tokens(call: Call) -> int:
    return call.input + call.output + call.cache_read + call.cache_write_5m + call.cache_write_1h


def _cost(call: Call, row: PriceRow) -> Fraction:
    """Millionths of a US dollar."""
    return (
        call.input * _exact(row.input)
        + call.output * _exact(row.output)
        + call.cache_read * _exact(row.cache_read)
        + call.cache_write_5m * _exact(row.cache_write_5m)
        + call.cache_write_1h * _exact(row.cache_write_1h)
    )


def _uncached(call: Call, row: PriceRow) -> Fraction:
    """Millionths of a US dollar, every token that was sent at the price of one that no cache holds."""
    return (_tokens(call) - call.output) * _exact(row.input) + call.output * _exact(row.output)


def _exact(dollars: float) -> Fraction:
    # The decimal number that the table writes, not the binary one next to it.
    return Fraction(repr(dollars))


def _price_row(price: Price) -> PriceRow:
    five, hour = price.cache_write_5m, price.cache_write_1h
    return PriceRow(
        input=price.input,
        output=price.output,
        cache_read=price.cached_input,
        cache_write_5m=price.input if five is None else five,
        cache_write_1h=price.input if hour is None else hour,
    )


def _bare(name: str) -> str:
    return name.split(":", 1)[-1]


def _of_bare(model: str, table: PriceTable) -> Price | None:
    """The price of a model by its name alone; None where providers differ."""
    sold = [price for name, price in table.prices.items() if _bare(name) == model]
    return sold[0] if all(price == sold[0] for price in sold) else None
