"""The adapter of memory servers, against a small real one: where ``bench systems install mcp`` was done."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truerecall.bench.rivals.installing import installed, root_of
from truerecall.bench.rivals.table import FOLDER, rival
from truerecall.bench.systems.conformance import conformance
from truerecall.bench.systems.protocol import Item
from truerecall.bench.systems.subprocess_system import SubprocessSystem
from truerecall.core.entry import Scope
from truerecall.errors import SystemFailed

SERVER = Path(__file__).with_name("memory_server.py")
MAPPING: dict[str, Any] = {
    "name": "memory",
    "add": {"tool": "remember", "arguments": {"content": "{said}"}, "id_path": "memory.id"},
    "search": {
        "tool": "recall",
        "arguments": {"query": "{question}", "limit": "{k}"},
        "hits": "results",
        "id": "id",
        "text": "content",
    },
    "delete": {"tool": "forget", "arguments": {"identity": "{id}"}},
    "count": {"tool": "total", "arguments": {}, "path": "total"},
}
LINES = {"tool": "recall_lines", "arguments": {"query": "{question}", "limit": "{k}"}, "lines": True}
AT = datetime(2024, 3, 4, 9, 30, tzinfo=UTC)
TURNS = [
    Item("I planted leeks.", "Kim", "s0001", 0, AT),
    Item("The key hangs there.", "Robin", "s0001", 1, AT),
]
HANDLES = ["s0001.0", "s0001.1"]


@pytest.fixture
def python() -> str:
    environment = installed(rival("mcp"), root_of(os.environ))
    if environment is None:
        pytest.skip("mcp is not installed: truerecall bench systems install mcp")
    return str(environment.python)


def adapter(python: str, folder: Path, fault: str = "", **changes: object) -> SubprocessSystem:
    command = [python, str(SERVER), "{folder}/memory.json", *([fault] if fault else [])]
    whole = {**MAPPING, "command": command, **changes}
    path = folder / "mapping.json"
    path.write_text(json.dumps({key: part for key, part in whole.items() if part}), encoding="utf-8")
    return SubprocessSystem([python, str(FOLDER / "mcp_adapter.py"), f"mapping={path}"], timeout=60)


@pytest.fixture
def opened(python: str, tmp_path: Path) -> Iterator[Any]:
    """Makes an adapter and opens it; it is closed at the end."""
    systems = []

    def made(fault: str = "", **changes: object) -> SubprocessSystem:
        system = adapter(python, tmp_path, fault, **changes)
        (tmp_path / "store").mkdir()
        system.open(tmp_path / "store", Scope(tenant="t", space="s", user="u"))
        systems.append(system)
        return system

    yield made
    for system in systems:
        system.close()


def recalled(system: SubprocessSystem, question: str = "Where does the key hang?") -> list[str]:
    return list(system.recall(question, AT, 10, (500,)).handles)


def test_it_passes_every_check_that_applies(python: str, tmp_path: Path) -> None:
    outcomes = conformance(adapter(python, tmp_path), tmp_path / "stores")

    assert {outcome.check for outcome in outcomes if outcome.verdict != "passed"} == {
        "event time kept",
        "kept over a reopening",
    }
    assert "failed" not in {outcome.verdict for outcome in outcomes}


def test_hits_are_known_by_their_ids(opened: Any) -> None:
    system = opened()

    assert list(system.ingest(TURNS)) == HANDLES
    assert recalled(system) == ["s0001.1", "s0001.0"]
    assert system.configuration["asked_by"] == "question"


def test_hits_without_an_id_are_known_by_their_exact_text(opened: Any) -> None:
    system = opened("anonymous", add={"tool": "remember", "arguments": {"content": "{said}"}}, delete=None)

    system.ingest(TURNS)

    assert recalled(system) == ["s0001.1", "s0001.0"]


def test_lines_of_text_are_hits(opened: Any) -> None:
    system = opened(search=LINES)

    system.ingest(TURNS)

    assert recalled(system) == ["s0001.1", "s0001.0"]


def test_a_hit_that_is_nothing_that_was_kept_is_no_hit(opened: Any) -> None:
    system = opened("invents")

    system.ingest(TURNS)

    answer = system.recall("Where does the key hang?", AT, 10, (500,))
    assert (list(answer.handles), answer.lanes) == ([], {"hits": 2})


def test_asking_word_by_word_orders_by_how_many_words_found_a_hit(opened: Any) -> None:
    system = opened(search={**MAPPING["search"], "words": True})

    system.ingest(TURNS)

    assert recalled(system, "key hangs") == ["s0001.1", "s0001.0"]


def test_a_server_that_says_no_id_where_the_mapping_has_one_is_told(opened: Any) -> None:
    system = opened("anonymous")

    with pytest.raises(SystemFailed, match=r"remember says no id at 'memory\.id'"):
        system.ingest(TURNS)


def test_a_call_that_the_server_refuses_is_told_and_the_process_goes_on(opened: Any) -> None:
    system = opened("refuses")

    with pytest.raises(SystemFailed, match="remember refused the call"):
        system.ingest(TURNS)
    assert list(system.ingest(TURNS[1:])) == ["s0001.1"]


def test_a_server_that_dies_is_told(opened: Any) -> None:
    system = opened("dies")
    system.ingest(TURNS)

    with pytest.raises(SystemFailed):
        system.census()


def test_without_a_tool_that_deletes_a_deletion_is_refused(opened: Any) -> None:
    system = opened(delete=None)
    system.ingest(TURNS)

    with pytest.raises(SystemFailed, match="the mapping names no tool that deletes"):
        system.delete(HANDLES)


def test_a_server_that_does_not_count_is_counted_for(opened: Any) -> None:
    system = opened(count=None)
    system.ingest(TURNS)
    system.delete(HANDLES[:1])

    assert system.census().stored == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "it needs mapping=FILE"),
        (["mapping=nowhere.json"], "No such file"),
        (["mapping=mnemosyne", "shelf=1"], "it does not know the option 'shelf'"),
    ],
)
def test_an_adapter_without_a_mapping_says_so_at_the_handshake(
    python: str, options: list[str], problem: str
) -> None:
    with pytest.raises(SystemFailed, match=problem):
        SubprocessSystem([python, str(FOLDER / "mcp_adapter.py"), *options], timeout=60)
