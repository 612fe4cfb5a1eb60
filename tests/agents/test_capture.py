"""What happens in a session is remembered: once, readably, as far trusted as it deserves, and nothing private."""

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from truerecall.agents.capture import Capture
from truerecall.agents.facts.records import Fact, Kept
from truerecall.agents.project import project_of
from truerecall.agents.settings import AgentSettings, CaptureSettings, MemorySettings
from truerecall.core.clock import ManualClock
from truerecall.core.entry import Trust

sys.path.insert(0, str(Path(__file__).parent))
from written_sessions import NOON, Place, place_in  # found by the line above


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return place_in(tmp_path)


def capture(place: Place, **options: object) -> Capture:
    settings = options.pop("settings", AgentSettings())
    return Capture(settings, place.places, place.environment, ManualClock(NOON), **options)


def space_of(place: Place) -> str:
    return project_of(place.cwd, place.environment).space


def test_a_session_is_kept_turn_by_turn(place: Place) -> None:
    session = (
        place.session()
        .user("Why does login fail?")
        .ran("pytest -q", "E   assert 1 == 2\n1 failed", failed=False)
        .read("/w/a.py", "def secret_sauce(): pass")
        .answer("The clock is read in local time.")
    )
    with capture(place) as capturing:
        captured = capturing.transcript(session.transcript)
    entries = [entry for entry in place.entries(space_of(place)) if entry.kind == "turn"]
    assert [(entry.text, entry.trust, entry.source.channel, entry.source.speaker) for entry in entries] == [
        ("Why does login fail?", Trust.LEARNED, "prompt", "ada"),
        ("ran `pytest -q`\nE   assert 1 == 2\n1 failed", Trust.EXTERNAL, "tool", "Bash"),
        ("read /w/a.py", Trust.EXTERNAL, "tool", "Read"),
        ("The clock is read in local time.", Trust.LEARNED, "answer", "claude-code"),
    ]
    assert {(e.source.tool, e.source.repository, e.source.branch, e.source.cwd) for e in entries} == {
        ("claude-code", space_of(place), "main", str(place.cwd))
    }
    assert (captured.counts["turns"], captured.counts["stored"], captured.counts["duplicates"]) == (4, 4, 0)


def test_what_grew_is_read_from_where_it_was_left(place: Place) -> None:
    session = place.session().user("first question here")
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
        session.answer("first answer here")
        captured = capturing.transcript(session.transcript)
        again = capturing.transcript(session.transcript)
    assert captured.counts["turns"] == 1
    assert again.counts["turns"] == 0
    assert place.texts(space_of(place)) == ["first question here", "first answer here"]


def test_a_copy_of_a_session_is_captured_once(place: Place) -> None:
    session = place.session().user("first question here").answer("first answer here")
    fork = place.session(session="99999999-2222-3333-4444-555555555555")
    fork.user("first question here").answer("first answer here").user("and then?")
    with capture(place) as capturing:
        found = list(capturing.sweep(["claude-code"]))
    assert {one.transcript.session for one in found} == {session.session, fork.session}
    assert sorted(place.texts(space_of(place))) == ["and then?", "first answer here", "first question here"]
    assert [(s.model, s.messages, s.tokens_out) for s in spent(place)] == [("claude-sonnet-5-5", 1, 7)]


def spent(place: Place) -> list[object]:
    with capture(place) as capturing:
        return list(capturing.progress.spent())


def test_a_sweep_passes_over_what_did_not_grow(place: Place) -> None:
    place.session().user("first question here")
    with capture(place) as capturing:
        assert len(list(capturing.sweep(["claude-code"]))) == 1
        assert list(capturing.sweep(["claude-code"])) == []


def test_what_a_person_marked_as_private_is_in_no_file(place: Place) -> None:
    session = (
        place.session().user("before <private>the heron's nest</private> after").user("<private>all heron")
    )
    session.ran("echo '<private>heron</private>'", "<PRIVATE>heron</PRIVATE> out")
    with capture(place) as capturing:
        captured = capturing.transcript(session.transcript)
    assert place.texts(space_of(place)) == ["before  after", "ran `echo ''`\n out"]
    assert captured.counts["private"] == 2
    assert captured.counts["left_out"] == 1
    assert not holds(place, b"heron")


def holds(place: Place, needle: bytes) -> bool:
    """Whether any file of the store or the state holds these bytes."""
    folders = (place.places.store.parent, place.places.state)
    return any(
        needle in file.read_bytes() for folder in folders for file in folder.rglob("*") if file.is_file()
    )


def test_secrets_are_masked_and_outputs_that_may_hold_some_are_left_out(place: Place) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    session = place.session().user(f"use {token} please")
    session.ran("cat .env", "DB=plainheron").ran("printenv", "X=plainheron").read("/w/.env", "plainheron")
    session.ran("grep -r DB .", ".env:DB=plainheron\nsrc/a.py:DB")
    with capture(place) as capturing:
        captured = capturing.transcript(session.transcript)
    withheld = "[what it put out is not kept: it may hold secrets]"
    assert place.texts(space_of(place)) == [
        "use [masked:github] please",
        f"ran `cat .env`\n{withheld}",
        f"ran `printenv`\n{withheld}",
        f"read /w/.env\n{withheld}",
        f"ran `grep -r DB .`\n{withheld}\nsrc/a.py:DB",
    ]
    assert captured.counts["masked"] == 1
    assert captured.counts["withheld"] == 3
    assert not holds(place, b"plainheron")
    assert not holds(place, token.encode())


def test_a_secret_of_a_command_that_still_runs_is_not_kept_in_the_progress(place: Place) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    block = {
        "type": "tool_use",
        "id": "t1",
        "name": "Bash",
        "input": {"command": f"curl -H 'x: {token}' http://h"},
    }
    private = {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "echo <private>heron"}}
    session = place.session().user("go on please")
    session._assistant(block, 3)._assistant(private, 3)
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    assert not holds(place, token.encode())
    assert not holds(place, b"heron")
    session.line(
        type="user",
        message={
            "role": "user",
            "content": [{"tool_use_id": "t1", "type": "tool_result", "content": "done"}],
        },
    )
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    assert place.texts(space_of(place))[1:] == ["ran `curl -H 'x: [masked:github]' http://h`\ndone"]


def test_a_mere_slash_command_is_left_out_and_a_path_is_not(place: Place) -> None:
    session = (
        place.session()
        .user("/clear")
        .user("/compact focus on login")
        .user("/home/x is full")
        .user("/review the login")
    )
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    assert place.texts(space_of(place)) == ["/home/x is full", "/review the login"]


def test_what_the_memory_told_is_not_kept_again(place: Place) -> None:
    session = place.session().user("what did we say?").ran("truerecall recall heron", "the heron came back")
    session.call("mcp__truerecall__recall", {"query": "heron"}, "the heron came back")
    session.call("mcp__plugin_truerecall_truerecall__recall", {"query": "heron"}, "the heron came back")
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    assert not holds(place, b"came back")


def test_a_folder_that_is_kept_out_is_captured_nowhere(place: Place) -> None:
    session = place.session().user("the heron is private work")
    settings = AgentSettings(capture=CaptureSettings(exclude=(str(place.cwd),)))
    with capture(place, settings=settings) as capturing:
        captured = capturing.transcript(session.transcript)
    assert captured.counts["excluded"] == 1
    assert not place.places.store.exists()


def test_outputs_may_be_switched_off(place: Place) -> None:
    session = place.session().ran("pytest -q", "a long story", failed=True)
    settings = AgentSettings(capture=CaptureSettings(outputs=False))
    with capture(place, settings=settings) as capturing:
        capturing.transcript(session.transcript)
    assert place.texts(space_of(place)) == ["ran `pytest -q` (failed)"]


def test_news_is_learned_now_and_history_at_its_own_time(place: Place) -> None:
    old = place.session(at=NOON - timedelta(days=3)).user("said three days ago")
    new = place.session(session="99999999-2222-3333-4444-555555555555", prefix="n").user("said just now")
    with capture(place) as capturing:
        capturing.transcript(old.transcript)
        capturing.transcript(new.transcript)
    known = {entry.text: entry for entry in place.entries(space_of(place))}
    assert known["said three days ago"].recorded_at == NOON - timedelta(days=3) + timedelta(seconds=1)
    assert known["said three days ago"].replayed
    assert known["said just now"].recorded_at == NOON
    assert not known["said just now"].replayed
    with place.memory(space_of(place)) as memory, memory.at(NOON - timedelta(days=2)) as past:
        assert [entry.text for entry in past.list()] == ["said three days ago"]


def test_what_was_forgotten_or_purged_does_not_come_back(place: Place) -> None:
    session = place.session().user("forget the heron").user("purge the bittern").user("keep the grebe")
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    ids = {entry.text: entry.id for entry in place.entries(space_of(place))}
    with place.memory(space_of(place), clock=ManualClock(NOON)) as memory:
        memory.forget(ids["forget the heron"])
        memory.purge(ids["purge the bittern"])
    rewritten = session.path.read_bytes()
    session.path.unlink()
    session.path.write_bytes(b'{"type":"mode"}\n' + rewritten)  # another file: it is read from its beginning
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    assert place.texts(space_of(place)) == ["keep the grebe"]


def test_without_the_progress_what_was_forgotten_does_not_come_back_and_nothing_doubles(place: Place) -> None:
    session = place.session().user("forget the heron").user("keep the grebe")
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    ids = {entry.text: entry.id for entry in place.entries(space_of(place))}
    with place.memory(space_of(place), clock=ManualClock(NOON)) as memory:
        memory.forget(ids["forget the heron"])
    place.places.progress.unlink()
    with capture(place) as capturing:
        captured = capturing.transcript(session.transcript)
    assert place.texts(space_of(place)) == ["keep the grebe"]
    assert captured.counts["duplicates"] == 2


def test_a_store_that_was_removed_is_filled_again(place: Place) -> None:
    session = place.session().user("first question here")
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    for file in place.places.store.parent.iterdir():
        file.unlink()
    with capture(place) as capturing:
        list(capturing.sweep(["claude-code"]))
    assert place.texts(space_of(place)) == ["first question here"]


def test_a_second_store_has_a_progress_of_its_own(place: Place, tmp_path: Path) -> None:
    session = place.session().user("first question here")
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    settings = AgentSettings(memory=MemorySettings(store=str(tmp_path / "team.db"), mode=0o660))
    with capture(place, settings=settings) as capturing:
        assert capturing.transcript(session.transcript).counts["stored"] == 1
    assert (tmp_path / "team.db").stat().st_mode & 0o777 == 0o660


def test_a_transcript_that_cannot_be_read_is_told_of_and_the_others_are_captured(place: Place) -> None:
    place.session().user("first question here")
    bad = place.session(session="99999999-2222-3333-4444-555555555555")
    bad.path.parent.joinpath(bad.path.name).symlink_to("/nowhere")
    (place.home / ".claude/projects/-w/88888888-2222-3333-4444-555555555555.jsonl").write_bytes(
        b"\xff\xfe{not json}\n"
    )
    with capture(place) as capturing:
        found = list(capturing.sweep(["claude-code", "codex"]))
    assert place.texts(space_of(place)) == ["first question here"]
    assert sum(one.counts["faults"] for one in found) == 1


def test_a_folder_that_is_gone_is_a_project_by_its_path(place: Place, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    session = place.session(cwd=gone).user("first question here")
    with capture(place) as capturing:
        captured = capturing.transcript(session.transcript)
    assert captured.spaces == {project_of(gone, place.environment).space}


def test_facts_are_taken_from_the_session_and_stored_once(place: Place) -> None:
    session = (
        place.session().user("Which database?").answer("We decided to use PostgreSQL because SQLite locks.")
    )
    with capture(place) as capturing:
        captured = capturing.transcript(session.transcript)
    place.places.progress.unlink()
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    facts = [entry for entry in place.entries(space_of(place)) if entry.kind == "fact"]
    assert captured.counts["facts"] == 1
    assert [(fact.text, fact.trust) for fact in facts] == [
        ("We decided to use PostgreSQL because SQLite locks.", Trust.LEARNED)
    ]


def test_a_long_session_is_captured_part_by_part_and_in_order(place: Place) -> None:
    """Of more bytes than are read at once; an order of its first part is known in its last."""
    session = place.session().user("go on").read("/w/README.md", "Always run the linter before the commit.")
    for number in range(300):
        session.ran(f"make step-{number}", f"output {number} {'x' * 1500}")
    session.answer("Always run the linter before the commit.")
    with capture(place) as capturing:
        captured = capturing.transcript(session.transcript)
    entries = [entry for entry in place.entries(space_of(place)) if entry.kind == "turn"]
    assert captured.counts["turns"] == len(entries) == 303
    assert [entry.text.split("\n")[0] for entry in entries[2:-1]] == [
        f"ran `make step-{n}`" for n in range(300)
    ]
    assert entries[-1].trust == Trust.EXTERNAL


def test_at_its_deadline_a_capture_leaves_the_rest_to_the_next(place: Place) -> None:
    session = place.session()
    for number in range(300):
        session.ran(f"make step-{number}", f"output {number} {'x' * 1500}")
    with capture(place) as capturing:
        first = capturing.transcript(session.transcript, deadline=NOON)
        second = capturing.transcript(session.transcript)
    assert 0 < first.counts["turns"] < 300
    assert first.counts["turns"] + second.counts["turns"] == 300


def test_facts_are_compared_with_what_the_captures_before_kept(place: Place) -> None:
    """No text is kept for that: the transcript is read once more, and the memory asked."""
    seen: list[tuple[list[str], list[str]]] = []

    def extract(new: Sequence[Kept], before: Sequence[Kept], project: str) -> tuple[Fact, ...]:
        seen.append(([one.text for one in before], [one.text for one in new]))
        return ()

    session = place.session().user("go on <private>heron</private>").ran("pytest -q", "1 failed", failed=True)
    with capture(place, extract=extract) as capturing:
        capturing.transcript(session.transcript)
    session.line(type="mode")
    with capture(place, extract=extract) as capturing:
        capturing.transcript(session.transcript)
    session.ran("pytest -q", "1 passed")
    with capture(place, extract=extract) as capturing:
        capturing.transcript(session.transcript)
    first = ["go on ", "ran `pytest -q` (failed)\n1 failed"]
    assert seen == [([], first), (first, ["ran `pytest -q`\n1 passed"])]


def test_the_facts_of_a_fork_are_not_told_twice(place: Place) -> None:
    place.session().user("Which?").answer("We decided to use PostgreSQL because SQLite locks.")
    fork = place.session(session="99999999-2222-3333-4444-555555555555")
    fork.user("Which?").answer("We decided to use PostgreSQL because SQLite locks.").user("and then?")
    with capture(place) as capturing:
        list(capturing.sweep(["claude-code"]))
    assert [e.text for e in place.entries(space_of(place)) if e.kind == "fact"] == [
        "We decided to use PostgreSQL because SQLite locks."
    ]


def test_odd_texts_are_kept_as_far_as_they_can_be(place: Place) -> None:
    """NUL bytes, halves of characters, scripts without spaces, emoji sequences."""
    session = place.session().user("a\x00b \ud800 漢字 👩‍👩‍👧 ﷽").ran("echo \udfff", "\x00\ud800 必须")
    session.answer("\u202e必须 always \ud800")
    with capture(place) as capturing:
        captured = capturing.transcript(session.transcript)
        again = capturing.transcript(session.transcript)
    place.places.progress.unlink()
    with capture(place) as capturing:
        capturing.transcript(session.transcript)
    texts = place.texts(space_of(place))
    assert (captured.counts["stored"], again.counts["turns"], len(texts)) == (3, 0, 3)
    assert "漢字 👩‍👩‍👧 ﷽" in texts[0]
    assert texts[1].startswith("ran `echo ")
    assert texts[2].startswith("\u202e必须 always")
