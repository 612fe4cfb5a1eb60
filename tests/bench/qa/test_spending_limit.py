"""What a server bills never passes the limit, though it bills answers that were lost on their way as well."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import tiny
from answered import CORRECT, dataset

from truerecall.bench.qa.calling import called_by
from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.qa.options import Models, QaOptions
from truerecall.bench.qa.plan import Plan
from truerecall.bench.qa.records import Called, Message
from truerecall.bench.qa.roles import request_of
from truerecall.bench.qa.run import run_qa
from truerecall.bench.qa.spending import Purse, Tokens, tokens_at_most
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.errors import InvalidInput, RunError
from truerecall.measure.prices import Price, PriceTable
from truerecall.models.anthropic_messages import AnthropicChat
from truerecall.models.openai_compatible import OpenAIChat
from truerecall.models.protocols import ChatParameters
from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.models.unsaid import Unsaid

PRICES = {"answerer": Price(2, 8, 2), "judge-a": Price(1, 4, 1), "judge-b": Price(3, 15, 3)}
# Not far below what is planned for a call.
PAID = {"tokens_in": 600, "tokens_out": 64}
ANSWERS = {"when": "", "model": "answerer", "reply": "Juniper.", "usage": PAID}
JUDGES = {"when": "", "model": "judge", "reply": CORRECT, "usage": PAID | {"tokens_in": 800}}
ALWAYS = 10**6


def _lost(model: str, times: int = ALWAYS) -> dict[str, Any]:
    """Answers whose connection ends in their middle: billed, and tried again."""
    return {"when": "", "model": model, "fail": "break", "reply": CORRECT, "usage": PAID, "times": times}


@dataclass
class Bought:
    """Runs over one server, and what it billed each."""

    out: Path
    jobs: int = 4
    plans: list[Plan] = field(default_factory=list)
    bills: list[float] = field(default_factory=list)
    manifests: list[QaManifest] = field(default_factory=list)

    def run(self, server: ScriptedServer, limit: float) -> None:
        """As far as ``limit`` goes; ``RunError`` where it goes no further."""

        def model(name: str) -> OpenAIChat:
            parameters = ChatParameters(max_tokens=64, temperature=0.0)
            return OpenAIChat(name, None, base_url=server.base_url, parameters=parameters)

        table = PriceTable("2026-01-01", "ab" * 32, {f"openai:{name}": own for name, own in PRICES.items()})
        options = QaOptions(
            self.out,
            "trial",
            budget=100,
            uncalibrated=True,
            prices=table,
            max_cost=limit,
            jobs=self.jobs,
            retry_failed=True,
        )
        chosen = Models(model("answerer"), (model("judge-a"), model("judge-b")))
        before = _billed(server)
        try:
            self.manifests.append(
                run_qa(
                    [dataset()],
                    [Truerecall(None)],
                    chosen,
                    options,
                    tiny.CLOCK,
                    lambda progress: None,
                    announce=self.plans.append,
                )
            )
        finally:
            self.bills.append(_billed(server) - before)


def _billed(server: ScriptedServer) -> float:
    return sum(
        PRICES[call.model].cost(call.tokens_in, call.tokens_cached, call.tokens_out) for call in server.calls
    )


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDKs wait before they try again: not here."""
    for name in ("openai", "anthropic"):
        client = pytest.importorskip(f"{name}._base_client").BaseClient
        monkeypatch.setattr(client, "_calculate_retry_timeout", lambda *told: 0.0)


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("lost", ["judge-b", "judge"])
def test_answers_that_are_billed_and_lost_never_bring_a_run_over_its_limit(
    tmp_path: Path, lost: str, jobs: int
) -> None:
    bought = Bought(tmp_path, jobs)
    with ScriptedServer(Scenario.of(_lost(lost), ANSWERS, JUDGES)) as server:
        with pytest.raises(InvalidInput):
            bought.run(server, 0.001)
        limit = bought.plans[0].cost
        with pytest.raises(RunError, match="max-cost"):
            bought.run(server, limit)
    assert limit / 2 < bought.bills[1] <= limit


def test_a_sound_run_stays_within_its_plan(tmp_path: Path) -> None:
    bought = Bought(tmp_path)
    with ScriptedServer(Scenario.of(ANSWERS, JUDGES)) as server:
        bought.run(server, 100.0)
        again = Bought(tmp_path / "again")
        again.out.mkdir()
        again.run(server, bought.plans[0].cost)
    assert 0.0 < bought.bills[0] <= bought.plans[0].cost
    assert again.bills[0] == pytest.approx(bought.bills[0])


def test_a_run_that_its_limit_stopped_goes_on_and_each_command_stays_within_its_own(tmp_path: Path) -> None:
    bought = Bought(tmp_path)
    limit = 0.06
    with ScriptedServer(Scenario.of(_lost("judge", 30), ANSWERS, JUDGES)) as server:
        with pytest.raises(RunError, match="max-cost"):
            bought.run(server, limit)
        bought.run(server, 100.0)
    assert bought.bills[0] <= limit
    assert len(bought.manifests) == 1


def test_tries_that_were_repeated_are_told_beside_the_cost(tmp_path: Path) -> None:
    bought = Bought(tmp_path, jobs=1)
    with ScriptedServer(Scenario.of(_lost("answerer", 2), ANSWERS, JUDGES)) as server:
        bought.run(server, 100.0)
    # Two rows stand on the one call that was lost twice: each would have paid for it.
    used = bought.manifests[0].datasets[0].arms[0].usage
    assert used["answer"].priced == (
        "2026-01-01 openai:answerer; 4 tries that were repeated may have been paid and are not in it"
    )
    assert "repeated" not in used["openai:judge-a"].priced


@pytest.mark.parametrize("kind", [OpenAIChat, AnthropicChat])
@pytest.mark.parametrize(
    ("fail", "tries"), [("break", 3), ("drop", 3), ("500", 3), ("429", 1), ("529", 3), ("empty", 1)]
)
def test_requests_that_may_have_been_paid_are_counted(kind: Any, fail: str, tries: int) -> None:
    line = {"when": "", "fail": fail, "times": 2} | ({"reply": "x"} if fail == "break" else {})
    with ScriptedServer(Scenario.of(line, {"when": "", "reply": "Juniper."})) as server:
        model = kind("m", None, base_url=server.base_url, parameters=ChatParameters(max_tokens=64))
        called = called_by(
            model, request_of("answer", model, [Message(role="user", content="Q")]), Unsaid(())
        )
        assert (called.text, called.tries) == ("" if fail == "empty" else "Juniper.", tries)
        once = model.trying(1)
        assert (once.tries, model.tries) == (1, 3)
        assert called_by(once, request_of("answer", once, []), Unsaid(())).tries <= 1


@pytest.mark.parametrize("kind", [OpenAIChat, AnthropicChat])
def test_an_answer_without_text_is_paid_all_the_same(kind: Any) -> None:
    usage = {"tokens_in": 70, "tokens_out": 64, "tokens_reasoning": 64, "tokens_cached": 7}
    line = {"when": "", "fail": "empty", "usage": usage}
    with ScriptedServer(Scenario.of(line)) as server:
        model = kind("m", None, base_url=server.base_url, parameters=ChatParameters(max_tokens=64))
        called = called_by(model, request_of("judge", model, [Message(role="user", content="Q")]), Unsaid(()))
    assert called.failure is not None
    assert (called.tokens_in, called.tokens_out, called.tokens_cached, called.tries) == (70, 64, 7, 1)


def test_a_purse_counts_each_try_and_allows_as_many_as_it_holds() -> None:
    model = OpenAIChat("m", None, base_url="http://127.0.0.1:9/v1", parameters=ChatParameters(max_tokens=10))
    purse = Purse({model.name: model}, lambda name: Price(0.0, 1_000_000.0, 0.0), 100.0)
    tokens = Tokens(0, 10)
    assert [purse.allows(model.name, tokens, tries) for tries in (1, 3, 11)] == [1, 3, 10]
    purse.reserve("a", model.name, tokens, 3)
    assert purse.allows(model.name, tokens, 11) == 7
    purse.settle("a", model.name, None)
    assert purse.spent == 0.0
    purse.reserve("b", model.name, tokens, 3)
    purse.settle("b", model.name, Called(text="x", tokens_in=0, tokens_out=2, tries=3))
    assert purse.spent == 2 * 10.0 + 2.0
    purse.reserve("c", model.name, tokens, 3)
    purse.settle("c", model.name, Called(failure="lost", tries=2))
    assert purse.spent == 22.0 + 2 * 10.0
    purse.settle("d", model.name, Called(failure="refused", tries=0))
    assert purse.allows(model.name, tokens, 9) == 5


def test_a_model_at_another_address_may_have_another_vocabulary() -> None:
    here = OpenAIChat("m", "k", parameters=ChatParameters())
    there = OpenAIChat("m", None, base_url="http://127.0.0.1:9/v1", parameters=ChatParameters())
    assert tokens_at_most(here, 100) < tokens_at_most(there, 100)
