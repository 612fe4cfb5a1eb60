"""However a transcript grows, breaks or changes its version: each turn is read once, and the rest is not lost."""

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truerecall.agents.records import ToolName, Turn, Usage
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript
from truerecall.agents.transcripts.table import READERS

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "agents"
FILES = sorted((*(FIXTURES / "claude").glob("*.jsonl"), *(FIXTURES / "codex").glob("*.jsonl")))
_AGAIN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)

each_file = pytest.mark.parametrize("fixture", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")


def _transcript(fixture: Path, path: Path) -> Transcript:
    tool: ToolName = "codex" if fixture.parent.name == "codex" else "claude-code"
    session = "s/a" if fixture.stem.endswith("_side") else "s"
    return Transcript(tool, path, session, datetime(2026, 12, 1, tzinfo=UTC))


def _once(transcript: Transcript, cursor: Cursor | None = None, most: int = 1 << 30) -> Reading:
    return READERS[transcript.tool][0].read(transcript, cursor, most)


def _grown(
    transcript: Transcript, contents: Iterable[bytes], most: int = 1 << 30
) -> tuple[Reading, Sequence[Reading]]:
    """What readings give while the file grows, and the last one."""
    cursor, readings = None, []
    for content in contents:
        transcript.path.write_bytes(content)
        more = True
        while more:
            readings.append(_once(transcript, cursor, most))
            cursor, more = readings[-1].cursor, readings[-1].more
    return readings[-1], readings


def _all(readings: Sequence[Reading]) -> tuple[list[Turn], list[Usage]]:
    return (
        list(itertools.chain.from_iterable(reading.turns for reading in readings)),
        list(itertools.chain.from_iterable(reading.usages for reading in readings)),
    )


@each_file
@_AGAIN
@given(data=st.data())
def test_any_pieces_give_what_one_reading_gives(fixture: Path, tmp_path: Path, data: st.DataObject) -> None:
    whole = fixture.read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    transcript = _transcript(fixture, tmp_path / "a.jsonl")
    last, readings = _grown(transcript, [whole[:cut] for cut in (*cuts, len(whole))])

    expected = _once(_transcript(fixture, fixture))

    assert _all(readings) == (list(expected.turns), list(expected.usages))
    assert last.cursor == expected.cursor
    for name in ("skipped", "unknown"):
        told = sum((Counter(getattr(reading, name)) for reading in readings), Counter())
        assert told == Counter(getattr(expected, name))


@each_file
@pytest.mark.parametrize("most", [1, 1500])
def test_a_limit_changes_nothing_but_the_number_of_readings(fixture: Path, tmp_path: Path, most: int) -> None:
    _, readings = _grown(_transcript(fixture, tmp_path / "a.jsonl"), [fixture.read_bytes()], most)
    expected = _once(_transcript(fixture, fixture))
    assert _all(readings) == (list(expected.turns), list(expected.usages))
    assert len(readings) > 2
    assert not readings[-1].more


@each_file
def test_a_last_line_cut_at_any_byte_is_told_once_when_it_is_whole(fixture: Path, tmp_path: Path) -> None:
    """The last line that says something: a reading at each of its bytes, then one of the whole file."""
    lines = fixture.read_bytes().splitlines(keepends=True)
    expected = _once(_transcript(fixture, fixture))
    last = expected.turns[-1].position // 4096
    before, line = b"".join(lines[:last]), lines[last]
    transcript = _transcript(fixture, tmp_path / "a.jsonl")
    _, readings = _grown(transcript, [before])
    for length in range(1, len(line)):
        transcript.path.write_bytes(before + line[:length])
        reading = _once(transcript, readings[-1].cursor)
        assert (reading.turns, reading.usages, reading.faults, reading.more) == ((), (), (), False)
        assert reading.cursor == readings[-1].cursor
    transcript.path.write_bytes(b"".join(lines))
    rest = _once(transcript, readings[-1].cursor)
    assert _all([*readings, rest]) == (list(expected.turns), list(expected.usages))


def _ids(line: bytes) -> set[str]:
    """Every id that a line names: turns, messages and calls that it may speak of."""

    def of(value: Any) -> Iterable[str]:
        if isinstance(value, dict):
            for part in value.values():
                yield from of(part)
        elif isinstance(value, list):
            for part in value:
                yield from of(part)
        elif isinstance(value, str) and len(value) < 100:
            yield value

    return set(of(json.loads(line)))


JUNK = (b"", b"\xff\xfe\x00", b"{", b"42", b'{"type":"future"}', b'["user"]', b'{"type":"user","message":[]}')


@each_file
def test_a_line_of_junk_costs_that_line_alone(fixture: Path, tmp_path: Path) -> None:
    lines = fixture.read_bytes().splitlines()
    expected = _once(_transcript(fixture, fixture))
    calls = {turn.uid: _asked_at(lines, turn) for turn in expected.turns if turn.action}
    transcript = _transcript(fixture, tmp_path / "a.jsonl")
    for number, junk in itertools.product(range(len(lines)), JUNK):
        changed = [*lines[:number], junk, *lines[number + 1 :]]
        transcript.path.write_bytes(b"\n".join(changed) + b"\n")
        reading = _once(transcript)
        kept = {turn.uid: turn for turn in reading.turns}
        lost = [
            turn
            for turn in expected.turns
            if turn.position // 4096 != number
            and number not in calls.get(turn.uid, ())
            and kept.get(turn.uid) != turn
        ]
        if fixture.parent.name == "codex" and json.loads(lines[number])["type"] in (
            "session_meta",
            "turn_context",
        ):
            lost = [
                turn for turn in lost if turn.uid not in kept
            ]  # where it was, and by which model, stood there
        assert lost == [], (number, junk)
        assert set(kept) <= {turn.uid for turn in expected.turns}, (number, junk)


def _asked_at(lines: Sequence[bytes], turn: Turn) -> tuple[int, ...]:
    """The lines that speak of a call: any of them may be what tells its end."""
    key = turn.uid.rpartition("/")[2]
    told = [number for number, line in enumerate(lines) if key.encode() in line]
    if "-" in key:  # a line's own id: the call's is in that line
        content = next(
            json.loads(lines[n])["message"]["content"] for n in told if json.loads(lines[n])["uuid"] == key
        )
        told += [number for number, line in enumerate(lines) if content[0]["id"].encode() in line]
    return tuple(told)


@each_file
def test_a_future_version_is_read_as_far_as_it_is_known(fixture: Path, tmp_path: Path) -> None:
    """More fields everywhere, lines of unknown types between the known ones, the fields in another order."""
    chance = random.Random(6)

    def future(value: Any) -> Any:
        if isinstance(value, dict) and value.keys() & {"type", "role", "call_id", "uuid"}:
            fields = [
                *((key, future(part)) for key, part in value.items()),
                ("future", {"of": ["things", None, 1.5]}),
            ]
            chance.shuffle(fields)
            return dict(fields)
        return [future(part) for part in value] if isinstance(value, list) else value

    expected = _once(_transcript(fixture, fixture))
    path = tmp_path / "a.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for line in fixture.read_text(encoding="utf-8").splitlines():
            file.write(json.dumps(future(json.loads(line)), ensure_ascii=False) + "\n")
            file.write('{"type":"hologram","payload":{"type":"user_message","message":"not said"}}\n')
    reading = _once(_transcript(fixture, path))

    def told(turns: Iterable[Turn]) -> list[tuple[object, ...]]:
        return [
            (turn.uid, turn.role, turn.text, turn.at, turn.where, turn.action, turn.model) for turn in turns
        ]

    assert told(reading.turns) == told(expected.turns)
    assert reading.usages == expected.usages
    assert reading.unknown == {"hologram": len(fixture.read_bytes().splitlines())}


_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("\ud800")
_ANY = st.recursive(
    _LEAVES,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=4), part, max_size=3),
    max_leaves=6,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterable[tuple[Any, ...]]:
    """The way to each value in a line."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _places(part, (*path, key))


def _with(value: Any, path: tuple[Any, ...], new: object) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _with(value[path[0]], path[1:], new)
    return copy


@each_file
@_AGAIN
@given(data=st.data())
def test_no_value_whatever_it_is_stops_a_reading(fixture: Path, tmp_path: Path, data: st.DataObject) -> None:
    lines = [json.loads(line) for line in fixture.read_bytes().splitlines()]
    for number in data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=4)):
        path = data.draw(st.sampled_from(list(_places(lines[number]))))
        lines[number] = _with(lines[number], path, data.draw(_ANY))
    content = "".join(json.dumps(line) + "\n" for line in lines).encode("utf-8")
    transcript = _transcript(fixture, tmp_path / "a.jsonl")

    _, readings = _grown(transcript, [content], most=3000)

    expected = _once(transcript)
    assert _all(readings) == (list(expected.turns), list(expected.usages))
    positions = [turn.position for turn in expected.turns]
    assert positions == sorted(positions)
    "".join(map(str, expected.turns)).encode("utf-8")
    assert all(type(turn.text) is type(turn.uid) is str for turn in expected.turns)
