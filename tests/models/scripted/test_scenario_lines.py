"""What a line of a scenario may hold, and how one that cannot mean anything is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.errors import ModelError
from truerecall.models.scripted import Scenario
from truerecall.models.scripted.lines import FAILURES, ToolUse, Usage


def test_every_field_of_a_line_is_read() -> None:
    (line,) = Scenario.of(
        {
            "when": "t(e)a",
            "model": "^gpt",
            "endpoint": "responses",
            "reply": r"\1",
            "tools": [{"name": "look", "arguments": {"city": "Zürich", "n": [1, None]}}, {"name": "stop"}],
            "finish_reason": "stop",
            "fail": "slow",
            "after": 2,
            "times": 3,
            "usage": {"tokens_in": 9, "tokens_out": 8, "tokens_cached": 7, "tokens_reasoning": 6},
        }
    ).lines
    assert (line.when and line.when.pattern, line.model and line.model.pattern) == ("t(e)a", "^gpt")
    assert (line.endpoint, line.reply, line.finish_reason) == ("responses", r"\1", "stop")
    assert line.tools == (ToolUse("look", '{"city":"Zürich","n":[1,null]}'), ToolUse("stop", "{}"))
    assert (line.fail, line.after, line.times, line.usage) == ("slow", 2.0, 3, Usage(9, 8, 7, 6))
    assert line.where == "scripted:1"


def test_a_file_is_read_line_by_line_and_each_line_knows_its_place(tmp_path: Path) -> None:
    path = tmp_path / "größer s#1.jsonl"
    path.write_text('{"reply": "a"}\n\n   \n{"fail": 429}\r\n', encoding="utf-8")
    scenario = Scenario.read(path)
    assert [line.where for line in scenario.lines] == [f"{path}:1", f"{path}:4"]
    assert [line.fail for line in scenario.lines] == [None, "429"]
    assert scenario.name == str(path)


def test_the_mark_that_some_editors_put_before_a_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(b'\xef\xbb\xbf{"reply": "a"}\n')
    assert [line.reply for line in Scenario.read(tmp_path / "s.jsonl").lines] == ["a"]


def test_a_file_with_no_line_is_a_scenario_that_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(b"\n")
    assert Scenario.read(tmp_path / "s.jsonl").lines == ()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({}, "the line is no reply and no rule: reply is no text"),
        ({"when": "a"}, "the line is no reply and no rule: reply is no text"),
        ({"reply": 4}, "the line is no reply and no rule: reply is no text"),
        ({"reply": "a", "retry": 1, "mode": 2}, "the line is no reply and no rule: it has 'mode', 'retry'"),
        ({"reply": "a", "when": "("}, "'(' is not a pattern: missing ), unterminated subpattern at position 0"),
        ({"reply": "a", "model": 4}, "4 is not a pattern: first argument must be string or compiled pattern"),
        ({"reply": r"\2", "when": "(a)"}, "the reply to '(a)' is no template: invalid group reference 2"),
        ({"reply": r"\g<b>", "when": "(a)"}, "the reply to '(a)' is no template: unknown group name 'b'"),
        ({"reply": "a", "finish_reason": 4}, "finish_reason is not a text"),
        ({"reply": "a", "finish_reason": ""}, "finish_reason is not a text"),
        ({"fail": "slowly"}, "'slowly' is no way to fail"),
        ({"fail": 418}, "418 is no way to fail"),
        ({"fail": True}, "True is no way to fail"),
        ({"fail": ["429"]}, "['429'] is no way to fail"),
        ({"reply": "a", "endpoint": "mail"}, "'mail' is no endpoint"),
        ({"reply": "a", "endpoint": ["chat"]}, "['chat'] is no endpoint"),
        ({"reply": "a", "endpoint": "embeddings"}, "embeddings come from the embedder, not from a line"),
        ({"fail": "empty", "endpoint": "embeddings"}, "embeddings come from the embedder, not from a line"),
        ({"tools": {"name": "a"}}, "tools is no list of tools"),
        ({"tools": [{"name": ""}]}, "tools is no list of tools"),
        ({"tools": [{"name": "a", "arguments": "{}"}]}, "tools is no list of tools"),
        ({"tools": [{"name": "a", "namespace": 1}]}, "tools is no list of tools"),
        ({"tools": [{"name": "a", "input": {}}]}, "tools is no list of tools"),
        ({"fail": "slow", "after": "2"}, "after is '2'"),
        ({"fail": "slow", "after": -1}, "after is -1"),
        ({"fail": "slow", "after": True}, "after is True"),
        ({"fail": "slow", "after": 1e9}, "after is 1000000000.0"),
        ({"reply": "a", "after": 1}, 'after means nothing without "fail"'),
        ({"fail": "drop", "after": 1}, 'after means nothing beside "fail": "drop"'),
        ({"fail": "401", "after": 1}, 'after means nothing beside "fail": "401"'),
        ({"fail": "drop", "reply": "a"}, 'reply means nothing beside "fail": "drop"'),
        ({"fail": "empty", "reply": "a"}, 'reply means nothing beside "fail": "empty"'),
        ({"fail": "429", "tools": []}, 'tools means nothing beside "fail": "429"'),
        ({"fail": "cut", "reply": "a", "finish_reason": "stop"}, 'finish_reason means nothing beside "fail": "cut"'),
        ({"fail": "cut"}, "there is no reply to cut"),
        ({"reply": "a", "times": 0}, "times is 0"),
        ({"reply": "a", "times": 1.0}, "times is 1.0"),
        ({"reply": "a", "times": True}, "times is True"),
        ({"reply": "a", "usage": 3}, "usage is no record of tokens"),
        ({"reply": "a", "usage": {"prompt_tokens": 3}}, "usage is no record of tokens"),
        ({"reply": "a", "usage": {"tokens_in": -1}}, "tokens_in is -1"),
        ({"reply": "a", "usage": {"tokens_in": 1, "tokens_cached": 2}}, "tokens_cached is more than tokens_in"),
        (
            {"reply": "a", "usage": {"tokens_out": 1, "tokens_reasoning": 2}},
            "tokens_reasoning is more than tokens_out",
        ),
    ],
)  # fmt: skip
def test_a_line_that_cannot_mean_anything_is_refused_with_its_place(line: Any, problem: str) -> None:
    with pytest.raises(ModelError) as raised:
        Scenario.of({"reply": "one"}, line, name="s.jsonl")
    assert raised.value.problem.startswith(problem)
    assert raised.value.where == "s.jsonl:2"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "the line is no reply and no rule: no object"),
        ('"reply"', "the line is no reply and no rule: no object"),
        ("{", "the line is not JSON"),
        ('{"reply": "a", "reply": "b"}', "the line is not JSON: a field stands there twice"),
        (
            '{"tools": [{"name": "a", "arguments": {"x": NaN}}]}',
            "the line is not JSON: NaN is no number of JSON",
        ),
        ("[" * 100_000, "the line is not JSON"),
    ],
)
def test_a_line_of_a_file_that_is_no_object_of_json_is_refused(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f'{{"reply": "one"}}\n{text}\n', encoding="utf-8")
    with pytest.raises(ModelError) as raised:
        Scenario.read(path)
    assert raised.value.problem.startswith(problem)
    assert raised.value.where == f"{path}:2"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(FAILURES),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["reply", "when", "model", "tools", "fail", "after", "times", "usage", "name"]
                )
                | st.text(max_size=3),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_refused_and_never_breaks_the_reader(data: Any) -> None:
    try:
        scenario = Scenario.of(data)
    except ModelError as error:
        assert error.where == "scripted:1"
    else:
        assert json.dumps(scenario.lines[0].reply) == json.dumps(data.get("reply", ""))
