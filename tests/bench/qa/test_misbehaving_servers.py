"""Whatever a server does wrong stands in the manifest for what it is: failed, invalid or cut; never wrong."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from answered import CORRECT, WRONG, dataset, rows, run, whole

from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.qa.options import Models
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.errors import ChatRefused, RunError
from truerecall.models.openai_compatible import OpenAIChat
from truerecall.models.protocols import ChatParameters
from truerecall.models.scripted import Scenario, ScriptedServer

ASKED = "What is the boat called"
"""Asked of both conversations, in the same words: one call, two rows."""
ALL = {"when": "", "model": "answerer", "reply": "Juniper."}
JUDGED = {"when": "", "model": "judge", "reply": CORRECT}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run over a misbehaving server came to."""

    manifest: QaManifest
    calls: int


def measured(out: Path, *lines: dict[str, Any], timeout: float = 30.0, **changes: Any) -> Outcome:
    """A run in which these lines come before a sound answer and two judges that accept it; no call is repeated."""
    with ScriptedServer(Scenario.of(*lines, ALL, JUDGED)) as server:

        def model(name: str) -> OpenAIChat:
            parameters = ChatParameters(max_tokens=64, temperature=0.0, timeout=timeout)
            return OpenAIChat(name, None, base_url=server.base_url, parameters=parameters, retries=0)

        chosen = Models(model("answerer"), (model("judge-a"), model("judge-b")))
        made = run(out, chosen, [Truerecall(None)], unknown_price=True, **changes)
        return Outcome(made, len(server.calls))


WRONGS = [
    ("429", r"too many requests, or no credit left \(429\)"),
    ("500", r"the server failed \(500\)"),
    ("503", r"the server failed \(503\)"),
    ("drop", r"the server cannot be reached"),
    ("break", r"the server cannot be reached"),
    ("empty", r"no text|empty"),
    ("malformed", r"not JSON"),
    ("slow", r"no answer within 0.4 seconds"),
]


@pytest.mark.parametrize(("fail", "reason"), WRONGS)
def test_an_answer_that_never_came_is_failed_and_not_wrong(tmp_path: Path, fail: str, reason: str) -> None:
    line = {"when": f"Question: {ASKED}", "model": "answerer", "fail": fail}
    if fail in ("break", "slow"):
        line["reply"] = "Juniper."
    outcome = measured(tmp_path, line, timeout=0.4 if fail == "slow" else 30.0)
    (arm,) = outcome.manifest.datasets[0].arms
    assert (arm.asked, arm.answered, arm.failed, arm.cut, arm.complete) == (10, 8, 2, 0, False)
    ((why, count),) = arm.failures.items()
    assert count == 2
    assert re.search(reason, why)
    for name in ("openai:judge-a", "openai:judge-b"):
        cell = whole(outcome.manifest, "truerecall", name)
        assert (cell.correct, cell.wrong, cell.invalid, cell.failed, cell.accuracy) == (8, 0, 0, 2, 1.0)
        assert (cell.low, cell.high) == (0.8, 1.0)
    assert any(stamp.startswith("incomplete") for stamp in outcome.manifest.stamps)
    # Six questions are different; those without an answer reach no judge.
    assert outcome.calls == 6 + 2 * 5
    assert outcome.manifest.calls.lost == 0


@pytest.mark.parametrize(("fail", "reason"), WRONGS)
def test_a_verdict_that_never_came_is_failed_for_that_judge_alone(
    tmp_path: Path, fail: str, reason: str
) -> None:
    line = {"when": ASKED, "model": "judge-b", "fail": fail}
    if fail in ("break", "slow"):
        line["reply"] = CORRECT
    outcome = measured(tmp_path, line, timeout=0.4 if fail == "slow" else 30.0)
    sound, failed = (whole(outcome.manifest, "truerecall", f"openai:judge-{name}") for name in "ab")
    assert (sound.correct, sound.failed) == (10, 0)
    assert (failed.correct, failed.wrong, failed.invalid, failed.failed) == (8, 0, 0, 2)
    (arm,) = outcome.manifest.datasets[0].arms
    assert (arm.answered, arm.failed, arm.complete) == (10, 0, False)
    assert [name.partition(": ")[0] for name in arm.failures] == ["openai:judge-b"]


@pytest.mark.parametrize("reply", ['{"verdict": "cor', "It may be correct or wrong.", CORRECT + WRONG, "{}"])
def test_a_verdict_that_says_nothing_is_invalid(tmp_path: Path, reply: str) -> None:
    outcome = measured(tmp_path, {"when": ASKED, "model": "judge-b", "reply": reply})
    cell = whole(outcome.manifest, "truerecall", "openai:judge-b")
    assert (cell.correct, cell.wrong, cell.invalid, cell.failed, cell.accuracy) == (8, 0, 2, 0, 1.0)
    assert any(stamp.startswith("unsound") for stamp in outcome.manifest.stamps)
    assert outcome.manifest.datasets[0].arms[0].complete


def test_a_verdict_that_the_limit_cut_is_invalid(tmp_path: Path) -> None:
    line = {"when": ASKED, "model": "judge-b", "reply": "Let me think about it. " * 9, "fail": "cut"}
    outcome = measured(tmp_path, line)
    cell = whole(outcome.manifest, "truerecall", "openai:judge-b")
    assert (cell.correct, cell.invalid, cell.failed) == (8, 2, 0)


def test_an_answer_that_the_limit_cut_is_judged_and_counted(tmp_path: Path) -> None:
    line = {"when": ASKED, "model": "answerer", "reply": "It is called Juniper, as was said.", "fail": "cut"}
    outcome = measured(tmp_path, line)
    (arm,) = outcome.manifest.datasets[0].arms
    assert (arm.answered, arm.failed, arm.cut, arm.complete) == (10, 0, 2, True)
    cut = [row for row in rows(tmp_path) if row.cut]
    assert [row.question for row in cut] == ["gold-one-1", "gold-two-1"]
    assert all(row.verdicts["openai:judge-a"].verdict == "correct" for row in cut)


@pytest.mark.parametrize("status", ["401", "403", "404"])
def test_a_model_that_lets_nobody_in_ends_the_run_and_nothing_is_kept_of_it(
    tmp_path: Path, status: str
) -> None:
    with pytest.raises(ChatRefused, match=status):
        measured(tmp_path, {"when": "", "model": "judge-b", "fail": status})
    mended = measured(tmp_path, name="mended")
    # The server has another port, so each call is another one; but what was kept is no failure.
    assert mended.manifest.datasets[0].arms[0].complete


def test_a_server_that_is_down_ends_the_run_after_ten_calls(tmp_path: Path) -> None:
    many = [dataset()]
    with pytest.raises(RunError, match=r"10 calls in a row failed.*--retry-failed"):
        measured(tmp_path, {"when": "", "model": "judge", "fail": "500"}, data=many, uncalibrated=False)


def test_what_was_sent_and_what_it_took_stands_in_the_manifest(tmp_path: Path) -> None:
    line = {
        "when": "",
        "model": "answerer",
        "reply": "Juniper.",
        "usage": {"tokens_in": 100, "tokens_out": 7, "tokens_cached": 60, "tokens_reasoning": 3},
    }
    outcome = measured(tmp_path, line)
    answer = outcome.manifest.roles[0]
    assert (answer.name, answer.requested) == ("openai:answerer", {"max_tokens": 64, "temperature": 0.0})
    assert answer.sent == {"max_tokens": [64], "temperature": [0.0]}
    assert answer.not_sent == []
    used = outcome.manifest.datasets[0].arms[0].usage["answer"]
    assert (used.calls, used.tokens_in, used.tokens_cached, used.tokens_out, used.tokens_reasoning) == (
        10,
        1000,
        600,
        70,
        30,
    )
    assert used.cost is None
