"""Mapping files: read strictly, and filled with what they ask for."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.bench.rivals.mcp_mapping import Adding, Searching, Tool, at, filled, read_mapping
from truerecall.bench.rivals.table import FOLDER

WHOLE: dict[str, Any] = {
    "name": "shelf",
    "command": ["shelf", "--file", "{folder}/shelf.json"],
    "add": {"tool": "put", "arguments": {"text": "{said}"}, "id_path": "id"},
    "search": {"tool": "get", "arguments": {"query": "{question}", "limit": "{k}"}, "hits": "results"},
}


def changed(path: str, value: Any) -> str:
    mapping = json.loads(json.dumps(WHOLE))
    *steps, last = path.split(".")
    place = mapping
    for step in steps:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return json.dumps(mapping)


def test_a_mapping_says_what_is_called_with_what_and_how_results_are_read() -> None:
    plan = read_mapping(json.dumps(WHOLE))

    assert plan.command == ("shelf", "--file", "{folder}/shelf.json")
    assert plan.add == Adding(Tool("put", {"text": "{said}"}), id="", id_path="id")
    assert plan.search == Searching(Tool("get", {"query": "{question}", "limit": "{k}"}), hits="results")
    assert (plan.environment, plan.delete, plan.count) == ({}, None, None)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("name", None, "mapping: name is missing"),
        ("name", " ", "name: no text"),
        ("naem", "x", "mapping: 'naem' is not known"),
        ("command", "shelf --file x", "command: no list of a program and its arguments"),
        ("command", [], "command: no list of a program and its arguments"),
        ("command", ["shelf", "{home}"], "command: {home} cannot be filled here"),
        ("environment", {"FILE": 3}, "environment.FILE: no text"),
        ("add.tool", None, "add: tool is missing"),
        ("add.arguments", [1], "add.arguments: no object"),
        (
            "add.arguments",
            {"deep": [{"text": "{question}"}]},
            "add.arguments: {question} cannot be filled here",
        ),
        ("add.id", "{handle}", "add: id and id_path cannot both be there"),
        ("search.arguments", {"gold": "{answer}"}, "search.arguments: {answer} cannot be filled here"),
        ("search.lines", True, "search: lines have no hits, id or text"),
        ("search.words", "yes", "search.words: neither true nor false"),
        ("search.most", True, "search.most: no whole number from 0"),
        ("delete", {"tool": "drop"}, "delete: arguments is missing"),
        ("count", {"tool": "count", "arguments": {}, "hits": "x"}, "count: 'hits' is not known"),
    ],
)
def test_a_mapping_that_is_none_is_refused_and_the_place_is_named(
    path: str, value: Any, problem: str
) -> None:
    with pytest.raises(ValueError) as refused:
        read_mapping(changed(path, value))

    assert str(refused.value) == problem


@pytest.mark.parametrize("text", ["", "[", "[]", "null", "[" * 100_000])
def test_what_is_no_object_of_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"the mapping is not JSON|mapping: no object"):
        read_mapping(text)


@pytest.mark.parametrize("name", ["server-memory", "mnemosyne"])
def test_the_mappings_that_are_shipped_can_be_read(name: str) -> None:
    plan = read_mapping((FOLDER / "mappings" / f"{name}.json").read_text(encoding="utf-8"))

    assert plan.delete is not None
    assert plan.count is not None


def test_a_text_that_is_one_place_alone_keeps_the_type_of_its_value() -> None:
    template = {"limit": "{k}", "query": "about {question}", "deep": [{"n": 1, "k": "top {k}"}]}

    made = filled(template, {"k": 7, "question": "keys"})

    assert made == {"limit": 7, "query": "about keys", "deep": [{"n": 1, "k": "top 7"}]}


@given(st.text())
def test_what_fills_a_place_is_never_itself_filled(said: str) -> None:
    assert filled({"a": "{said}", "b": "<{said}>"}, {"said": said}) == {"a": said, "b": f"<{said}>"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON, st.text())
def test_a_path_finds_something_or_nothing_and_never_fails(value: Any, path: str) -> None:
    at(value, path)


@given(JSON)
def test_any_json_is_a_mapping_or_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        read_mapping(json.dumps(value))


def test_a_path_goes_through_objects_and_lists() -> None:
    assert at({"results": [{"id": 3}]}, "results.0.id") == 3
    assert at({"results": [{"id": 3}]}, "results.1.id") is None
    assert at([1, 2], "") == [1, 2]
