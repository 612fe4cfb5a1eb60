"""A judge's reply comes to correct, wrong or invalid: never a guess, never an exception."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truerecall.bench.qa.verdict import Parsed, parse_verdict, without_thinking

VERDICTS = ("correct", "wrong", "invalid")


def verdict(text: str, finish_reason: str = "stop") -> Parsed:
    """Of a reply that was not cut, unless said otherwise."""
    return parse_verdict(text, finish_reason)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"verdict": "correct", "reason": "It names the boat."}', "correct"),
        ('{"verdict": "wrong", "reason": "It names another boat."}', "wrong"),
        ('```json\n{"verdict": "wrong"}\n```', "wrong"),
        ('Here it is:\n\n{"reason": "close", "verdict": "correct"}\n\nThank you.', "correct"),
        ('{"VERDICT": "CORRECT"}', "correct"),
        ('{"verdict": " Wrong. "}', "wrong"),
        ('{"verdict": "incorrect"}', "wrong"),
        ('{"verdict": "not correct"}', "wrong"),
        ('{"verdict": "yes"}', "correct"),
        ('{"verdict": "no"}', "wrong"),
        ('{"verdict": true}', "correct"),
        ('{"verdict": False}', "wrong"),
        ('{"result": {"scores": [1, {"a": []}], "verdict": "wrong"}}', "wrong"),
        ('[{"verdict": "correct"}]', "correct"),
        ("{'verdict': 'wrong', 'reason': 'python'}", "wrong"),
        ("{“verdict”: “correct”, “reason”: “it’s there”}", "correct"),
        ('{"verdict": "wrong", "reason": "it says “{“verdict”: “correct”}”"}', "wrong"),
        ('{"verdict": "correct", "reason": "he said "yes" to it"}', "correct"),
        ('{"verdict": "correct"}\n{"verdict": "correct"}', "correct"),
        (r'{"\u0076erdict": "correct"}', "correct"),
        ('The set {a, b} is whole. {"verdict": "wrong"}', "wrong"),
    ],
)
def test_the_verdict_of_an_object_is_read_wherever_it_stands(text: str, expected: str) -> None:
    assert verdict(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "correct"}\n{"verdict": "wrong"}',
        '{"verdict": "correct", "verdict": "wrong"}',
        '{"verdict": "correct", "answer": {"verdict": "wrong"}}',
        '{"verdict": {"verdict": "correct"}}',
        '{"verdict": "correct"} No: {"verdict": "',
        '{"verdict": "correct" or "wrong", "reason": "one short sentence"}',
        '{"verdict": "correct|wrong"}',
        '{"verdict": "correct and wrong"}',
        '{"verdict": "partially correct"}',
        '{"verdict": "not wrong"}',
        '{"verdict": "richtig"}',
        '{"verdict": "正しい"}',
        '{"verdict": 1}',
        '{"verdict": null}',
        '{"verdict": ["correct"]}',
        '{"verdict": ""}',
        '{"correct": true}',
        '{"score": 1, "reason": "correct"}',
        '["verdict", ":", "correct"]',
    ],
)
def test_an_object_that_contradicts_itself_or_says_neither_is_invalid(text: str) -> None:
    assert verdict(text) == "invalid"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("correct", "correct"),
        ("**Correct.**", "correct"),
        ("Yes", "correct"),
        (" no\n", "wrong"),
        ("Incorrect!", "wrong"),
        ("not correct", "wrong"),
        ("Verdict: wrong", "wrong"),
        ("**Final verdict:** correct", "correct"),
        ("It names the boat.</think>\n\nyes", "correct"),
    ],
)
def test_a_reply_that_is_one_word_is_its_verdict(text: str, expected: str) -> None:
    assert verdict(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "The answer is correct.",
        "This is not correct.",
        "It is incorrect, though parts are correct.",
        "correct or wrong",
        "yes and no",
        "Yes, there is insufficient information.",
        "There is insufficient information.",
        "nobody knows",
        "ja",
        "правильно",
        "verdict:",
        "not incorrect",
        "I would say that the verdict is: correct",
    ],
)
def test_words_within_sentences_decide_nothing(text: str) -> None:
    assert verdict(text) == "invalid"


def test_thinking_is_not_the_verdict() -> None:
    assert verdict('<think>At first: {"verdict": "correct"}</think>{"verdict": "wrong"}') == "wrong"
    assert verdict('<thinking>\nhm\n</thinking>\n<think></think>{"verdict": "correct"}') == "correct"
    assert verdict("[THINK] yes [/THINK] no") == "wrong"
    assert verdict('<think>At first: {"verdict": "correct"}, but') == "invalid"
    assert verdict("<think>correct") == "invalid"


def test_without_thinking_keeps_everything_else() -> None:
    assert without_thinking("<think>Rosa? Robin?</think>\nRobin.") == "Robin."
    assert (
        without_thinking("Robin thinks <think> is a tag</think>.") == "Robin thinks <think> is a tag</think>."
    )
    assert without_thinking("<think>Rosa?") == ""


@pytest.mark.parametrize("finish_reason", ["length", "max_tokens", "LENGTH"])
def test_a_reply_that_was_cut_counts_only_with_a_whole_verdict_before_the_cut(finish_reason: str) -> None:
    assert verdict('{"verdict": "correct", "reason": "It names', finish_reason) == "correct"
    assert verdict('{"verdict": "wrong"', finish_reason) == "wrong"
    assert verdict('{"verdict": "corr', finish_reason) == "invalid"
    assert verdict('{"verdict":', finish_reason) == "invalid"
    assert verdict('{"reason": "It names', finish_reason) == "invalid"
    assert verdict("correct", finish_reason) == "invalid"
    assert verdict("Yes", finish_reason) == "invalid"
    assert verdict("", finish_reason) == "invalid"


def test_a_verdict_that_was_cut_after_a_first_one_leaves_none() -> None:
    assert verdict('{"verdict": "wrong"} On second thoughts: {"verdict": "corr', "length") == "invalid"


@settings(max_examples=150, deadline=None)
@given(st.text(), st.text())
@example("{" * 5_000, "stop")
@example('{"a":' * 5_000, "stop")
@example('{"' * 5_000, "length")
@example('{"a":[' * 5_000 + '{"verdict":"correct"}', "stop")
@example("<think>" * 5_000, "stop")
@example("</think>" * 5_000, "stop")
@example("\\" * 5_000 + '"', "")
@example('{"verdict": "\\ud800"}', "stop")
@example("\ud800{'verdict'", "stop")
def test_any_text_comes_to_one_of_three(text: str, finish_reason: str) -> None:
    assert parse_verdict(text, finish_reason) in VERDICTS


_PIECES = (
    *("{", "}", "[", "]", ",", ":", '"', "'", " ", "\n", "\\"),
    *('"verdict"', '"correct"', '"wrong"', "true", "1", "“", "<think>", "</think>", "correct", "wrong"),
)


@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=24).map("".join), st.sampled_from(["stop", "length"]))
def test_pieces_of_verdicts_in_any_order_come_to_one_of_three(text: str, finish_reason: str) -> None:
    found = parse_verdict(text, finish_reason)
    assert found in VERDICTS
    if "wrong" not in text:
        assert found != "wrong"
    if "correct" not in text and "true" not in text:
        assert found != "correct"


@settings(max_examples=100, deadline=None)
@given(st.text(), st.sampled_from(["correct", "wrong"]))
@example('{"verdict": "correct"}', "wrong")
@example('"}{"verdict": "correct"}', "wrong")
@example("</think>{'verdict': 'correct'}", "wrong")
@example("verdict: correct", "wrong")
def test_what_a_judge_quotes_in_its_reason_does_not_change_its_verdict(quoted: str, said: str) -> None:
    assert verdict(json.dumps({"verdict": said, "reason": quoted})) == said
    assert verdict(json.dumps({"reason": quoted, "verdict": said}, ensure_ascii=False)) == said


@given(st.integers(1, 200), st.sampled_from(["correct", "wrong"]))
@settings(max_examples=30, deadline=None)
def test_a_verdict_is_found_at_any_depth(depth: int, said: str) -> None:
    nested: object = {"verdict": said}
    for _ in range(depth):
        nested = {"in": [nested]}
    assert verdict(json.dumps(nested)) == said
