"""Which turns a later capture leaves out, because the memory was switched off while they were taken."""

import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall.agents.left_out import (
    MOST_BYTES,
    MOST_SESSIONS,
    LeftOut,
    leave_out,
    read_left_out,
    take_in,
)
from truerecall.agents.places import Places

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.of({"HOME": str(tmp_path)})


def file(places: Places) -> Path:
    return places.state / "left_out.jsonl"


def test_nothing_is_left_out_where_nothing_was_noted(places: Places) -> None:
    assert read_left_out(places) == LeftOut()
    assert not LeftOut().holds("codex", "s", None)
    take_in(places, "codex", "s", NOON, begins=True)
    assert not places.state.exists()


def test_a_session_that_is_off_is_left_out_whatever_the_time(places: Places) -> None:
    leave_out(places, "codex", "s", NOON)
    left_out = read_left_out(places)
    asked = [("codex", "s"), ("codex", "s/agent"), ("codex", "other"), ("claude-code", "s")]
    for at in (NOON - MINUTE, NOON, NOON + MINUTE, None):
        assert [left_out.holds(*one, at) for one in asked] == [True, True, False, False]


@pytest.mark.parametrize(
    ("begins", "held"), [(True, [True, True, True, False]), (False, [True, True, False, False])]
)
def test_what_comes_after_it_is_on_again_is_taken_in(begins: bool, held: list[bool], places: Places) -> None:
    leave_out(places, "codex", "s/agent", NOON)
    take_in(places, "codex", "s", NOON + 2 * MINUTE, begins)
    left_out = read_left_out(places)
    times = [NOON - MINUTE, NOON, NOON + MINUTE, NOON + 3 * MINUTE]
    assert [left_out.holds("codex", "s", at) for at in times] == held
    assert left_out.holds("codex", "s", None)  # it may be one of those


def test_a_session_that_was_on_all_the_time_writes_nothing(places: Places) -> None:
    leave_out(places, "codex", "s", NOON)
    take_in(places, "codex", "s", NOON + MINUTE, begins=True)
    before = file(places).read_bytes()
    take_in(places, "codex", "s", NOON + 2 * MINUTE, begins=True)
    take_in(places, "codex", "another", NOON, begins=True)
    take_in(places, "claude-code", "s", NOON, begins=True)
    assert file(places).read_bytes() == before


def test_switched_off_once_more_it_is_left_out_once_more(places: Places) -> None:
    leave_out(places, "codex", "s", NOON)
    take_in(places, "codex", "s", NOON + MINUTE, begins=True)
    leave_out(places, "codex", "s", NOON + 3 * MINUTE)
    assert read_left_out(places).holds("codex", "s", NOON + 9 * MINUTE)


def test_the_file_is_the_users_alone_and_holds_no_more_than_names_and_times(places: Places) -> None:
    leave_out(places, "codex", "s/agent", NOON)
    assert stat.S_IMODE(file(places).stat().st_mode) == 0o600
    said = b'{"tool":"codex","session":"s","until":"2024-05-07T12:00:00+00:00","off":true}'
    assert file(places).read_bytes().split() == [said]


def test_lines_that_are_none_are_passed_over_and_spoil_no_other(places: Places) -> None:
    places.state.mkdir(parents=True)
    bad = [b"{", b"[]", b"7", b'{"tool":"codex","session":"s","until":"2024-05-07T12:00:00","off":true}']
    bad += [
        b'{"tool":"codex","session":["s"],"until":"2024-05-07T12:00:00Z","off":true}',
        b"\xff",
        b'{"tool":',
    ]
    file(places).write_bytes(b"\n".join(bad))
    leave_out(places, "codex", "s-1", NOON)
    assert list(read_left_out(places).sessions) == [("codex", "s-1")]


def test_it_stays_small_and_forgets_the_oldest_sessions_first(places: Places) -> None:
    places.state.mkdir(parents=True)
    leave_out(places, "codex", "first", NOON)
    line = file(places).read_bytes()
    many = [line.replace(b"first", b"s-%d" % number) for number in range(MOST_SESSIONS)]
    file(places).write_bytes(line + b"".join(many) + many[0] * (MOST_BYTES // len(line)))
    leave_out(places, "codex", "last", NOON)
    kept = [session for _, session in read_left_out(places).sessions]
    assert (len(kept), kept[0], kept[-2:]) == (MOST_SESSIONS, "s-2", ["s-0", "last"])
    assert file(places).stat().st_size < MOST_BYTES
    assert stat.S_IMODE(file(places).stat().st_mode) == 0o600
    assert list(places.state.iterdir()) == [file(places)]


def test_sessions_that_note_at_once_while_it_is_made_small_lose_nothing(places: Places) -> None:
    places.state.mkdir(parents=True)
    leave_out(places, "codex", "first", NOON)
    line = file(places).read_bytes()
    file(places).write_bytes(line * (MOST_BYTES // len(line)))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: leave_out(places, "codex", f"s-{number}", NOON), range(200)))
    assert {session for _, session in read_left_out(places).sessions} == {
        "first",
        *(f"s-{number}" for number in range(200)),
    }


def test_where_it_cannot_be_written_nothing_happens(places: Places) -> None:
    places.state.parent.mkdir(parents=True)
    places.state.write_bytes(b"a file where a folder belongs")
    leave_out(places, "codex", "s", NOON)
    take_in(places, "codex", "s", NOON, begins=True)
    assert read_left_out(places) == LeftOut()
    places.state.unlink()
    file(places).mkdir(parents=True)
    leave_out(places, "codex", "s", NOON)
    with pytest.raises(OSError, match="directory"):  # then nothing is captured, either
        read_left_out(places)
