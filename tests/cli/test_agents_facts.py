"""``truerecall agents facts`` as a user sees it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.facts.drafting import Origin, drafts_of
from truerecall.agents.facts.extract import facts_in
from truerecall.agents.facts.records import Kept
from truerecall.agents.places import Places
from truerecall.agents.project import project_of
from truerecall.agents.records import Role, Turn, Where
from truerecall.core.entry import Draft, EventTime, Source, Trust
from truerecall.memory.memory import Memory

Command = Callable[..., Any]

SAID: tuple[tuple[Role, str], ...] = (
    ("user", "let's use pnpm instead of npm here"),
    ("tool", "read README.md\nThe worker pool is configured in config/pool.toml for all of them."),
    ("assistant", "Root cause: the \x1b[31mlock was stale."),
    ("assistant", "The worker pool is configured in `config/pool.toml` for all of them."),
)
CHANNELS = {"user": "prompt", "tool": "tool", "assistant": "answer"}


@pytest.fixture
def places(home: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A fresh home, and a project folder that the command is called in."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home / "home"))
    monkeypatch.setenv("LOGNAME", "ada")
    (home / "api").mkdir()
    monkeypatch.chdir(home / "api")
    return Places.of({"HOME": str(home / "home")})


def captured(places: Places, session: str, facts: bool = True) -> list[str]:
    """Capture a session; the ids of its turns."""
    places.store.parent.mkdir(parents=True, exist_ok=True)
    space = project_of(Path.cwd(), {}).space
    at = EventTime(datetime(2024, 3, 1, 9, tzinfo=UTC))
    with Memory.open(places.store, user="ada", space=space, embedder=None) as memory:
        drafts = [
            Draft(
                text=text,
                trust=Trust.EXTERNAL if role == "tool" else Trust.LEARNED,
                source=Source(channel=CHANNELS[role], session=session, position=place, tool="codex"),
                happened_at=at,
            )
            for place, (role, text) in enumerate(SAID)
        ]
        ids = [result.id or "" for result in memory.remember(drafts)]
        kept = [
            Kept(Turn(one, place, role, text, at.instant, Where()), one, text, drafts[place].trust)
            for place, ((role, text), one) in enumerate(zip(SAID, ids, strict=True))
        ]
        if facts:
            memory.remember(drafts_of(facts_in(kept, [], space), kept, Origin("codex", session, space)))
    return ids


def test_the_facts_of_a_session_are_shown_with_their_turns(cli: Command, places: Places) -> None:
    ids = captured(places, "5e55-1")

    done = cli("agents", "facts", "5e55")

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"2024-03-01T09:00  decision    learned   let's use pnpm instead of npm here  [{ids[0][-8:]}]",
        f"2024-03-01T09:00  cause       learned   Root cause: the \\x1b[31mlock was stale.  [{ids[2][-8:]}]",
        "2024-03-01T09:00  path        external  "
        f"The worker pool is configured in `config/pool.toml` for all of them.  [{ids[3][-8:]}]",
    ]


def test_as_json_each_fact_is_an_object_with_all_its_sources(cli: Command, places: Places) -> None:
    ids = captured(places, "5e55-1")

    done = cli("agents", "facts", "5e55-1", "--json")

    assert done.code == 0
    last = json.loads(done.out.splitlines()[-1])
    assert last.pop("id")
    assert last == {
        "kind": "path",
        "at": "2024-03-01T09:00:00Z",
        "trust": "external",
        "text": "The worker pool is configured in `config/pool.toml` for all of them.",
        "subject": "api",
        "value": "config/pool.toml",
        "session": "5e55-1",
        "position": 3,
        "source": ids[3][-8:],
        "sources": [ids[3], ids[1]],
    }


def test_extract_takes_them_out_of_the_turns_and_finds_none_twice(cli: Command, places: Places) -> None:
    captured(places, "5e55-1", facts=False)

    assert cli("agents", "facts", "5e55-1").out == "no facts of 5e55-1\n"
    first = cli("agents", "facts", "5e55-1", "--extract")
    assert (first.code, first.err, len(first.out.splitlines())) == (0, "3 new of 5e55-1\n", 3)
    again = cli("agents", "facts", "5e55-1", "--extract")
    assert (again.code, again.err, again.out) == (0, "0 new of 5e55-1\n", first.out)


def test_an_unknown_session_says_what_to_do(cli: Command, places: Places) -> None:
    captured(places, "5e55-1")
    captured(places, "5e55-2")
    captured(places, "77/agent-1")

    unknown, several = cli("agents", "facts", "9"), cli("agents", "facts", "5e55")

    assert (unknown.code, unknown.out) == (2, "")
    assert "no session of this project is called '9'" in unknown.err
    assert "The latest: 77/agent-1, 5e55-2, 5e55-1." in unknown.err
    assert (several.code, several.out) == (2, "")
    assert "2 sessions begin with '5e55'" in several.err
    assert "Write more of it: 5e55-2, 5e55-1." in several.err
    assert cli("agents", "facts", "").code == 2


def test_a_prefix_names_the_session_and_not_its_subagents(cli: Command, places: Places) -> None:
    captured(places, "5e55")
    captured(places, "5e55/agent-1")

    assert cli("agents", "facts", "5e").code == 0


def test_before_anything_was_captured_it_says_so(cli: Command, places: Places) -> None:
    done = cli("agents", "facts", "x")

    assert (done.code, done.out) == (2, "")
    assert "nothing was captured yet" in done.err
    assert "truerecall agents import" in done.err


def test_a_chat_model_goes_with_extract_and_one_that_nobody_knows_is_refused(
    cli: Command, places: Places
) -> None:
    captured(places, "5e55-1")

    assert cli("agents", "facts", "5e55-1", "--chat", "openai:x").code == 2
    unknown = cli("agents", "facts", "5e55-1", "--extract", "--chat", "nobody:x")
    assert unknown.code == 2
    assert "no chat model is called 'nobody:x'" in unknown.err
