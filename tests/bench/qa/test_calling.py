"""Asking models: nothing twice, failures apart, and no further than money and patience go."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asked import PaidChat, said

from truerecall.bench.progress import Progress
from truerecall.bench.qa.calling import Caller, Due, Terms
from truerecall.bench.qa.records import Called, Message, Request
from truerecall.bench.qa.roles import request_of
from truerecall.bench.qa.spending import OVERHEAD, Purse
from truerecall.bench.qa.stages import StageStore
from truerecall.errors import ChatFailed, ChatRefused, ModelError, RunError
from truerecall.measure.prices import Price
from truerecall.models.protocols import ChatModel, ChatReply
from truerecall.models.scripted import ScriptedChat
from truerecall.models.unsaid import Unsaid

KEY = "sk-proj-0123456789abcdefghij"
FAILED = ChatFailed("the server failed (500)", where="somewhere", remedy="Wait.")
DOLLAR = Price(input=1_000_000.0, output=0.0, cached_input=500_000.0)
"""A dollar for every token that is sent."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StageStore]:
    opened = StageStore(tmp_path / "stages.db")
    yield opened
    opened.close()


def request(model: ChatModel, text: str) -> Request:
    return request_of("answer", model, [Message(role="user", content=text)])


def dues(model: ChatModel, *texts: str, tokens: int = 1) -> list[Due]:
    made = [request(model, text) for text in texts]
    return [Due(one.key, tokens, lambda one=one: one) for one in made]  # type: ignore[misc]


def terms(store: StageStore, model: ChatModel, limit: float | None = None, **more: Any) -> Terms:
    purse = Purse({model.name: model}, lambda name: DOLLAR if limit else None, limit)
    return replace(Terms(store, "r", purse), **more)


def texts(store: StageStore, model: ChatModel, *asked: str) -> list[str | None]:
    found = [store.called(request(model, text).key) for text in asked]
    return [None if called is None else called.text for called in found]


def test_identical_requests_are_one_call_and_a_stored_result_is_none(store: StageStore) -> None:
    model = PaidChat(lambda text: said(text.upper()))
    caller = Caller(terms(store, model))
    caller.ask("answer", model, dues(model, "a", "b", "a"))
    assert sorted(model.asked) == ["a", "b"]
    later = Caller(terms(store, model))
    later.ask("answer", model, dues(model, "a", "b", "c"))
    assert sorted(model.asked) == ["a", "b", "c"]
    assert (caller.made["answer"], caller.reused["answer"]) == (2, 0)
    assert (later.made["answer"], later.reused["answer"]) == (1, 2)
    assert texts(store, model, "a", "b", "c") == ["A", "B", "C"]


def test_what_a_call_came_to_is_kept_whole(store: StageStore) -> None:
    reply = ChatReply("Juniper", "stop", "paid-2024", 10, 5, 4, 2, {"temperature": 0.0, "max_tokens": 100})
    model = PaidChat(lambda text: reply)
    seconds = iter([1.0, 1.0, 1.25, 2.0])  # of the round, before the call, after it, of the report
    Caller(terms(store, model, jobs=1, timer=lambda: next(seconds))).ask("answer", model, dues(model, "a"))
    assert store.called(request(model, "a").key) == Called(
        text="Juniper",
        finish_reason="stop",
        model="paid-2024",
        sent={"temperature": 0.0, "max_tokens": 100},
        tokens_in=10,
        tokens_out=5,
        tokens_cached=4,
        tokens_reasoning=2,
        ms=250.0,
    )


def test_as_many_calls_are_under_way_at_once_as_there_are_jobs(store: StageStore) -> None:
    together = threading.Barrier(3, timeout=10)

    def answer(text: str) -> ChatReply:
        together.wait()  # breaks, and fails the test, unless three are asked at once
        return said(text.upper())

    model = PaidChat(answer)
    Caller(terms(store, model, jobs=3)).ask("answer", model, dues(model, *"abcdef"))
    assert texts(store, model, *"abcdef") == list("ABCDEF")


def test_a_free_model_is_asked_in_order_and_leaves_no_mark(store: StageStore) -> None:
    model = ScriptedChat(["one", "two", "three"])
    Caller(terms(store, model, jobs=8)).ask("answer", model, dues(model, "a", "b", "c"))
    assert texts(store, model, "a", "b", "c") == ["one", "two", "three"]
    with pytest.raises(ModelError):
        Caller(terms(store, model)).ask("answer", Odd([]), dues(model, "d"))
    assert store.lost("r") == 0


class Odd(ScriptedChat):
    """Cannot be asked at all."""

    def reply(self, messages: Any) -> ChatReply:
        raise ModelError("no such model file", remedy="Name another.")


def test_a_failed_call_is_kept_and_asked_again_only_on_request(store: StageStore) -> None:
    replies: list[str | ModelError] = [FAILED, "fine", "better"]
    model = ScriptedChat(replies)
    Caller(terms(store, model)).ask("answer", model, dues(model, "a", "b"))
    first = store.called(request(model, "a").key)
    assert first is not None and (first.text, first.failure) == ("", "the server failed (500)")
    again = Caller(terms(store, model))
    again.ask("answer", model, dues(model, "a", "b"))
    assert (len(model.asked), again.made["answer"], again.reused["answer"]) == (2, 0, 2)
    retried = Caller(terms(store, model, retry_failed=True))
    retried.ask("answer", model, dues(model, "a", "b"))
    assert (retried.made["answer"], retried.reused["answer"]) == (1, 1)
    kept = [store.called(request(model, text).key) for text in "ab"]
    assert [None if one is None else one.again for one in kept] == [1, 0]
    assert texts(store, model, "a", "b") == ["better", "fine"]


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (said("  \n"), "the answer is empty"),
        (said("", "length"), "the answer is empty: the limit of tokens was used up before it began"),
        (
            said(f"my key is {KEY}"),
            "the answer holds a piece of a key that is in use, so it was not kept",
        ),
    ],
)
def test_an_answer_that_is_none_is_a_failure_with_its_tokens(
    store: StageStore, reply: ChatReply, failure: str
) -> None:
    model = PaidChat(lambda text: reply)
    Caller(terms(store, model, unsaid=Unsaid([KEY]))).ask("answer", model, dues(model, "a"))
    called = store.called(request(model, "a").key)
    assert called is not None
    assert (called.failure, called.tokens_in, called.tokens_out) == (failure, 10, 5)
    assert KEY not in called.model_dump_json()


def test_an_answer_that_the_limit_cut_is_an_answer(store: StageStore) -> None:
    model = PaidChat(lambda text: said("Juni", "length"))
    Caller(terms(store, model)).ask("answer", model, dues(model, "a"))
    called = store.called(request(model, "a").key)
    assert called is not None and (called.text, called.failure, called.cut) == ("Juni", None, True)


def test_half_a_character_in_an_answer_can_be_kept(store: StageStore) -> None:
    model = PaidChat(lambda text: said("a \ud83d b"))
    Caller(terms(store, model)).ask("answer", model, dues(model, "a"))
    assert texts(store, model, "a") == ["a � b"]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_model_that_lets_nobody_in_ends_the_run_at_once_and_leaves_nothing(
    store: StageStore, jobs: int
) -> None:
    def answer(text: str) -> ChatReply:
        raise ChatRefused("the key was refused (401)", remedy="Check it.")

    model = PaidChat(answer)
    with pytest.raises(ChatRefused, match="401"):
        Caller(terms(store, model, jobs=jobs)).ask("answer", model, dues(model, *"abcdef"))
    assert len(model.asked) <= jobs
    assert texts(store, model, *"abcdef") == [None] * 6
    assert store.lost("r") == 0


def test_ten_failures_in_a_row_end_a_run_and_say_how_to_go_on(store: StageStore) -> None:
    model = ScriptedChat([FAILED] * 9 + ["fine"] + [FAILED] * 12)
    asked = [str(number) for number in range(22)]
    with pytest.raises(RunError, match=r"10 calls in a row failed.*500.*--retry-failed"):
        Caller(terms(store, model)).ask("answer", model, dues(model, *asked))
    assert len(model.asked) == 20
    assert texts(store, model, *asked) == [""] * 9 + ["fine"] + [""] * 10 + [None, None]


def test_no_call_is_made_that_could_pass_the_limit(store: StageStore) -> None:
    """A call may cost 64 + 36 dollars at most, and costs 10."""
    model = PaidChat(lambda text: said(text.upper(), tokens_in=10))
    caller = Caller(terms(store, model, limit=125.0, jobs=1))
    with pytest.raises(RunError, match=r"could pass --max-cost 125\.00") as stopped:
        caller.ask("answer", model, dues(model, *"abcdef", tokens=100 - OVERHEAD))
    assert "30.00 may be spent" in str(stopped.value)
    assert model.asked == ["a", "b", "c"]  # before the fourth, 30 were spent
    assert texts(store, model, *"abcd") == ["A", "B", "C", None]


def test_calls_under_way_count_by_the_most_they_may_cost(store: StageStore) -> None:
    model = PaidChat(lambda text: said(text.upper(), tokens_in=10))
    with pytest.raises(RunError, match="--max-cost"):
        Caller(terms(store, model, limit=205.0, jobs=8)).ask(
            "answer", model, dues(model, *"abcdefghijklmnop", tokens=100 - OVERHEAD)
        )
    assert len(model.asked) == 11  # with 100 spent there was room for one; with 110 there is none


def test_a_call_whose_tokens_nobody_told_counts_by_the_most_it_may_cost(store: StageStore) -> None:
    model = PaidChat(lambda text: said(text, tokens_in=None, tokens_out=None))
    with pytest.raises(RunError, match=r"200.00 may be spent"):
        Caller(terms(store, model, limit=250.0, jobs=1)).ask(
            "answer", model, dues(model, *"abc", tokens=100 - OVERHEAD)
        )
    assert model.asked == ["a", "b"]


def test_an_interrupt_keeps_what_is_under_way(store: StageStore) -> None:
    first_told = threading.Event()

    def answer(text: str) -> ChatReply:
        if text != "a":
            assert first_told.wait(10)  # under way when the interrupt comes
        return said(text.upper())

    told: list[str] = []

    def report(progress: Progress) -> None:
        told.append(progress.stage)
        first_told.set()
        if progress.stage != "stopping":
            raise KeyboardInterrupt

    model = PaidChat(answer)
    with pytest.raises(KeyboardInterrupt):
        Caller(terms(store, model, jobs=2, report=report)).ask("answer", model, dues(model, *"abcd"))
    assert told == ["answer", "stopping"]
    assert texts(store, model, *"abcd") == ["A", "B", None, None]
    assert store.lost("r") == 0


def test_progress_tells_the_calls_and_the_time_that_is_left(store: StageStore) -> None:
    model = ScriptedChat(["one", "two"])
    seconds = iter(range(100))
    told: list[Progress] = []
    Caller(terms(store, model, report=told.append, timer=lambda: float(next(seconds)))).ask(
        "answer", model, dues(model, "a", "b")
    )
    assert told == [
        Progress("answer", 1, 2, 3.0, system="scripted:chat"),
        Progress("answer", 2, 2, 0.0, system="scripted:chat"),
    ]
