"""What goes on while the memory is switched off is captured by no later session: real hooks and real sweeps."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from written_sessions import SESSION, Written  # found by the line above

from truerecall.agents.hook.capturing import reduced
from truerecall.agents.places import BELOW, OFF
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter

SCHEMA = Path(__file__).parents[2] / "fixtures/agents/opencode/schema_1.18.33.sql"
FORK = "88888888-2222-3333-4444-555555555555"
OTHER = "99999999-2222-3333-4444-555555555555"
SWITCHES = {
    "by the environment": ({OFF: "1"}, ""),
    "by the settings": ({}, "[hook]\ncapture = false\n"),
    "by its folder": ({}, '[capture]\nexclude = ["api"]\n'),
}


def session(home: Any, **options: Any) -> Written:
    """A session that began a minute ago."""
    return Written(home.path, home.folder, at=datetime.now(UTC) - timedelta(minutes=1), **options)


def tell(home: Any, event: str, written: Written, extra: dict[str, str] | None = None) -> None:
    told = {
        "hook_event_name": event,
        "session_id": written.session,
        "transcript_path": str(written.path),
        "prompt": "why does the heron stand on one leg?",
    }
    printed = home.call("claude-code", told, {"TEST_CAPTURE": "/bin/true", **(extra or {})})
    assert (printed.code, printed.err) == (0, b"")


def sweep(home: Any) -> None:
    """What another session starts as it begins."""
    subprocess.run(
        [sys.executable, "-P", "-m", "truerecall.agents.run_capture", "--sweep"],
        env=reduced(home.environment),
        check=True,
        timeout=120,
    )
    assert [note.error for note in home.notes() if note.event == "sweep" and note.outcome == "failed"] == []


def kept(home: Any) -> list[str]:
    if not home.places.store.exists():
        return []
    with Memory.open(home.places.store, user="ada", space=home.space, embedder="none") as memory:
        return sorted(entry.text for entry in memory.list(Filter(newest=1000)) if entry.kind == "turn")


def imported(home: Any) -> None:
    subprocess.run(
        [sys.executable, "-m", "truerecall", "agents", "import", "--embedder", "none"],
        env=home.environment,
        check=True,
        timeout=120,
        capture_output=True,
    )


@pytest.mark.parametrize("switch", SWITCHES.values(), ids=SWITCHES.keys())
def test_no_other_session_captures_what_went_on_while_it_was_off(
    switch: tuple[dict[str, str], str], home: Any
) -> None:
    environment, settings = switch
    off = session(home)
    home.settings(settings)
    tell(home, "SessionStart", off, environment)
    off.user("said while off").ran("pytest -q", "the heron failed").answer("answered while off")
    tell(home, "Stop", off, environment)
    side = session(home, session=f"{SESSION}/subagents/agent-a1", prefix="s").answer(
        "a subagent's, while off"
    )
    assert side.path.exists()
    home.settings("")
    on = session(home, session=OTHER, prefix="o").user("said while on")
    tell(home, "SessionStart", on)
    sweep(home)
    sweep(home)
    assert kept(home) == ["said while on"]
    # What was left out is marked: a copy of it in a session that goes on from there is left out without the note.
    (home.places.state / "left_out.jsonl").unlink()
    fork = session(home, session=FORK, prefix="f")
    fork.path.write_bytes(off.path.read_bytes())
    fork.user("said much later")
    sweep(home)
    assert kept(home) == ["said much later", "said while on"]


@pytest.mark.parametrize("swept", [True, False], ids=["after a sweep", "before any sweep"])
def test_an_import_takes_it_in_once(swept: bool, home: Any) -> None:
    off = session(home).user("said while off").answer("answered while off")
    tell(home, "Stop", off, {OFF: "1"})
    if swept:
        sweep(home)
    assert kept(home) == []
    for _ in range(2):
        imported(home)
        assert kept(home) == ["answered while off", "said while off"]
    off.user("said later, still off")
    sweep(home)
    assert kept(home) == ["answered while off", "said while off"]


def test_an_import_takes_nothing_in_of_a_folder_that_is_kept_out(home: Any) -> None:
    off = session(home).user("said while off")
    home.settings('[capture]\nexclude = ["api"]\n')
    tell(home, "Stop", off)
    imported(home)
    assert kept(home) == []


def test_resumed_when_it_is_on_again_only_what_came_later_is_captured(home: Any) -> None:
    off = session(home)
    tell(home, "UserPromptSubmit", off, {OFF: "1"})
    off.user("said while off")
    # Killed: no hook is called after the answer, which comes later than the last one.
    off.at = datetime.now(UTC)
    off.at -= timedelta(seconds=1)  # which the next line adds
    off.answer("answered while off")
    sweep(home)
    tell(home, "SessionStart", off)
    off.at = datetime.now(UTC)
    off.user("said when on again").answer("answered when on again")
    sweep(home)
    assert kept(home) == ["answered when on again", "said when on again"]


def test_another_sessions_sweep_amid_a_turn_takes_nothing_of_it(home: Any) -> None:
    off = session(home)
    tell(home, "UserPromptSubmit", off, {OFF: "1"})
    off.at += timedelta(hours=1)  # whatever the clocks say, it is off until a hook says otherwise
    off.user("said while off")
    sweep(home)
    assert kept(home) == []


def test_below_a_hook_it_is_not_off(home: Any) -> None:
    tell(home, "Stop", session(home), {BELOW: "1"})
    assert not home.places.state.exists()


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"session_id": 7}'])
def test_switched_off_nothing_is_written_of_what_names_no_session(data: bytes, home: Any) -> None:
    assert home.call("codex", data, {OFF: "1"}).silent
    assert not home.places.state.exists()


def test_codexs_notification_while_off_counts_as_well(home: Any) -> None:
    path = home.path / f".codex/sessions/2026/11/30/rollout-2026-11-30T05-50-00-{SESSION}.jsonl"
    path.parent.mkdir(parents=True)

    def says(at: datetime, text: str) -> None:
        when = at.isoformat().replace("+00:00", "Z")
        meta = {"id": SESSION, "cwd": str(home.folder), "cli_version": "0.171.0"}
        lines = [{"type": "event_msg", "payload": {"type": "user_message", "message": text}}]
        if not path.exists():
            lines.insert(0, {"type": "session_meta", "payload": meta})
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({"timestamp": when, **one}) + "\n" for one in lines)

    def notify(extra: dict[str, str]) -> None:
        told = {"type": "agent-turn-complete", "thread-id": SESSION, "cwd": str(home.folder)}
        subprocess.run(
            home.command("codex-notify", json.dumps(told)),
            stdin=subprocess.DEVNULL,
            env={**home.environment, "TEST_CAPTURE": "/bin/true", **extra},
            check=True,
            timeout=60,
        )

    says(datetime.now(UTC), "said while off")
    notify({OFF: "1"})
    sweep(home)
    assert kept(home) == []
    says(datetime.now(UTC), "said when on again")
    notify({})  # the first that is told of the turn: it is over
    sweep(home)
    assert kept(home) == ["said when on again"]


def test_of_opencodes_database_it_is_left_out_by_the_session_alone(home: Any) -> None:
    path = home.path / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    now = round(datetime.now(UTC).timestamp() * 1000)
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA.read_text("utf-8"))
        database.execute("INSERT INTO project VALUES ('p', '/ws', 'git', '', '', '', '', 1, 1, 1, '[]', '')")
        for name, parent in (("ses_off", None), ("ses_child", "ses_off"), ("ses_on", None)):
            database.execute(
                "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created,"
                " time_updated) VALUES (?, 'p', ?, 's', ?, 't', '1.18.33', ?, ?)",
                (name, parent, str(home.folder), now, now),
            )
            times = {"created": now, "completed": now}
            asked = json.dumps({"role": "assistant", "modelID": "m-1", "tokens": {}, "time": times})
            said = json.dumps({"type": "text", "text": f"said in {name}"})
            database.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?, ?)", (f"m_{name}", name, now, now, asked)
            )
            database.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", (f"p_{name}", f"m_{name}", name, now, now, said)
            )
    assert home.call("opencode", {"hook_event_name": "Stop", "session_id": "ses_off"}, {OFF: "1"}).silent
    sweep(home)
    assert kept(home) == ["said in ses_on"]
    imported(home)
    assert kept(home) == ["said in ses_child", "said in ses_off", "said in ses_on"]
