"""The desk of the grading models: what was asked once is not paid again, by threads, processes or after a kill."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from truerecall.bench.qa.records import Called
from truerecall.bench.qa.stages import StageStore
from truerecall.errors import ChatFailed, ChatRefused, ModelError, RunError, StudyError
from truerecall.measure.prices import Price, PriceTable
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply
from truerecall.models.scripted.chat import ScriptedChat
from truerecall.models.unsaid import Unsaid
from truerecall.study.grade.desk import FAILURES, TRIES, open_desk
from truerecall.study.grade.spending import RoleSpent, grading_spent

PRICES = PriceTable("2026-08-05", "c" * 64, {"openai:paid": Price(1.0, 10.0, 1.0)})
ASKED = (ChatMessage("system", "Mark."), ChatMessage("user", "one"))
OTHER = (ChatMessage("system", "Mark."), ChatMessage("user", "two"))
FAILED = ChatFailed("the server failed (500)", where="openai:paid", remedy="Try again later.")


class PaidModel:
    """A model that costs money; ``answer`` gives the text of a reply, or raises."""

    free = False
    identity = "ab" * 32
    name = "openai:paid"

    def __init__(self, answer: Callable[[str], str], max_tokens: int = 1_000) -> None:
        self.parameters = ChatParameters(max_tokens=max_tokens)
        self.asked: list[str] = []
        self._answer = answer

    def reply(self, messages: object) -> ChatReply:
        text = messages[-1].content  # type: ignore[index]
        self.asked.append(text)
        return ChatReply(self._answer(text), "stop", "paid-2026", 1_000, 100)


def failing(times: int) -> Callable[[str], str]:
    left = [FAILED] * times

    def answer(text: str) -> str:
        if left:
            raise left.pop()
        return f"answer to {text}"

    return answer


def test_what_was_asked_once_is_not_asked_again_by_this_process_or_the_next(tmp_path: Path) -> None:
    model = PaidModel(str.upper)
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as desk:
        key, called = desk.ask("judge", ASKED)
        assert desk.ask("judge", ASKED) == (key, called)
        assert (desk.made["judge"], desk.reused["judge"], desk.lost) == (1, 1, 0)
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as later:
        assert later.ask("judge", ASKED) == (key, called)
        assert (later.made["judge"], later.reused["judge"]) == (0, 1)

    assert (called.text, model.asked) == ("ONE", ["one"])


def test_a_sample_a_role_and_a_text_each_make_a_request_of_its_own(tmp_path: Path) -> None:
    model = PaidModel(str.upper)
    with open_desk(tmp_path, "s", {"judge": model, "checker": model}, PRICES) as desk:
        keys = [
            desk.ask("judge", ASKED)[0],
            desk.ask("judge", ASKED, 1)[0],
            desk.ask("checker", ASKED)[0],
            desk.ask("judge", OTHER)[0],
        ]
    assert len(set(keys)) == 4

    store = StageStore(tmp_path / "stages.db")
    requests = [store.request(key) for key in keys]
    store.close()
    assert [(one.stage, one.parameters) for one in requests if one] == [
        ("judge", {"max_tokens": 1_000, "temperature": None}),
        ("judge", {"max_tokens": 1_000, "temperature": None, "sample": 1}),
        ("check", {"max_tokens": 1_000, "temperature": None}),
        ("judge", {"max_tokens": 1_000, "temperature": None}),
    ]


def test_the_name_of_the_study_and_its_folder_stand_in_no_request(tmp_path: Path) -> None:
    folders = [tmp_path / "memory-1", tmp_path / "none-2"]
    keys = []
    for folder in folders:
        folder.mkdir()
        with open_desk(folder, folder.name, {"judge": PaidModel(str.upper)}, PRICES) as desk:
            keys.append(desk.ask("judge", ASKED)[0])

    assert keys[0] == keys[1]


def test_a_failed_call_is_made_again_and_its_answer_then_stands(tmp_path: Path) -> None:
    model = PaidModel(failing(2))
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as desk:
        _, called = desk.ask("judge", ASKED)

        assert (called.text, called.failure, called.again) == ("answer to one", None, 2)
        assert desk.made["judge"] == 3


def test_a_call_that_goes_on_failing_is_given_back_as_failed_and_is_asked_anew_by_the_next_process(
    tmp_path: Path,
) -> None:
    model = PaidModel(failing(TRIES))
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as desk:
        _, called = desk.ask("judge", ASKED)
    assert (called.text, called.failure) == ("", "the server failed (500)")
    assert len(model.asked) == TRIES

    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as later:
        assert later.ask("judge", ASKED)[1].text == "answer to one"


def test_call_after_call_that_fails_ends_the_study_and_not_its_runs(tmp_path: Path) -> None:
    model = PaidModel(failing(100))
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as desk:
        desk.ask("judge", ASKED)
        with pytest.raises(
            RunError, match=f"{FAILURES} calls in a row failed, the last with: the server failed"
        ):
            desk.ask("judge", OTHER)


def test_a_refusal_ends_it_at_once_and_nothing_is_taken_for_paid(tmp_path: Path) -> None:
    def refuse(text: str) -> str:
        raise ChatRefused("the key was refused (401)", where="openai:paid", remedy="Check the key.")

    model = PaidModel(refuse)
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as desk, pytest.raises(ChatRefused):
        desk.ask("judge", ASKED)
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as later:
        assert (len(model.asked), later.lost) == (1, 0)


def test_a_model_that_cannot_be_asked_at_all_says_so_and_the_call_counts_as_lost(tmp_path: Path) -> None:
    def broken(text: str) -> str:
        raise ModelError("the weights are damaged", remedy="Install them again.")

    model = PaidModel(broken)
    with (
        open_desk(tmp_path, "s", {"judge": model}, PRICES) as desk,
        pytest.raises(ModelError, match="the weights are damaged"),
    ):
        desk.ask("judge", ASKED)
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as later:
        assert later.lost == 1


def test_a_role_without_a_model_is_named(tmp_path: Path) -> None:
    with (
        open_desk(tmp_path, "s", {"judge": PaidModel(str.upper)}, PRICES) as desk,
        pytest.raises(StudyError, match="no model is there to be the checker"),
    ):
        desk.ask("checker", ASKED)


def test_an_answer_that_holds_a_key_is_not_kept(tmp_path: Path) -> None:
    key = "sk-proj-0123456789abcdefghij"
    model = PaidModel(lambda text: f"your key is {key}")
    with open_desk(tmp_path, "s", {"judge": model}, PRICES, unsaid=Unsaid([key])) as desk:
        _, called = desk.ask("judge", ASKED)

    assert called.text == ""
    assert called.failure == "the answer holds a piece of a key that is in use, so it was not kept"
    assert key.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_equal_requests_of_several_threads_are_paid_once_and_others_go_side_by_side(tmp_path: Path) -> None:
    together = threading.Barrier(2, timeout=60)

    def answer(text: str) -> str:
        together.wait()  # passed only if two different requests are under way at once
        return text.upper()

    model = PaidModel(answer)
    got: list[tuple[str, Called]] = []
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as desk:
        threads = [
            threading.Thread(target=lambda asked=asked: got.append(desk.ask("judge", asked)))
            for asked in (ASKED, OTHER, ASKED, OTHER, ASKED)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert (desk.made["judge"], desk.reused["judge"]) == (2, 3)
    assert sorted(model.asked) == ["one", "two"]
    assert sorted(called.text for _, called in got) == ["ONE", "ONE", "ONE", "TWO", "TWO"]


def test_a_free_model_is_asked_one_request_at_a_time(tmp_path: Path) -> None:
    model = PaidModel(lambda text: text)
    model.free = True
    model.name = "scripted:one"
    under_way: list[str] = []

    def answer(text: str) -> str:
        under_way.append(text)
        assert len(under_way) == 1
        under_way.remove(text)
        return text.upper()

    model._answer = answer
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as desk:
        threads = [
            threading.Thread(target=desk.ask, args=("judge", (ChatMessage("user", str(number)),)))
            for number in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert desk.made["judge"] == 8


def test_grading_is_summed_by_role_from_the_stage_store_alone(tmp_path: Path) -> None:
    models = {
        "judge": PaidModel(str.upper),
        "rewriter": ScriptedChat(["clean"], name="scripted:/home/x/r.jsonl"),
    }
    with open_desk(tmp_path, "s", models, PRICES) as desk:
        desk.ask("judge", ASKED)
        desk.ask("judge", OTHER)
        desk.ask("rewriter", ASKED)
        spent = desk.spent
        cost = desk.cost

    judged = RoleSpent(
        role="judge",
        models=["openai:paid"],
        calls=2,
        uncounted=0,
        tokens_in=2_000,
        tokens_cached=0,
        tokens_out=200,
        cost=0.004,
    )
    assert {one.role: one for one in spent}["judge"] == judged
    assert {one.role: (one.models, one.cost) for one in spent}["rewriter"] == (["scripted:r.jsonl"], 0.0)
    assert cost == 0.004
    assert grading_spent(tmp_path, PRICES.of) == list(spent)
    assert grading_spent(tmp_path / "elsewhere", PRICES.of) == []
    assert [one.cost for one in grading_spent(tmp_path, lambda name: None)] == [0.0, None]


def test_a_limit_of_the_costs_is_held_over_all_processes_of_a_run(tmp_path: Path) -> None:
    model = PaidModel(str.upper)
    models = {"judge": model}
    # A call costs 0.002 US dollars; at most (its whole limit of tokens used) a little over 0.010.
    with open_desk(tmp_path, "s", models, PRICES, max_cost=0.011) as desk:
        desk.ask("judge", ASKED)
        with pytest.raises(RunError, match="max-cost"):
            desk.ask("judge", OTHER)
        assert desk.ask("judge", ASKED)[1].text == "ONE"
    with (
        open_desk(tmp_path, "s", models, PRICES, max_cost=0.011) as later,
        pytest.raises(RunError, match="max-cost"),
    ):
        later.ask("judge", OTHER)
    with open_desk(tmp_path, "s", models, PRICES, max_cost=0.02) as later:
        assert later.ask("judge", OTHER)[1].text == "TWO"


def test_a_limit_cannot_be_held_for_a_model_without_a_price(tmp_path: Path) -> None:
    unknown = PriceTable("2026-08-05", "c" * 64, {})

    with (
        pytest.raises(StudyError, match="the price of openai:paid is not known"),
        open_desk(tmp_path, "s", {"judge": PaidModel(str.upper)}, unknown, max_cost=1.0),
    ):
        pass
    with open_desk(tmp_path, "s", {"judge": PaidModel(str.upper)}, unknown) as desk:
        desk.ask("judge", ASKED)
        assert desk.cost is None


KILLED = """
import os, signal, sys
from pathlib import Path
from test_desk import OTHER, ASKED, PRICES, PaidModel
from truerecall.study.grade.desk import open_desk

def answer(text):
    if text == "two":
        os.kill(os.getpid(), signal.SIGKILL)
    return text.upper()

with open_desk(Path(sys.argv[1]), "s", {"judge": PaidModel(answer)}, PRICES) as desk:
    desk.ask("judge", ASKED)
    desk.ask("judge", OTHER)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no SIGKILL")
def test_after_a_kill_in_the_middle_of_a_call_what_was_kept_is_not_asked_again(tmp_path: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parent, timeout=120, check=False
    )
    assert killed.returncode == -signal.SIGKILL

    model = PaidModel(str.upper)
    with open_desk(tmp_path, "s", {"judge": model}, PRICES) as desk:
        assert [desk.ask("judge", asked)[1].text for asked in (ASKED, OTHER)] == ["ONE", "TWO"]
        assert (model.asked, desk.lost) == (["two"], 1)
