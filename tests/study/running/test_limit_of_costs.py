"""The limit of the costs, while prompts are under way."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from studies import SOLVER, place, watched

from truerecall.errors import LimitReached
from truerecall.measure.prices import Price, PriceTable, shipped
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply
from truerecall.study.design import Study
from truerecall.study.folder import StudyRun
from truerecall.study.grade.desk import open_desk
from truerecall.study.ledger import disagreements
from truerecall.study.planned import PriceRow
from truerecall.study.records import Admission, Audit, Call, Discarded, Exchange, RunRow, Spent
from truerecall.study.running.options import StudyProgress
from truerecall.study.running.salvage import AT_LIMIT, BROKEN_OFF
from truerecall.study.running.spending import Budget

PRICES = {"model": PriceRow(input=1.0, output=5.0, cache_read=0.1, cache_write_5m=1.0, cache_write_1h=1.0)}


class Judge:
    """A model of which a reply costs half a dollar at the most, and next to nothing in the end."""

    free, identity, name = False, "ab" * 32, "openai:judge"
    parameters = ChatParameters(max_tokens=500_000)

    def reply(self, messages: object) -> ChatReply:
        return ChatReply("yes", "stop", self.name, 10, 1)


def calls(*dollars: float) -> list[Call]:
    return [
        Call(id=f"c-{number}", model="model", input=round(cost * 1_000_000), output=0)
        for number, cost in enumerate(dollars)
    ]


def failed(*dollars: float) -> Exchange:
    return Exchange(kind="question", prompt="Q", ended="failed", seconds=0.0, calls=calls(*dollars))


@pytest.fixture
def budget(tmp_path: Path) -> Iterator[Budget]:
    """One dollar, of which nothing is spent."""
    with open_desk(tmp_path, "s", {}, shipped(), 1.0) as desk:
        yield Budget(1.0, 0.25, desk, PRICES)


def test_a_prompt_under_way_is_ended_at_the_limit_and_its_run_is_done_anew_at_a_higher_one(
    sample: Study, tmp_path: Path
) -> None:
    told: list[StudyProgress] = []
    look = {"name": "Read", "arguments": {"file_path": "pyproject.toml"}}
    dear = {"tools": [look], "usage": {"tokens_in": 100_000, "tokens_out": 10}}  # 0.20 at the least
    before = [
        {"model": "sonnet", "when": "", "times": 1, **dear},
        {"model": "sonnet", "when": "", "times": 1, "fail": "slow"},
    ]
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"], before=before) as here:
        run = here.run(max_cost=0.30, **watched(told))
        (broken,) = run.discarded()
        (exchange,) = run.exchanges(run.plan().runs[0], 1)

        assert (run.rows(), told[-1].stage) == ([], "stopping")
        assert (broken.reason, broken.detail, broken.attempt) == ("interrupted", AT_LIMIT, 1)
        assert broken.spent.calls == 1 and 0.20 <= (broken.spent.cost or 0.0) < 0.30
        assert (exchange.ended, exchange.problem, len(exchange.uses)) == ("failed", AT_LIMIT, 1)
        asked = len(here.asked(SOLVER))

        here.run(max_cost=0.30)
        assert len(here.asked(SOLVER)) == asked, "what is left is less than a run costs"

        here.run(max_cost=5.0)

    assert [(row.outcome, row.attempt) for row in run.rows()] == [("correct", 2)]
    assert run.discarded() == [broken]
    assert disagreements(run) == []


def test_what_was_spent_on_an_unfinished_run_is_counted_before_a_prompt_is_said(
    sample: Study, tmp_path: Path
) -> None:
    wrong = {"model": "sonnet", "when": "", "reply": "I do not know.", "usage": {"tokens_in": 150_000}}
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"], before=[wrong]) as here:
        left: list[float | None] = []
        for _ in range(2):
            told: list[StudyProgress] = []
            run = here.run(max_cost=0.55, **watched(told))
            left.append(told[-1].left)

    assert len(here.asked(SOLVER)) == 1, "its answer cost 0.30: neither a second one nor a run anew is within"
    assert left[0] == pytest.approx(left[1]) and 0.0 < (left[0] or 0.0) < 0.25
    assert (run.rows(), run.discarded(), run.attempts(run.plan().runs[0])) == ([], [], [1])


def test_ctrl_c_at_the_limit_ends_the_prompts_that_are_still_under_way(sample: Study, tmp_path: Path) -> None:
    look = {"name": "Read", "arguments": {"file_path": "pyproject.toml"}}
    dear = {"tools": [look], "usage": {"tokens_in": 100_000, "tokens_out": 10}}
    before = [
        {"model": "sonnet", "when": "", "times": 1, "fail": "slow"},
        {"model": "sonnet", "when": "", "times": 1, **dear},
        {"model": "sonnet", "when": "", "times": 1, "fail": "slow"},
    ]
    begun: list[str] = []
    questions = ["signature", "lint"]
    with place(sample, tmp_path / "run", sides=["none"], questions=questions, before=before) as here:

        def report(told: StudyProgress) -> None:
            if told.stage == "begun":
                begun.append(told.what)
                if len(begun) == 2:  # its dear call comes after the other one is under way
                    assert here.server.wait_for_held(1, 60.0)
            if told.stage == "stopping":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            here.run(max_cost=0.30, jobs=2, report=report)

        ended = {one.question: (one.reason, one.detail) for one in StudyRun(here.out).discarded()}

    held, dear_one = (what.partition(",")[0] for what in begun)
    assert ended == {held: ("interrupted", BROKEN_OFF), dear_one: ("interrupted", AT_LIMIT)}


def test_a_prompt_goes_on_while_a_call_like_its_dearest_is_within_the_limit(budget: Budget) -> None:
    with budget.prompt() as one:
        assert one.limit is one and one.dollars == 1.0
        assert one.allows(calls(0.4))
        assert one.allows(calls(0.4, 0.1))
        assert not one.allows(calls(0.4, 0.1, 0.2))
    assert budget.spent == pytest.approx(0.7)


def test_what_is_told_of_a_call_twice_is_counted_once(budget: Budget) -> None:
    with budget.prompt() as one:
        for cost in (0.1, 0.3, 0.3):
            one.allows(calls(cost))
        assert not one.ended_by_limit(failed(0.3))
    assert budget.spent == pytest.approx(0.3)


def test_room_is_left_for_the_next_call_of_every_other_prompt(budget: Budget) -> None:
    with budget.prompt() as one:
        with budget.prompt() as other:
            assert one.allows(calls(0.3))
            assert not other.allows(calls(0.3))
            assert other.ended_by_limit(failed(0.3))
        assert one.allows(calls(0.3)), "the other one is over, and needs no room any more"
        assert not one.ended_by_limit(failed(0.3)), "it failed by itself"


def test_a_grader_leaves_room_for_the_next_call_of_every_prompt(tmp_path: Path) -> None:
    prices = PriceTable("2026-01-01", "ab" * 32, {"openai:judge": Price(1.0, 1.0, 1.0)})
    asked = (ChatMessage("user", "Is it there?"),)
    with open_desk(tmp_path, "s", {"judge": Judge()}, prices, 1.0) as desk:
        budget = Budget(1.0, 0.25, desk, PRICES)
        with budget.prompt() as one:
            assert one.allows(calls(0.3))  # 0.70 is left, of which 0.30 is set aside
            with pytest.raises(LimitReached):
                desk.ask("judge", asked)
        assert desk.ask("judge", asked)[1].text == "yes"


def test_no_prompt_begins_where_a_call_like_the_dearest_would_pass_the_limit(budget: Budget) -> None:
    with budget.prompt() as one:
        assert not one.allows(calls(0.6))
    with pytest.raises(LimitReached, match=r"the limit of 1\.00 US dollars is reached"), budget.prompt():
        pass


def test_a_run_begins_only_where_the_dearest_so_far_would_fit_though_it_was_thrown_out(
    budget: Budget,
) -> None:
    assert (budget.allows(3), budget.allows(4)) == (True, False)  # as expected: 0.25 each
    thrown_out = Discarded(
        question="q", side="none", repeat=1, attempt=1, reason="outside", spent=Spent(calls=1, cost=0.5)
    )
    budget.measure(thrown_out)
    assert (budget.allows(1), budget.allows(2)) == (True, False)
    budget.measure(finished(0.1))
    assert (budget.allows(1), budget.allows(2)) == (True, False)


def finished(dollars: float) -> RunRow:
    return RunRow(
        question="q", side="none", kind="none", repeat=1, attempt=2, position=0, outcome="correct",
        admission=Admission(delivered=False, per_protocol=True), audit=Audit(uses=0, denied=0),
        spent=Spent(calls=1, cost=dollars), seconds=1.0,
    )  # fmt: skip


def test_without_a_limit_a_solver_is_told_none(tmp_path: Path) -> None:
    with open_desk(tmp_path, "s", {}, shipped()) as desk:
        budget = Budget(None, 0.25, desk, PRICES)
        with budget.prompt() as one:
            assert one.limit is None
            assert not one.ended_by_limit(failed(50.0))

    assert budget.spent == pytest.approx(50.0)
