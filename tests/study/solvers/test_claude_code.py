"""What a recorded Claude Code used, did and saw, prompt by prompt."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from recorded import KEY, MODEL, Recorded, result, tokens, transcript

from truerecall.study.records import Call, Injected

FIRST = (15, 220, 24_500, 13_200, 0)
SECOND = (9, 55, 13_200, 100, 0)


@pytest.fixture
def claude(tmp_path: Path) -> Recorded:
    return Recorded(tmp_path)


@pytest.mark.parametrize(
    ("version", "cut", "costs"),
    [
        ("332", 38, (0.03768, 0.039818)),  # cumulative in the session
        ("197", 17, (0.060195, 0.005187000000000001)),  # of each call alone
    ],
)
def test_usage_is_of_one_exchange_whatever_the_told_cost_is_of(
    claude: Recorded, version: str, cut: int, costs: tuple[float, float]
) -> None:
    recording = f"2.1.{version}_resumed"
    claude.step(transcript(recording, 0, cut), result(f"{version}_first"))
    claude.step(transcript(recording), result(f"{version}_followup"))
    first, second = claude.ask(2)

    assert (tokens(first.calls), tokens(second.calls)) == (FIRST, SECOND)
    assert (len(first.calls), len(second.calls)) == (3, 1)
    assert (first.told_cost, second.told_cost) == costs
    assert (first.ended, first.answer) == ("answered", "Login may work on Windows.")
    assert second.answer == "Login does not work on Windows: src/login.py raises RuntimeError."


def test_a_message_of_several_lines_is_one_call_with_its_usage_once(claude: Recorded) -> None:
    claude.step(transcript("2.1.332_resumed", 0, 38), result("332_first"))
    (first,) = claude.ask()

    assert first.calls[0] == Call(
        id="msg_c6b7f21cdc7f4f0c859770ba",
        model=MODEL,
        input=3,
        output=60,
        cache_read=0,
        cache_write_5m=12_000,
    )


def test_a_placeholder_is_not_taken_for_the_usage_of_a_message(claude: Recorded) -> None:
    lines = [_message("msg_1", "end_turn", 70), _message("msg_1", None, 1)]
    claude.step("".join(lines), _success())
    claude.step("".join([_message("msg_2", None, 1), _message("msg_2", "end_turn", 71)]), _success())
    first, second = claude.ask(2)

    assert [call.output for call in first.calls] == [70]
    assert [call.output for call in second.calls] == [71]


def test_cache_writes_of_an_hour_are_told_from_those_of_five_minutes(claude: Recorded) -> None:
    split = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 70}
    told = _message("msg_1", "end_turn", 1, cache_creation_input_tokens=100, cache_creation=split)
    hourly = json.loads(_message("msg_2", "end_turn", 1, cache_creation_input_tokens=100))
    claude.step(told + json.dumps({**hourly, "promptCacheRequested": "1h"}) + "\n", _success())
    (first,) = claude.ask()

    assert [(call.cache_write_5m, call.cache_write_1h) for call in first.calls] == [(30, 70), (0, 100)]


def test_a_compaction_is_paid_once_and_nothing_before_it_again(claude: Recorded) -> None:
    recording = "2.1.332_compacted"
    for end in (24, 35, 50, None):
        claude.step(
            transcript(recording, 0, end), _success(session_id="4b5f4fa7-e3c9-4829-a143-a9694bb4abb8")
        )
    exchanges = claude.ask(4)

    one = (100, 50, 5_000, 1_000, 0)
    assert [tokens(exchange.calls) for exchange in exchanges] == [one, one, one, one]
    assert [call.id for call in exchanges[2].calls] == ["unlisted-1"]
    assert exchanges[2].calls[0].model == MODEL


@pytest.mark.parametrize(
    ("told", "calls"),
    [
        ({MODEL: 9}, []),  # less than its messages say: it was not written anew since
        ({MODEL: 70}, []),
        ({MODEL: 75}, [(MODEL, 5)]),
        ({MODEL: 75, "claude-haiku-5-5": 3}, [(MODEL, 5), ("claude-haiku-5-5", 3)]),
        ({"sonnet": 70}, []),  # the same under another name
        ({"sonnet": 78}, [(MODEL, 8)]),
    ],
)
def test_what_a_session_used_beyond_its_messages_is_counted_with_its_model(
    claude: Recorded, told: dict[str, int], calls: list[tuple[str, int]]
) -> None:
    usage = {
        model: {"inputTokens": 5 * (model != "claude-haiku-5-5"), "outputTokens": n}
        for model, n in told.items()
    }
    state = json.dumps({"type": "cost-state", "modelUsage": usage}) + "\n"
    claude.step(_message("msg_1", "end_turn", 70) + state, _success())
    claude.step(_message("msg_1", "end_turn", 70) + state, _success())
    first, second = claude.ask(2)

    assert [(call.model, call.output) for call in first.calls] == [(MODEL, 70), *calls]
    assert second.calls == []


def test_a_conversation_that_goes_on_in_another_file_counts_nothing_again(claude: Recorded) -> None:
    claude.step(transcript("2.1.332_resumed", 0, 38), result("332_first"))
    forked = "5af09598-38bb-402e-b314-c08ca334a325"
    copied = transcript("2.1.332_resumed").replace("e7387a30-bf33-4ba4-bdbb-d4e4e8121950", forked)
    claude.step(copied, {**result("332_followup"), "session_id": forked})
    first, second = claude.ask(2)

    assert (tokens(first.calls), tokens(second.calls)) == (FIRST, SECOND)
    assert (first.session, second.session) == ("e7387a30-bf33-4ba4-bdbb-d4e4e8121950", forked)
    assert [use.name for use in second.uses] == []


def test_what_subagents_used_and_did_is_of_the_exchange_that_sent_them(claude: Recorded) -> None:
    claude.step(
        transcript("2.1.332_subagent"),
        _success(session_id="f37d488e-85e8-416d-b431-9af2d65c4a44"),
        side=transcript("2.1.332_subagent_side"),
    )
    (first,) = claude.ask()

    assert tokens(first.calls) == (8, 90, 2_300, 1_530, 0), "what the session itself says"
    assert [use.name for use in first.uses] == ["Agent", "Read"]


def test_uses_of_tools_are_told_once_with_what_came_of_them(claude: Recorded) -> None:
    claude.step(transcript("2.1.332_resumed", 0, 38), result("332_first"))
    claude.step(transcript("2.1.332_resumed"), result("332_followup"))
    first, second = claude.ask(2)

    assert [(use.name, use.outcome) for use in first.uses] == [
        ("Read", "ok"),
        ("Grep", "ok"),
        ("Glob", "ok"),
        ("Bash", "ok"),
    ]
    assert first.uses[3].input["command"] == "git log --oneline"
    assert second.uses == []


def test_what_was_denied_is_told_by_the_transcript_and_by_the_result(claude: Recorded) -> None:
    denied = [{"tool_use_id": "toolu_c528c8005bdc42d392021971", "tool_name": "Write", "tool_input": {}}]
    session = "91b3f8dc-794b-4115-a377-e759da75dcb9"
    claude.step(transcript("2.1.332_denials"), _success(session_id=session, permission_denials=denied))
    (first,) = claude.ask()

    outcomes = {use.id: use.outcome for use in first.uses}
    assert outcomes == {
        "toolu_4975f9f08b29447da9970ede": "denied",
        "toolu_d284c1f699a64d74af62ea87": "ok",
        "toolu_5ecc3659433b4eaa8fb385b4": "denied",
        "toolu_c528c8005bdc42d392021971": "denied",
        "toolu_8680aaa14b3047f5a8c640f3": "ok",
    }
    assert first.denied == ["toolu_c528c8005bdc42d392021971"]


def test_texts_of_hooks_are_told_with_their_events_and_each_in_its_exchange(claude: Recorded) -> None:
    claude.step(transcript("2.1.332_resumed", 0, 38), result("332_first"))
    claude.step(transcript("2.1.332_resumed"), result("332_followup"))
    first, second = claude.ask(2)

    recalled = Injected(
        event="UserPromptSubmit",
        text="RECALLED-MEMORY-MARKER: login on Windows was discussed on 2026-10-12.",
    )
    digest = Injected(event="SessionStart", text="SESSIONSTART-MARKER: memory plugin active.")
    assert (first.injected, second.injected) == ([digest, recalled], [recalled])


def test_plain_words_of_a_hook_count_where_they_reach_the_model_and_nowhere_else(claude: Recorded) -> None:
    lines = [
        {"type": "attachment", "uuid": f"u{number}", "attachment": {"type": "hook_success", **facts}}
        for number, facts in enumerate(
            (
                {"hookEvent": "UserPromptSubmit", "content": "recalled"},
                {"hookEvent": "UserPromptSubmit", "content": "", "stdout": '{"systemMessage": "x"}'},
                {"hookEvent": "Stop", "content": "kept"},
            )
        )
    ]
    claude.step("".join(json.dumps(line) + "\n" for line in lines), _success())
    (first,) = claude.ask()

    assert first.injected == [Injected(event="UserPromptSubmit", text="recalled")]


def test_a_conversation_without_hooks_tells_no_injected_text(claude: Recorded) -> None:
    claude.step(transcript("2.1.332_denials"), _success(session_id="91b3f8dc-794b-4115-a377-e759da75dcb9"))
    (first,) = claude.ask()

    assert first.injected == []


def test_half_a_line_at_the_end_waits_for_the_next_exchange(claude: Recorded) -> None:
    whole = transcript("2.1.332_resumed")
    claude.step(whole[: whole.index('"output_tokens":55')], result("332_first"))
    claude.step(whole, result("332_followup"))
    first, second = claude.ask(2)

    assert (tokens(first.calls), tokens(second.calls)) == (FIRST, SECOND)


def test_the_transcript_is_kept_without_the_key_and_without_whole_requests(claude: Recorded) -> None:
    leaked = json.dumps({"type": "user", "message": {"content": f"the key is {KEY}"}}) + "\n"
    claude.step(
        transcript("2.1.332_resumed", 0, 38) + leaked, {**result("332_first"), "result": f"It is {KEY}."}
    )
    (first,) = claude.ask()

    outputs = claude.seat.outputs
    assert sorted(path.name for path in outputs.iterdir()) == [
        "e7387a30-bf33-4ba4-bdbb-d4e4e8121950.jsonl",
        "result-0.json",
    ]
    lines = (outputs / "e7387a30-bf33-4ba4-bdbb-d4e4e8121950.jsonl").read_text("utf-8").splitlines()
    types = {json.loads(line)["type"] for line in lines}
    assert types == {
        "queue-operation", "attachment", "user", "atis-latch", "tools-used", "assistant", "last-prompt", "system",
        "cost-state",
    }  # fmt: skip
    assert json.loads(lines[-1])["message"]["content"] == "the key is [masked]"
    assert first.answer == "It is [masked]."
    assert not any(KEY in path.read_text("utf-8") for path in outputs.iterdir())


def test_a_tool_s_input_that_no_file_can_hold_is_told_all_the_same(claude: Recorded) -> None:
    block = {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "Bash",
        "input": {"command": "cat \ud800", "n": [1, None]},
    }
    line = json.loads(_message("msg_1", "tool_use", 3))
    line["message"]["content"] = [block]
    claude.step(json.dumps(line) + "\n", _success())
    (first,) = claude.ask()

    assert first.uses[0].input == {"command": "cat ?", "n": [1, None]}
    assert "cat ?" in first.model_dump_json()
    assert first.uses[0].outcome == "unknown"


def test_a_conversation_that_somebody_else_left_in_the_home_is_not_counted(claude: Recorded) -> None:
    orphan = claude.seat.home / ".claude" / "projects" / "-ws" / "91b3f8dc-794b-4115-a377-e759da75dcb9.jsonl"
    orphan.parent.mkdir(parents=True)
    orphan.write_text(transcript("2.1.332_denials"), "utf-8")
    claude.step(transcript("2.1.332_resumed", 0, 38), result("332_first"))
    (first,) = claude.ask()

    assert tokens(first.calls) == FIRST
    assert not (claude.seat.outputs / orphan.name).exists()


def test_each_conversation_begins_anew(claude: Recorded) -> None:
    claude.step(transcript("2.1.332_resumed", 0, 38), result("332_first"))
    claude.step(transcript("2.1.332_resumed", 0, 38), result("332_first"))
    (one,) = claude.ask()
    other_home = replace(claude.seat, home=claude.seat.home.parent / "hom2")
    (other,) = claude.ask(seat=other_home)

    assert tokens(one.calls) == tokens(other.calls) == FIRST


def _message(key: str, stop: str | None, output: int, **usage: object) -> str:
    told = {"input_tokens": 5, "output_tokens": output, **usage}
    message = {"id": key, "model": MODEL, "content": [], "stop_reason": stop, "usage": told}
    return (
        json.dumps({"type": "assistant", "sessionId": "s-1", "uuid": f"{key}-{output}", "message": message})
        + "\n"
    )


def _success(**facts: object) -> dict[str, object]:
    known = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": "Done."}
    return {**known, "session_id": "s-1", "total_cost_usd": 0.5, **facts}
