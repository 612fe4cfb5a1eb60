"""Reading what a model replied: whatever it is, and element by element."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.memory.reflect.salvage import Dropped, salvage

FACT = {"text": "Tea.", "sources": ["0000000a"]}
GOOD = json.dumps({"facts": [FACT, {"n": 2}], "causes": []})


def read(reply: str) -> tuple[dict[str, list[object]], list[tuple[str, str]]]:
    found = salvage(reply, ["facts", "causes"])
    lists = {name: [dict(element.fields) for element in elements] for name, elements in found.lists.items()}
    return lists, [(dropped.where, dropped.reason) for dropped in found.dropped]


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure! Here is what I found:\n\n{GOOD}\n\nLet me know.",
        f"<think>maybe [1] or {{2}}</think>{GOOD}",
        json.dumps({"result": json.loads(GOOD)}, indent=4),
        GOOD.replace("}, {", "} {"),  # a comma that was forgotten
        GOOD.replace("}]", "},]"),  # one too many
        GOOD[:-1],
    ],
)
def test_fences_prose_and_small_slips_cost_nothing(reply: str) -> None:
    assert read(reply) == ({"facts": [FACT, {"n": 2}], "causes": []}, [])


@pytest.mark.parametrize(
    ("reply", "elements", "dropped"),
    [
        ('{"facts": [{"n": 1}, {"n": 2', [{"n": 1}], [("facts 2", "the reply ends within it")]),
        ('{"facts": [{"n": 1}, {"n": "half a st', [{"n": 1}], [("facts 2", "the reply ends within it")]),
        ('{"facts": [{"n": 1}', [{"n": 1}], [("facts 2", "the reply ends within the list")]),
        ('{"facts": [{"n": 1}, {n: 2}, {"n": 3}]}', [{"n": 1}, {"n": 3}], [("facts 2", "it is not JSON")]),
        (
            '{"facts": [{"n": "]}"}, {"a" "}"}, {"n": 3}]}',
            [{"n": "]}"}, {"n": 3}],
            [("facts 2", "it is not JSON")],
        ),
        (
            '{"facts": [{"n": 1}, "two", 3, [4], null, oops, {"n": 5}]}',
            [{"n": 1}, {"n": 5}],
            [(f"facts {n}", "it is no object") for n in (2, 3, 4, 5)] + [("facts 6", "it is not JSON")],
        ),
        ('{"facts": [{"n": [1, {"m": 2]}, {"n": 3}]}', [{"n": 3}], [("facts 1", "it is not JSON")]),
        ('{"facts": 4, "other": []}', None, []),
        ("", None, []),
    ],
)
def test_a_broken_element_costs_itself_and_says_why(
    reply: str, elements: list[object] | None, dropped: list[tuple[str, str]]
) -> None:
    assert read(reply) == ({} if elements is None else {"facts": elements}, dropped)


def test_a_list_without_end_is_cut() -> None:
    found = salvage('{"facts": [' + '{"n": 1},' * 500 + "]}", ["facts"])
    assert len(found.lists["facts"]) == 200
    assert found.dropped == (Dropped("facts 201", "more than 200 elements"),)


def test_numbers_and_depths_that_python_refuses_are_broken_elements() -> None:
    reply = '{"facts": [{"n": ' + "9" * 5000 + '}, {"n": ' + "[" * 50_000 + "]" * 50_000 + '}, {"n": 3}]}'
    assert read(reply) == (
        {"facts": [{"n": 3}]},
        [("facts 1", "it is not JSON"), ("facts 2", "it is not JSON")],
    )


@given(st.text(st.sampled_from('{}[]",:\\n 1a') | st.characters()))
def test_any_reply_can_be_read(reply: str) -> None:
    for text in (reply, '{"facts": [' + reply, '{"facts": [{"n": 1}, ' + reply + ', {"n": 2}]}'):
        salvage(text, ["facts", "causes"])


@given(st.integers(0, len(GOOD)))
def test_a_reply_that_is_cut_anywhere_keeps_the_elements_before(end: int) -> None:
    lists, dropped = read(GOOD[:end])
    whole = [
        element
        for element in (FACT, {"n": 2})
        if GOOD.index(json.dumps(element)) + len(json.dumps(element)) <= end
    ]
    assert lists.get("facts", []) == whole
    assert len(dropped) <= 1
