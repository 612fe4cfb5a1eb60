"""What a run spent: a known ledger to the last token and cent."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.measure.prices import Price, PriceTable, shipped
from truerecall.study.planned import PlannedFact, PlannedQuestion, PlannedRun, PlannedSide, PriceRow
from truerecall.study.records import (
    Admission,
    Audit,
    Blinded,
    Call,
    Exchange,
    Finding,
    Graded,
    Mark,
    Marking,
    RunRow,
    Spent,
    Suspect,
)
from truerecall.study.tally import price_row, price_rows, row, spent

SONNET = "claude-sonnet-5-5"
PRICES = price_rows([SONNET], shipped())
QUESTION = PlannedQuestion(
    id="retry",
    text="How often is it tried?",
    request="Make it try again.",
    asked_at="2026-05-01T00:00:00Z",
    control=False,
    checkouts=[],
    session_key=[
        PlannedFact(number=1, text="Five times.", place="session a"),
        PlannedFact(number=2, text="Without a pause.", place="session a", wrong=True),
    ],
    truth_key=[
        PlannedFact(number=1, text="Five times.", place="app: a.py:1"),
        PlannedFact(number=2, text="With a pause.", place="app: a.py:2"),
    ],
    approved_by="one who knows",
    approved_at="2026-05-02T00:00:00Z",
    approved_sha256="0" * 64,
)
MEMORY = PlannedSide(name="memory", kind="memory", delivery="plugin")
REDO = PlannedSide(name="redo", kind="redo", delivery="none")
ADMITTED = Admission(delivered=True, per_protocol=True)
CLEAN = Audit(uses=3, denied=1)

LOOKING = Call(id="m1", model=SONNET, input=1_200, output=310, cache_write_5m=14_003, cache_write_1h=7)
READING = Call(id="m2", model=SONNET, input=5, output=841, cache_read=14_010, cache_write_1h=2_501)
TRYING = Call(id="m3", model=SONNET, input=11, output=97, cache_read=16_511)


def said(*calls: Call, kind: str = "question", told: float | None = None, seconds: float = 1.5) -> Exchange:
    return Exchange.model_validate(
        {
            "kind": kind, "prompt": "?", "answer": "!", "ended": "answered", "calls": list(calls), "seconds": seconds,
            "told_cost": told,
        }
    )  # fmt: skip


def marking(*hits: bool, key: str = "truth", state: str = "valid") -> Marking:
    marks = [Mark(fact=number, hit=hit, quote="x" * hit) for number, hit in enumerate(hits, start=1)]
    problem = "" if state == "valid" else "no quote stands there"
    return Marking.model_validate({"key": key, "state": state, "marks": marks, "problem": problem})


def graded(exchange: int, followups: int, truth: Marking, session: Marking | None = None) -> Graded:
    return Graded(
        exchange=exchange,
        followups=followups,
        blinded=Blinded(text="!", state="clean"),
        truth=truth,
        session=session,
    )


def tallied(
    exchanges: list[Exchange],
    grades: list[Graded],
    side: PlannedSide = MEMORY,
    audit: Audit = CLEAN,
) -> RunRow:
    run = PlannedRun(question="retry", side=side.name, repeat=2)
    return row(run, side, QUESTION, (7, 1), (exchanges, grades), (ADMITTED, audit, None), PRICES)


def test_a_known_ledger_is_reproduced_to_the_last_token_and_cent() -> None:
    # m1: 1,200 x 2 + 310 x 10 + 14,003 x 2.5 + 7 x 4 = 40,535.5 millionths of a dollar
    # m2: 5 x 2 + 841 x 10 + 14,010 x 0.1 + 2,501 x 4 = 19,825
    # m3: 11 x 2 + 97 x 10 + 16,511 x 0.1 = 2,643.1
    # without a cache: (15,210 + 16,516 + 16,522) x 2 + (310 + 841 + 97) x 10 = 96,496 + 12,480
    assert spent([said(LOOKING, READING), said(TRYING, kind="follow-up")], PRICES) == Spent(
        calls=3,
        input=1_216,
        output=1_248,
        cache_read=30_521,
        cache_write_5m=14_003,
        cache_write_1h=2_508,
        cost=0.0630036,
        uncached_cost=0.108976,
    )


def test_tokens_count_alike_wherever_they_came_from() -> None:
    assert spent([said(LOOKING, READING, TRYING)], PRICES).tokens == 1_216 + 1_248 + 30_521 + 14_003 + 2_508


def test_a_message_that_stands_on_several_lines_of_a_transcript_is_paid_once() -> None:
    beginning = LOOKING.model_copy(update={"output": 1})
    once = spent([said(LOOKING, READING)], PRICES)
    assert spent([said(beginning, LOOKING, LOOKING, READING, beginning)], PRICES) == once
    assert spent([said(LOOKING, READING), said(READING, LOOKING, kind="follow-up")], PRICES) == once


def test_calls_that_have_no_id_are_each_counted() -> None:
    nameless = TRYING.model_copy(update={"id": ""})
    assert spent([said(nameless, nameless)], PRICES).calls == 2


def test_what_the_solver_says_of_its_cost_is_cumulative_and_never_summed() -> None:
    exchanges = [said(LOOKING, told=0.0405355), said(READING, kind="follow-up", told=0.0603605)]
    made = tallied(exchanges, [graded(0, 0, marking(True, False)), graded(1, 1, marking(True, True))])
    assert made.spent.cost == 0.0603605
    assert made.told_cost == 0.0603605
    assert [answer.spent.cost for answer in made.answers] == [0.0405355, 0.0603605]


def test_the_cost_that_a_solver_told_last_stands_beside_ours() -> None:
    told = [said(told=0.5), said(), said(told=0.7), said()]
    assert tallied(told, [graded(3, 0, marking(True, True))]).told_cost == 0.7
    assert tallied([said()], [graded(0, 0, marking(True, True))]).told_cost is None


def test_the_redo_side_is_charged_for_the_investigation() -> None:
    exchanges = [said(LOOKING, READING, kind="request", seconds=60.0), said(TRYING, seconds=2.5)]
    made = tallied(exchanges, [graded(1, 0, marking(True, True))], side=REDO)
    assert made.answers[0].spent == spent(exchanges, PRICES)
    assert made.answers[0].spent.cost == 0.0630036
    assert (made.answers[0].seconds, made.seconds) == (62.5, 62.5)
    assert (made.outcome, made.kind, made.correct_after) == ("correct", "redo", 0)


def test_running_totals_stop_at_the_answer_and_the_row_holds_all() -> None:
    exchanges = [said(LOOKING), said(READING, kind="follow-up"), said(TRYING, kind="follow-up")]
    made = tallied(
        exchanges,
        [
            graded(0, 0, marking(False, False), marking(True, True, key="session")),
            graded(1, 1, marking(True, False), marking(True, False, key="session")),
            graded(2, 2, marking(True, True)),
        ],
    )
    assert [answer.spent.calls for answer in made.answers] == [1, 2, 3]
    assert [answer.seconds for answer in made.answers] == [1.5, 3.0, 4.5]
    assert [answer.truth_hits for answer in made.answers] == [0, 1, 2]
    assert [answer.session_hits for answer in made.answers] == [2, 1, None]
    assert [answer.misled for answer in made.answers] == [True, False, False]
    assert made.spent == spent(exchanges, PRICES)
    assert (made.position, made.attempt, made.repeat, made.correct_after) == (7, 1, 2, 2)


def test_a_run_is_wrong_only_if_each_of_its_marks_holds() -> None:
    exchanges = [said(LOOKING), said(READING, kind="follow-up")]
    wrong, invalid = marking(True, False), marking(state="invalid")
    assert tallied(exchanges, [graded(0, 0, wrong), graded(1, 1, wrong)]).outcome == "wrong"
    last = tallied(exchanges, [graded(0, 0, wrong), graded(1, 1, invalid)])
    assert (last.outcome, last.problem) == ("invalid", "no quote stands there")
    assert tallied(exchanges, [graded(0, 0, invalid), graded(1, 1, wrong)]).outcome == "invalid"
    assert tallied(exchanges, [graded(0, 0, invalid), graded(1, 1, marking(True, True))]).outcome == "invalid"


@pytest.mark.parametrize("marks", [(), (True,), (True, True, True)])
def test_marks_that_do_not_cover_the_key_are_no_marks(marks: tuple[bool, ...]) -> None:
    made = tallied([said(LOOKING)], [graded(0, 0, marking(*marks))])
    assert (made.outcome, made.problem) == ("invalid", "the marks do not cover the truth key")
    assert not made.answers[0].correct


def test_the_session_key_decides_nothing_and_is_not_known_where_its_marks_do_not_hold() -> None:
    unsure = marking(key="session", state="invalid")
    made = tallied([said(LOOKING)], [graded(0, 0, marking(True, True), unsure)])
    assert (made.outcome, made.answers[0].session_hits, made.answers[0].misled) == ("correct", None, False)


def test_a_solver_that_did_not_answer_failed() -> None:
    broken = said(LOOKING).model_copy(update={"ended": "failed", "problem": "overloaded"})
    assert (tallied([broken], []).outcome, tallied([broken], []).problem) == ("failed", "overloaded")
    after = tallied([said(LOOKING), broken], [graded(0, 0, marking(True, False))])
    assert (after.outcome, after.problem) == ("failed", "overloaded")
    assert tallied([said(LOOKING)], []).problem == "no answer was graded"


def test_a_run_that_read_outside_is_out_however_right_it_was() -> None:
    outside = Audit(
        uses=1, denied=0, outside=[Finding(exchange=0, use="t1", tool="Read", what="/x", why="outside")]
    )
    made = tallied([said(LOOKING)], [graded(0, 0, marking(True, True))], audit=outside)
    assert (made.outcome, made.problem, made.correct_after) == ("out", "Read: outside", 0)


def test_flips_are_counted_only_where_a_second_marking_holds() -> None:
    first = graded(0, 0, marking(True, False))
    twice = first.model_copy(update={"second": marking(False, False)})
    unsure = first.model_copy(update={"second": marking(state="invalid")})
    rows = [tallied([said(LOOKING)], [one]).answers[0].flips for one in (first, twice, unsure)]
    assert rows == [None, 1, None]


def test_suspects_are_counted_and_decide_nothing() -> None:
    suspected = graded(0, 0, marking(True, True)).model_copy(
        update={"suspects": [Suspect(quote="x", why="y")]}
    )
    made = tallied([said(LOOKING)], [suspected])
    assert (made.outcome, made.answers[0].suspects) == ("correct", 1)


def test_a_model_without_a_price_leaves_the_cost_unknown_and_is_named() -> None:
    made = spent([said(LOOKING, TRYING.model_copy(update={"model": "claude-new-9"}))], PRICES)
    assert (made.cost, made.uncached_cost, made.unpriced) == (None, None, ["claude-new-9"])
    assert made.tokens == 15_520 + 16_619


def test_a_message_of_no_model_at_all_that_used_nothing_costs_nothing() -> None:
    made = spent([said(Call(id="s", model="<synthetic>", input=0, output=0))], PRICES)
    assert (made.cost, made.unpriced, made.calls) == (0.0, [], 1)


def test_nothing_said_costs_nothing() -> None:
    assert spent([], PRICES) == Spent()


def test_prices_are_found_by_the_whole_name_by_the_model_alone_and_for_listed_snapshots() -> None:
    table = PriceTable(
        "2026-11-30",
        "0" * 64,
        {
            "anthropic:big": Price(2, 10, 0.5, 3, 4),
            "anthropic:big-20260101": Price(3, 10, 0.5),
            "anthropic:big-2": Price(9, 9, 9),
            "one:shared": Price(1, 1, 1),
            "two:shared": Price(2, 2, 2),
        },
    )
    big = PriceRow(input=2, output=10, cache_read=0.5, cache_write_5m=3, cache_write_1h=4)
    dated = PriceRow(input=3, output=10, cache_read=0.5, cache_write_5m=3, cache_write_1h=3)
    assert price_rows(["big"], table) == {"big": big, "big-20260101": dated}
    assert price_rows(["anthropic:big"], table) == {
        "anthropic:big": big,
        "anthropic:big-20260101": dated,
    }
    assert price_rows(["shared", "bi", "", "other:big", "scripted:x.json"], table) == {}
    assert list(price_rows(["one:shared"], table)) == ["one:shared"]


def test_a_like_name_is_no_price() -> None:
    own = PriceRow(input=1, output=1, cache_read=1, cache_write_5m=1, cache_write_1h=1)
    dear = own.model_copy(update={"input": 2.0})
    assert price_row("a", {"a": own}) == own
    assert price_row("a", {"x:a": own}) == own
    assert price_row("x:a", {"a": own}) == own
    assert price_row("y:a", {"x:a": own}) is None
    assert price_row("a", {"x:a": own, "y:a": dear}) is None
    assert price_row("a", {"x:a": own, "y:a": own}) == own
    for other in ("a-20261001", "A", "a[1m]", "", "sonnet"):
        assert price_row(other, {"a": own}) is None


TOKENS = st.integers(0, 10**7)
CALLS = st.lists(
    st.builds(
        Call,
        id=st.sampled_from(["", "a", "b", "c", "d"]),
        model=st.just(SONNET),
        input=TOKENS,
        output=TOKENS,
        cache_read=TOKENS,
        cache_write_5m=TOKENS,
        cache_write_1h=TOKENS,
    ),
    max_size=8,
)


@given(st.lists(CALLS, max_size=4))
def test_cost_is_the_exact_sum_of_tokens_times_prices(parts: list[list[Call]]) -> None:
    made = spent([said(*calls) for calls in parts], PRICES)
    exact = (
        2 * made.input + 10 * made.output + Fraction(1, 10) * made.cache_read
        + Fraction(5, 2) * made.cache_write_5m + 4 * made.cache_write_1h
    ) / 1_000_000  # fmt: skip
    assert made.cost == float(exact)
    assert made.uncached_cost == float(
        Fraction(2 * (made.tokens - made.output) + 10 * made.output, 1_000_000)
    )
    every = [call for calls in parts for call in calls]
    assert made.calls == len({call.id for call in every if call.id}) + sum(not call.id for call in every)


@given(st.lists(CALLS, min_size=1, max_size=4))
def test_running_totals_never_fall_and_end_at_the_whole(parts: list[list[Call]]) -> None:
    exchanges = [said(*calls) for calls in parts]
    outputs = [spent(exchanges[: end + 1], PRICES).output for end in range(len(exchanges))]
    calls = [spent(exchanges[: end + 1], PRICES).calls for end in range(len(exchanges))]
    assert outputs == sorted(outputs)
    assert calls == sorted(calls)


@given(CALLS)
def test_the_order_and_the_doubling_of_lines_change_nothing(calls: list[Call]) -> None:
    named = {call.id: call for call in calls if call.id}
    once = spent([said(*named.values())], PRICES)
    assert spent([said(*reversed(list(named.values())), *named.values())], PRICES) == once
