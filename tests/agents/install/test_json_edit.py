"""JSON edited as text: what is not touched keeps every byte."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from truerecall.agents.install.json_edit import JsonText, edit_json, read_json
from truerecall.errors import InstallError

FILE = Path("settings.json")

KEYS = st.text(st.characters(codec="utf-8"), max_size=6)
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    PLAIN | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
LAYOUTS = st.sampled_from(
    [
        {"indent": 2},
        {"indent": 4, "ensure_ascii": False},
        {"indent": "\t"},
        {},
        {"separators": (",", ":"), "ensure_ascii": False},
    ]
)


def read(text: str, comments: bool = False) -> JsonText:
    return read_json(text.encode(), FILE, comments)


@given(OBJECTS, LAYOUTS, st.sampled_from(["", "\n"]), KEYS, VALUES)
def test_a_key_that_is_put_is_there_and_the_others_keep_value_and_order(
    document: dict[str, Any], layout: dict[str, Any], end: str, key: str, value: Any
) -> None:
    edited = json.loads(read(json.dumps(document, **layout) + end).put((key,), value).data())

    assert list(edited.items()) == list({**document, key: value}.items())


@given(OBJECTS, LAYOUTS, st.sampled_from(["", "\n"]), KEYS, VALUES, VALUES)
def test_what_is_put_and_dropped_again_leaves_the_bytes_as_they_were(
    document: dict[str, Any], layout: dict[str, Any], end: str, key: str, value: Any, item: Any
) -> None:
    assume(key not in document and document)
    text = json.dumps(document, **layout) + end

    deep = read(text).put((key, "a", "b"), value).append((key, "c"), item).append((key, "c"), item)
    assert json.loads(deep.data()) == {**document, key: {"a": {"b": value}, "c": [item, item]}}

    assert deep.drop((key, "c", 1)).drop((key, "a", "b")).drop((key, "c", 0)).text == text


@given(OBJECTS, LAYOUTS)
def test_any_member_can_be_dropped(document: dict[str, Any], layout: dict[str, Any]) -> None:
    for key in document:
        rest = {name: value for name, value in document.items() if name != key}

        assert json.loads(read(json.dumps(document, **layout)).drop((key,)).data()) == rest


@given(st.text(max_size=40), st.booleans())
def test_what_is_no_json_is_refused_and_what_is_json_is_not(text: str, comments: bool) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        expected = None
    if isinstance(expected, dict):
        assert read(text, comments).root.value == expected
    elif text.strip() and not comments:
        with pytest.raises(InstallError):
            read(text)


def test_layout_escapes_and_numbers_of_the_user_stay() -> None:
    text = '{\n    "a" : [1,2 , 3],\n    "n": 1.50e3,\n    "u": "é\\u00e9"\n}'

    edited = read(text).put(("ours",), {"x": ["ü"]})

    assert edited.text == (
        '{\n    "a" : [1,2 , 3],\n    "n": 1.50e3,\n    "u": "é\\u00e9",\n'
        '    "ours": {\n        "x": [\n            "ü"\n        ]\n    }\n}'
    )


def test_a_file_with_line_ends_of_windows_and_a_byte_order_mark_keeps_both() -> None:
    data = b'\xef\xbb\xbf{\r\n\t"a": 1\r\n}\r\n'

    edited = read_json(data, FILE).put(("b",), {"c": 2})

    assert edited.data() == b'\xef\xbb\xbf{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}\r\n'
    assert edited.drop(("b",)).data() == data


def test_comments_and_a_last_comma_stay_where_they_may_stand() -> None:
    text = '{\n  // the first\n  "a": 1, // one\n  "b": [1, /* two */ 2,], // both\n}\n'

    edited = read(text, comments=True).put(("c",), 3)

    assert edited.text == (
        '{\n  // the first\n  "a": 1, // one\n  "b": [1, /* two */ 2,], // both\n  "c": 3\n}\n'
    )
    assert edited.drop(("b",)).text == '{\n  // the first\n  "a": 1, // one\n  // both\n  "c": 3\n}\n'


def test_a_comment_after_the_last_value_does_not_swallow_what_comes_after_it() -> None:
    edited = read('{\n  "a": 1 // one\n}\n', comments=True).put(("b",), 2)

    assert edited.text == '{\n  "a": 1, // one\n  "b": 2\n}\n'
    assert edited.drop(("b",)).text == '{\n  "a": 1 // one\n}\n'


def test_comments_are_refused_where_they_may_not_stand() -> None:
    with pytest.raises(InstallError, match="in line 2"):
        read('{\n  // no\n  "a": 1\n}')


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'{"a": 1', "no comma and no } in line 1"),
        (b'{\n"a": 1\n"b": 2}', "no comma and no } in line 3"),
        (b'{"a": 1,}', "a comma before the end in line 1"),
        (b'{"a": "\n"}', "a string that does not end"),
        (b'{"a"}', "no colon"),
        (b'{"a": nope}', "no value"),
        (b"{} {}", "something follows its end"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "the document is not an object"),
        (b'{"a": "\xff"}', "not UTF-8: invalid start byte at byte 7"),
    ],
)
def test_a_broken_file_is_an_error_that_names_the_place(data: bytes, problem: str) -> None:
    with pytest.raises(InstallError, match=problem.replace("(", "\\(")) as caught:
        read_json(data, FILE)

    assert caught.value.where == "settings.json"


def test_nothing_is_put_into_what_is_no_container() -> None:
    with pytest.raises(InstallError, match=r"hooks is not an object"):
        read('{"hooks": []}').put(("hooks", "Stop"), [])
    with pytest.raises(InstallError, match=r"hooks\.Stop is not an array"):
        read('{"hooks": {"Stop": {}}}').append(("hooks", "Stop"), 1)


def test_of_a_key_that_is_there_twice_the_last_counts_as_for_parsers() -> None:
    document = read('{"a": 1, "a": 2}')

    assert document.get("a") == 2
    assert document.put(("a",), 3).text == '{"a": 1, "a": 3}'


def test_a_missing_or_empty_file_is_an_empty_object_and_stays_away_if_nothing_is_put_in(
    tmp_path: Path,
) -> None:
    missing = tmp_path / "none.json"
    empty = tmp_path / "empty.json"
    empty.write_bytes(b"")

    assert edit_json(missing, lambda document: document).after is None
    assert edit_json(empty, lambda document: document).after == b""
    assert edit_json(missing, lambda document: document.put(("a",), 1)).after == b'{\n  "a": 1\n}\n'
