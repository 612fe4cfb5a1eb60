"""The line of every key of a TOML text, held against what the standard library reads."""

import json
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.study.files.locating import KeyPath, key_lines

WRITTEN = '''# a = 1, which is a comment
title = "x = 1 # no comment"   # [not.a.table]
  "odd key" . 'and = this' = [ # a list
  1,
  { inner = """
lines = 3
""", other = 2 },
  '[z]',
]
point.x = 1
point."y.z" = 2024-05-07 09:30:00Z

[table] # side = 1
text = """
[side]
name = "x""""
raw = \'\'\'
a = \\\'\'\'
[[side]]
name = "one"
[side.environment]
A = "1"
[[side]]
name = "two" 
environment = { B = "2", "C" = [] }
[[side.deep]]
[[side.deep]]
k = true
[table.below]
'''


def test_every_key_of_a_written_text_has_its_line() -> None:
    assert dict(key_lines(WRITTEN)) == {
        ("title",): 2,
        ("odd key",): 3,
        ("odd key", "and = this"): 3,
        ("odd key", "and = this", 0): 4,
        ("odd key", "and = this", 1): 5,
        ("odd key", "and = this", 1, "inner"): 5,
        ("odd key", "and = this", 1, "other"): 7,
        ("odd key", "and = this", 2): 8,
        ("point",): 10,
        ("point", "x"): 10,
        ("point", "y.z"): 11,
        ("table",): 13,
        ("table", "text"): 14,
        ("table", "raw"): 17,
        ("side",): 19,
        ("side", 0): 19,
        ("side", 0, "name"): 20,
        ("side", 0, "environment"): 21,
        ("side", 0, "environment", "A"): 22,
        ("side", 1): 23,
        ("side", 1, "name"): 24,
        ("side", 1, "environment"): 25,
        ("side", 1, "environment", "B"): 25,
        ("side", 1, "environment", "C"): 25,
        ("side", 1, "deep"): 26,
        ("side", 1, "deep", 0): 26,
        ("side", 1, "deep", 1): 27,
        ("side", 1, "deep", 1, "k"): 28,
        ("table", "below"): 29,
    }


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_both_ends_of_lines_count_as_one(end: str) -> None:
    assert dict(key_lines(end.join(['a = """', "", '"""', "b = 1"]))) == {("a",): 1, ("b",): 4}


def test_an_empty_text_has_no_keys() -> None:
    assert dict(key_lines("")) == dict(key_lines("# x = 1")) == {}


def paths(value: Any, at: KeyPath = ()) -> Iterator[KeyPath]:
    """The way to every value of what was read."""
    steps: Any = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for step, below in steps:
        yield (*at, step)
        yield from paths(below, (*at, step))


MISLEADING = st.sampled_from(
    [
        "# k1 = 2",
        "[k1]",
        "[[k2]]",
        "k1 = ''",
        '"',
        '""',
        "'",
        "''",
        "\\",
        "{ k1 = 1 }",
        "a,b]",
        "}",
        "\n",
        "=",
        ".",
        "#",
        "é",
    ]
)
TEXTS = st.lists(MISLEADING, max_size=4).map("".join)
"""Texts that look like what is to be found."""


def long_basic(text: str) -> str:
    return '"""\n' + text.replace("\\", "\\\\").replace('"""', '""\\"') + '\\n"""'


def long_literal(text: str) -> str:
    return "'''\n" + text.replace("'", "’") + "'''"


STRINGS = st.one_of(
    TEXTS.map(lambda text: json.dumps(text, ensure_ascii=False)),
    TEXTS.map(lambda text: "'" + text.replace("'", "’").replace("\n", " ") + "'"),
    TEXTS.map(long_literal),
    TEXTS.map(long_basic),
)
SIMPLE = st.one_of(
    STRINGS, st.sampled_from(["1", "-1.5e3", "true", "inf", "2024-05-07", "2024-05-07 09:30:00Z", "07:32:00"])
)
GAP = st.sampled_from(["", " ", "\n", " # k1 = [\n", "\n\n  "])


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    items = draw(st.lists(inner, max_size=3))
    return "[" + ",".join(draw(GAP) + item + draw(GAP) for item in items) + "]"


@st.composite
def inlines(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    items = draw(st.lists(inner, max_size=3))
    return "{ " + ", ".join(f"k{n}.'a b' = {item}" for n, item in enumerate(items)) + " }"


VALUES = st.recursive(SIMPLE, lambda inner: lists(inner) | inlines(inner), max_leaves=5)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, int]]:
    """A text, and of each key that stands alone on its line where that is."""
    text, lines = "", {}
    for number in range(draw(st.integers(0, 8))):
        text += draw(st.sampled_from(["", "\n", "# k1 = '''\n", "  \t"]))
        name = f"n{number}"
        head = draw(
            st.sampled_from(["", "", f"[t{number}]\n", f"[[t{number % 2}.list]]\n", f"[[a{number % 2}]]\n"])
        )
        text += head
        lines[name] = text.count("\n") + 1
        key = draw(st.sampled_from([name, f'"{name}"', f"'{name}'", f'{name} . "x=1"']))
        text += f"{key} = {draw(VALUES)}" + draw(st.sampled_from(["\n", " # tail = 1\n", "\t\n"]))
    return text, lines


@given(documents())
def test_whatever_is_read_has_a_line_and_each_key_its_own(document: tuple[str, dict[str, int]]) -> None:
    text, lines = document
    try:
        read = tomllib.loads(text)
    except (
        tomllib.TOMLDecodeError
    ) as error:  # a table that comes twice; all else would be a fault of this test
        assert "Cannot" in str(error), text
        return

    found = key_lines(text)

    assert set(found) == set(paths(read))
    assert {path[-1]: line for path, line in found.items() if path[-1] in lines} == lines
