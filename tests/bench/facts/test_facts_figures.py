"""Precision, recall and agreement of facts, by hand; and what is drawn to be labelled."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.agents.facts.records import Kept
from truerecall.agents.records import Turn, Where
from truerecall.agents.transcripts.lines import place
from truerecall.bench.facts.labels import Gold, read_gold, read_labels
from truerecall.bench.facts.manifest import read_facts_manifest
from truerecall.bench.facts.matching import alike, found
from truerecall.bench.facts.measuring import Told, measured
from truerecall.bench.facts.sessions import Session, read_sessions, sampled
from truerecall.bench.measured import making
from truerecall.core.clock import ManualClock
from truerecall.core.entry import Trust
from truerecall.errors import DatasetError, InvalidInput, RunError

SAID = (
    "We decided to use zod because yup is slow.",
    "Root cause: the cache key ignored the locale.",
    "Let me look.",
    "TODO: handle the empty cart.",
)


def transcripts(folder: Path, said: tuple[str, ...] = SAID, name: str = "one") -> Path:
    """A folder with one made session: a line a turn."""
    lines = [
        {
            "type": "assistant",
            "uuid": f"u{number}",
            "sessionId": name,
            "timestamp": f"2026-01-01T10:00:{number:02}Z",
            "cwd": "/home/dev/x",
            "version": "2.1.332",
            "message": {"id": f"m{number}", "role": "assistant", "content": [{"type": "text", "text": text}]},
        }
        for number, text in enumerate(said)
    ]
    (folder / "claude_code").mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "claude_code" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def sessions(tmp_path: Path) -> list[Session]:
    """The made session, read."""
    return read_sessions(transcripts(tmp_path))


def test_a_session_has_its_facts_with_their_turns_and_ids_that_stay(
    sessions: list[Session], tmp_path: Path
) -> None:
    (session,) = sessions
    assert [(one.turn, one.fact.kind, one.external) for one in session.facts] == [
        (0, "decision", False),
        (1, "cause", False),
        (3, "open_end", False),
    ]
    again = read_sessions(tmp_path)[0]
    assert [one.id for one in again.facts] == [one.id for one in session.facts]
    assert [len(one.id) for one in session.facts] == [12] * 3


def test_a_line_of_the_transcript_is_a_turn_of_the_session(sessions: list[Session]) -> None:
    assert [sessions[0].turn_of(line) for line in (1, 2, 4, 99, 0)] == [0, 1, 3, 3, 0]


def test_a_line_between_two_turns_is_of_the_one_before_it() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    kept = tuple(
        Kept(Turn(f"u{line}", place(line), "user", "x", at, Where()), str(line), "x", Trust.LEARNED)
        for line in (4, 9)
    )
    assert [Session("s", kept, ()).turn_of(line) for line in (1, 5, 8, 10)] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("We decided to use zod because yup is slow.", "use zod, since yup is slow", True),
        ("Technology Stack: Node.js ≥24.0.0 required", "Node.js 24.0.0", True),
        ("The cache key ignored the locale", "The deploy key is with Ada", False),
        ("zod", "zod", True),
        ("zod is fast", "We use zod and yup and ajv and joi and more of them", False),
        ("", "", False),
    ],
)
def test_texts_are_alike_by_their_words(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is alike(other, one) is same


def test_a_gold_fact_is_found_one_turn_off_and_no_further(sessions: list[Session]) -> None:
    facts = sessions[0].facts
    gold = Gold("one", None, None, "decision", "use zod because yup is slow")
    assert [found(gold, turn, facts) is not None for turn in (0, 1, 2)] == [True, True, False]
    assert found(Gold("two", None, None, "decision", gold.text), 0, facts) is None


def test_the_figures_of_two_labellers_by_hand(sessions: list[Session], clock: ManualClock) -> None:
    ids = [one.id for one in sessions[0].facts]
    a = {ids[0]: True, ids[1]: True, ids[2]: False, "gone": True}
    b = {ids[0]: True, ids[1]: False, ids[2]: False}
    gold_a = [
        Gold("one", 1, None, "decision", "zod is used because yup is slow"),
        Gold("one", 4, None, "open_end", "Python has to be upgraded to 3.13"),
        Gold("elsewhere", 1, None, "decision", "zod is used because yup is slow"),
    ]
    gold_b = [Gold("one", None, 0, "decision", "use zod since yup is slow")]

    made = measured(sessions, Told((a, b), (gold_a, gold_b)), making(clock, "python benchmarks/facts.py", ()))

    assert (made.facts, made.turns, made.speaking, made.facts_a_turn) == (3, 4, 4, 0.75)
    assert made.by_kind == {"cause": 1, "decision": 1, "open_end": 1}
    assert (made.labelled, made.stale, made.external) == (3, 1, 0)
    told = {(row.by, row.of): (row.yes, row.n, row.share) for row in made.precision}
    assert told["a", "all"] == (2, 3, 0.667)
    assert told["b", "all"] == (1, 3, 0.333)
    assert told["both", "all"] == (1, 3, 0.333)
    assert told["either", "all"] == (2, 3, 0.667)
    assert told["a", "open_end"] == (0, 1, 0.0)
    assert made.agreement is not None
    assert (made.agreement.agreed, made.agreement.n, made.agreement.kappa) == (2, 3, 0.4)
    recalled = {(row.by, row.of): (row.yes, row.n) for row in made.recall}
    assert recalled == {
        ("a", "all"): (1, 3),
        ("a", "decision"): (1, 2),
        ("a", "open_end"): (0, 1),
        ("b", "all"): (1, 1),
        ("b", "decision"): (1, 1),
        ("both", "all"): (1, 1),
        ("both", "decision"): (1, 1),
    }
    assert {name: (row.yes, row.n) for name, row in made.gold_agreement.items()} == {
        "a in b": (1, 3),
        "b in a": (1, 1),
    }


def test_without_labels_there_are_no_shares(
    sessions: list[Session], clock: ManualClock, tmp_path: Path
) -> None:
    made = measured(sessions, Told((), ()), making(clock, "x", ()))
    assert (made.precision, made.recall, made.agreement, made.gold_agreement) == ([], [], None, {})
    path = tmp_path / "facts.json"
    path.write_text(made.model_dump_json(), encoding="utf-8")
    assert read_facts_manifest(path) == made
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(RunError, match="not one of this version"):
        read_facts_manifest(path)


def test_a_sample_has_each_kind_by_its_share_and_is_the_same_again(tmp_path: Path) -> None:
    said = tuple(f"We decided to use lib{number} because of reason{number}." for number in range(30))
    sessions = read_sessions(transcripts(tmp_path, (*said, *SAID)))
    drawn = sampled(sessions, 11, 1)
    assert sorted(one.fact.kind for one in drawn) == ["cause", *["decision"] * 10, "open_end"]
    assert [one.id for one in drawn] == [one.id for one in sampled(sessions, 11, 1)]
    assert [one.id for one in drawn] != [one.id for one in sampled(sessions, 11, 2)]
    assert len(sampled(sessions, 1000, 1)) == 33


def test_no_transcripts_are_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no transcripts"):
        read_sessions(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"id": "a"}',
        '{"id": 1, "correct": true}',
        '{"id": "a", "correct": 1}',
        '{"id": "b", "correct": true}',
    ],
)
def test_a_bad_label_names_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"id": "b", "correct": true, "note": "x"}\n\n' + line + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"labels\.jsonl:3"):
        read_labels(path)


@pytest.mark.parametrize(
    "line",
    [
        '{"session": "s", "kind": "decision", "text": "t"}',
        '{"session": "s", "turn": -1, "kind": "decision", "text": "t"}',
        '{"session": "s", "turn": 1, "kind": "rumour", "text": "t"}',
        '{"session": "s", "turn": 1, "kind": ["decision"], "text": "t"}',
        '{"session": "s", "turn": 1, "kind": "decision", "text": " "}',
        '{"turn": 1, "kind": "decision", "text": "t"}',
    ],
)
def test_a_bad_gold_fact_names_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"gold\.jsonl:1"):
        read_gold(path)


def test_a_gold_fact_may_name_its_file(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(
        '{"session": "codex/a.b.jsonl", "line": 3, "kind": "path", "text": "t"}\n', encoding="utf-8"
    )
    assert read_gold(path) == [Gold("a.b", 3, None, "path", "t")]


def test_the_real_transcripts_give_facts_that_stand_in_their_turns(shared_data: Path) -> None:
    folder = shared_data / "transcripts"
    if not folder.is_dir():
        pytest.skip("the real transcripts are not there")
    sessions = read_sessions(folder)
    facts = [one for session in sessions for one in session.facts]
    assert len(facts) >= 90
    assert all(one.fact.at is not None for one in facts)
    assert sum(len(session.facts) for session in sessions) <= sum(len(session.kept) for session in sessions)
