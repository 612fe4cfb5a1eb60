"""Statements under stress: contradictions by every way in, the same twice, cycles, sizes, and processes."""

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from seen_by import ALL_ON
from whole_store import Opener, texts

from truerecall import Draft, Filter, ManualClock, Memory, Statement
from truerecall.memory.facts import FactView
from truerecall.memory.feedback import SavedRecall
from truerecall.memory.reflect.groups import Limits
from truerecall.memory.reflect.run import Options
from truerecall.models.scripted import ScriptedChat

HOUR = timedelta(hours=1)


def fact(place: str, subject: str = "Mara", predicate: str = "lives_in", **fields: Any) -> Draft:
    says = Statement(subject, predicate, place)
    return Draft(f"{subject} {predicate} {place}", kind="fact", statement=says, **fields)


@pytest.fixture
def memory(opened: Opener) -> Memory:
    return opened(settings=ALL_ON)


def standing(facts: tuple[FactView, ...]) -> list[tuple[str, str, bool]]:
    return [(one.object, one.status, bool(one.reason)) for one in facts]


def reflected(memory: Memory, ids: list[str], place: str) -> None:
    one = {
        "subject": "Mara",
        "predicate": "lives_in",
        "object": place,
        "text": f"Mara is in {place}.",
        "sources": ids,
    }
    reply = json.dumps({"observations": [], "facts": [one], "causes": []})
    memory.reflect(Options(limits=Limits(least=2)), chat=ScriptedChat([reply] * 9))


@pytest.mark.parametrize("way", ["remember", "import", "reflect"])
def test_a_contradiction_leaves_both_to_be_seen_with_the_reason_and_one_of_them_current(
    tmp_path: Path, opened: Opener, memory: Memory, clock: ManualClock, way: str
) -> None:
    (known,) = memory.remember(fact("Lisbon"))
    clock.advance(HOUR)
    if way == "remember":
        memory.remember(fact("Porto"))
    elif way == "import":
        with opened(tmp_path / "other.db", settings=ALL_ON) as other:
            other.remember(fact("Porto"))
            folder = other.export(tmp_path / "out")
        memory.import_(folder)
    else:
        told = memory.remember(["Mara unpacked in Porto.", "Mara showed us Porto."])
        reflected(memory, [str(one.id) for one in told], "Porto")

    assert standing(memory.facts("Mara", "lives_in", current=False)) == [
        ("Lisbon", "superseded", True),
        ("Porto", "current", False),
    ]
    events = memory.history(str(known.id)).events
    assert [(event.kind, bool(event.detail)) for event in events] == [("superseded", True)]
    assert {"Mara lives_in Lisbon"} <= {entry.text for entry in memory.list(Filter(ended=True))}


def test_equals_at_one_instant_keep_the_first_and_say_so_of_the_second(memory: Memory) -> None:
    memory.remember([fact("Lisbon"), fact("Porto"), fact("Oslo")])

    told = memory.facts(current=False)
    assert [(one.object, one.status) for one in told] == [
        ("Lisbon", "current"),
        ("Porto", "closed"),
        ("Oslo", "closed"),
    ]
    assert all(one.rival == told[0].entry_id for one in told[1:])


def test_a_fact_against_what_a_turn_says_leaves_the_turn_to_be_recalled(
    memory: Memory, clock: ManualClock
) -> None:
    (turn,) = memory.remember("Mara lives in Lisbon.")
    clock.advance(HOUR)
    memory.remember(fact("Porto"))

    assert standing(memory.facts("Mara", current=False)) == [
        ("Lisbon", "superseded", True),
        ("Porto", "current", False),
    ]
    assert memory.history(str(turn.id)).events == ()
    assert "Mara lives in Lisbon." in texts(memory.recall("Lisbon"))


def test_the_same_by_every_verb_twice_changes_no_more_than_once(tmp_path: Path, memory: Memory) -> None:
    (first,), (second,) = memory.remember(fact("Lisbon")), memory.remember(fact("Lisbon"))
    assert (second.status, second.id) == ("duplicate", first.id)
    rows = [memory.set_profile("preference", "drink", "tea") for _ in range(2)]
    assert (rows[1].status, rows[1].id) == ("duplicate", rows[0].id)
    recalled = memory.recall("Mara")
    for _ in range(2):
        memory.feedback(recalled, cited=[str(first.id)])
    assert [event.kind for event in memory.history(str(first.id)).events] == ["used"]
    folder = memory.export(tmp_path / "out")
    before = memory.counts()
    assert (memory.import_(folder).entries, memory.import_(folder).events) == (0, 0)
    assert memory.counts() == before
    told = memory.remember(["Mara unpacked in Porto.", "Mara showed us Porto."])
    for _ in range(2):
        reflected(memory, [str(one.id) for one in told], "Porto")
    assert len([one for one in memory.facts(current=False) if one.object == "Porto"]) == 1


def test_aliases_statements_and_links_may_run_in_circles(memory: Memory) -> None:
    names = ("Wilhelmina", "Minna", "Mina")
    for one, other in zip(names, names[1:] + names[:1], strict=True):
        memory.remember(
            [f"{one}, known as {other}, left.", fact(other, one, "knows"), fact(one, one, "knows")]
        )
    memory.remember("Minna, known as Minna, wrote.")
    ids = [entry.id for entry in memory.list()]
    for cause, effect in zip(ids, ids[1:] + ids[:1], strict=True):
        memory.link(cause, effect)
        memory.link(effect, cause, 0.5)

    assert len(memory.facts("Mina")) == 6
    assert {lane for hit in memory.recall("Minna").hits for lane in hit.lanes} >= {"entity", "graph", "cause"}
    assert memory.doctor().healthy


def test_ten_thousand_names_in_a_text_and_as_many_facts_of_one_subject(memory: Memory) -> None:
    memory.remember(" ".join(f"Berta{number}x met Zoe." for number in range(10_000)))
    memory.remember([fact(f"Paul{number}x", predicate="knows") for number in range(2_000)])
    (last,) = memory.remember(fact("Zoe", predicate="knows"))

    assert len(memory.facts("Mara")) == 2_001
    assert last.outcome is not None and last.outcome.kind == "coexists"
    assert texts(memory.recall("Does Mara know Zoe?"))[0] == "Mara knows Zoe"


def test_ten_megabytes_are_a_text_as_any(memory: Memory) -> None:
    text = "Mara lives in Lisbon. " * 460_000
    (kept,) = memory.remember(text)

    assert memory.get(str(kept.id)).text == text
    assert [one.object for one in memory.facts("Mara")] == ["Lisbon"]
    recalled = memory.recall("Where does Mara live?")
    assert [hit.id for hit in recalled.hits] == [kept.id]
    assert memory.feedback(SavedRecall((str(kept.id),)), response=text).used == (kept.id,)


WRITER = """
import sys
from truerecall import Draft, Memory, Statement
path, place, number = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
with Memory.open(path, embedder="none") as memory:
    batch = []
    for one in range(int(number)):
        says = Statement("Mara", "lives_in", f"{place} {one}")
        batch.append(Draft(f"{place} {one}", kind="fact", statement=says))
    for start in range(0, len(batch), 10):
        memory.remember(batch[start:start + 10])
        print(start, flush=True)
"""


def writer(path: Path, place: str, number: int) -> "subprocess.Popen[str]":
    arguments = [sys.executable, "-c", WRITER, str(path), place, str(number)]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def told(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def begin(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def test_two_processes_that_contradict_each_other_at_once_leave_one_current_and_keep_all(
    store: Path, opened: Opener
) -> None:
    opened(store).close()
    writers = [writer(store, place, 30) for place in ("Lisbon", "Porto")]
    assert [told(process) for process in writers] == ["ready", "ready"]
    for process in writers:
        begin(process)
    for process in writers:
        process.communicate()
    memory = opened(store, clock=ManualClock(datetime(2100, 1, 1, tzinfo=UTC)))

    assert [process.returncode for process in writers] == [0, 0]
    assert len(memory.facts()) == 1
    facts = memory.facts(current=False)
    assert len(facts) == 60 == len(memory.list(Filter(ended=True, newest=100)))
    assert all(one.reason and one.rival for one in facts if one.status != "current")
    assert memory.doctor().healthy


def test_a_process_that_is_killed_while_it_writes_facts_leaves_whole_batches(
    store: Path, opened: Opener
) -> None:
    opened(store).close()
    process = writer(store, "Lisbon", 2_000)
    assert told(process) == "ready"
    begin(process)
    assert told(process) == "0"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    memory = opened(store, clock=ManualClock(datetime(2100, 1, 1, tzinfo=UTC)), settings=ALL_ON)
    facts = memory.facts(current=False)

    assert len(facts) >= 10 and len(facts) % 10 == 0
    assert len(memory.facts()) == 1
    assert memory.doctor().healthy
    assert memory.remember(fact("Porto"))[0].status == "stored"
