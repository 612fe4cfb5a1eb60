"""How often a block carries what was asked for: questions, controls, counting, and the pool."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.bench.carry.controls import Budget, bm25, grep
from truerecall.bench.carry.manifest import CarryManifest, CarryPair, UnrelatedRow, read_carried
from truerecall.bench.carry.pool import PROJECT, make_home
from truerecall.bench.carry.questions import CarryFile, CarryQuestion, UnrelatedPrompt, read_carry
from truerecall.bench.carry.run import carry
from truerecall.bench.manifest import Interval
from truerecall.bench.measured import making
from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, Entry, EventTime, Source
from truerecall.errors import DatasetError, RunError
from truerecall.memory.memory import Memory
from truerecall.models.tokens import counter

COMMITTED = Path(__file__).resolve().parents[3] / "benchmarks" / "carry"
BUDGET = Budget(300, counter(), 9_500)


def question(name: str = "q1", must: list[list[str]] | None = None) -> CarryQuestion:
    return CarryQuestion(
        id=name,
        question="Which wire format did we choose?",
        kind="decision",
        transcript="a.jsonl",
        lines=[3],
        trust="learned",
        must=must or [["msgpack", "MessagePack"], ["wire"]],
    )


def entries(*texts: str) -> list[Entry]:
    clock = ManualClock(datetime(2024, 5, 7, tzinfo=UTC))
    with Memory.open(":memory:", embedder="none", clock=clock) as memory:
        memory.remember(
            Draft(text, source=Source(session="s", position=n), happened_at=EventTime(clock()))
            for n, text in enumerate(texts)
        )
        return sorted(memory.list(), key=lambda entry: entry.source.position or 0)


def test_a_block_carries_the_evidence_when_it_holds_one_string_of_every_group() -> None:
    asked = question()

    assert asked.carried_by("The WIRE\n  format is messagepack.")
    assert not asked.carried_by("msgpack is nice")
    assert not asked.carried_by("")


def test_white_space_and_case_make_no_difference_but_words_do() -> None:
    asked = question(must=[["threshold of 0.9"]])

    assert asked.carried_by("a Threshold\n\tof  0.9 it is")
    assert not asked.carried_by("a threshold of 0,9")


def test_the_committed_questions_are_what_was_committed_before_the_first_measurement() -> None:
    file = read_carry(COMMITTED)

    assert len(file.questions) == 67 and len(file.unrelated) == 40
    assert sum(asked.trust == "learned" for asked in file.questions) == 59
    assert file.sha256 == {
        "questions.jsonl": "1daf9f09c0c38a2a1e5063c7a9249210a9f2fa320f38bbe80f0e84c490157acb",
        "unrelated.jsonl": "d8da8f6b9405dad05dbaab2fecaf5e2401c388d8abc6b63eff681bb599b17d4a",
    }


def test_each_question_s_evidence_stands_in_the_line_that_it_names(shared_data: Path) -> None:
    folder = shared_data / "transcripts"
    for asked in read_carry(COMMITTED).questions:
        path = folder / asked.transcript
        if path.is_file():
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
            told = [_text(lines[number - 1]) for number in asked.lines if isinstance(number, int)]
        else:
            told = [_text((path / str(name)).read_text(encoding="utf-8")) for name in asked.lines]
        assert any(asked.carried_by(text) for text in told), asked.id


def _text(line: str) -> str:
    """Every string of a line, as a reader would see it."""

    def strings(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        if isinstance(value, dict):
            return [one for inner in value.values() for one in strings(inner)]
        return [one for inner in value for one in strings(inner)] if isinstance(value, list) else []

    return "\n".join(strings(json.loads(line)))


@pytest.mark.parametrize("line", ["{", '{"id": "q"}', '{"id": "q", "prompt": 1}', "[]"])
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "questions.jsonl").write_text(
        question().model_dump_json() + "\n" + line + "\n", encoding="utf-8"
    )
    (tmp_path / "unrelated.jsonl").write_text("", encoding="utf-8")

    with pytest.raises(DatasetError, match=r"questions\.jsonl:2"):
        read_carry(tmp_path)


def test_a_folder_without_questions_says_so(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="cannot be read"):
        read_carry(tmp_path)


def test_bm25_packs_the_entries_that_share_words() -> None:
    block = bm25(entries("The wire format is msgpack.", "We had lunch."))("Which wire format?", BUDGET)

    assert "msgpack" in block and "lunch" not in block


def test_bm25_finds_nothing_for_a_question_without_words_and_survives_any_sign() -> None:
    arm = bm25(entries("The wire format is msgpack."))

    assert arm("???", BUDGET) == ""
    assert arm('wire" OR * NEAR(', BUDGET) != ""


def test_grep_shows_lines_with_most_words_first_and_their_neighbours() -> None:
    text = "before\nthe wire format is msgpack\nafter\nfar away"
    block = grep(entries("a wire is a wire", text))("Which wire format?", BUDGET)

    assert block.split("\n--\n") == ["before\nthe wire format is msgpack\nafter", "a wire is a wire"]


def test_grep_keeps_to_its_budget() -> None:
    many = entries(*(f"wire format number {n}" for n in range(200)))
    block = grep(many)("wire format", replace(BUDGET, tokens=60))

    assert 0 < BUDGET.counter.count(block) <= 60


def test_every_question_is_counted_under_every_arm() -> None:
    file = CarryFile(
        (question("q1"), question("q2", [["nowhere"]])), (UnrelatedPrompt(id="u1", prompt="thanks"),), {}
    )
    told: list[tuple[int, int]] = []
    arms = {
        "ours": lambda asked, budget: "" if asked == "thanks" else "the wire is msgpack",
        "other": lambda asked, budget: "something",
    }

    found = carry(file, arms, BUDGET, ["ours"], lambda done, of: told.append((done, of)))

    whole = {row.arm: row for row in found.rows if row.of == "all"}
    assert (whole["ours"].carried, whole["ours"].n, whole["ours"].empty) == (1, 2, 0)
    assert (whole["other"].carried, whole["other"].n) == (0, 2)
    assert whole["ours"].interval == Interval(low=0.0945, high=0.9055)
    assert found.pairs == [CarryPair(arm="ours", against="other", only_this=1, only_that=0, p=1.0)]
    assert [(row.arm, row.of, row.given, row.n) for row in found.unrelated] == [
        ("ours", "all", 0, 1),
        ("ours", "odd-numbered", 0, 1),
        ("other", "all", 1, 1),
        ("other", "odd-numbered", 1, 1),
    ]
    halves = {(row.arm, row.of): (row.carried, row.n) for row in found.rows if row.of.endswith("-numbered")}
    assert halves == {
        ("ours", "odd-numbered"): (1, 1),
        ("ours", "even-numbered"): (0, 1),
        ("other", "odd-numbered"): (0, 1),
        ("other", "even-numbered"): (0, 1),
    }
    assert isinstance(found.unrelated[0], UnrelatedRow)
    assert told[-1] == (6, 6)
    assert [outcome.carried for outcome in found.outcomes] == [
        {"ours": True, "other": False},
        {"ours": False, "other": False},
    ]


def test_a_block_over_its_budget_is_an_error_whoever_made_it() -> None:
    file = CarryFile((question(),), (), {})

    with pytest.raises(AssertionError, match="greedy gave a block of"):
        carry(file, {"greedy": lambda asked, budget: "word " * 500}, BUDGET, [], lambda done, of: None)


def test_a_manifest_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "carry.json"
    path.write_text('{"kind": "carry"}', encoding="utf-8")

    with pytest.raises(RunError, match=r"carry\.json"):
        read_carried(path)


def test_the_pool_says_of_every_session_that_it_was_in_one_folder(tmp_path: Path) -> None:
    transcripts = tmp_path / "transcripts"
    (transcripts / "claude_code").mkdir(parents=True)
    (transcripts / "codex").mkdir()
    (transcripts / "opencode" / "storage" / "session" / "p").mkdir(parents=True)
    line = {
        "type": "user",
        "cwd": "/Users/user/repo",
        "message": {"role": "user", "content": "in /Users/user/repo"},
    }
    (transcripts / "claude_code" / "one.jsonl").write_text(json.dumps(line) + "\n{half", encoding="utf-8")
    (transcripts / "claude_code" / "two_agent-abc.jsonl").write_text(
        json.dumps(line) + "\n", encoding="utf-8"
    )
    meta = {"type": "session_meta", "payload": {"cwd": "/elsewhere", "git": {"repository_url": "x"}}}
    (transcripts / "codex" / "three.jsonl").write_text(json.dumps(meta) + "\n", encoding="utf-8")
    (transcripts / "opencode" / "storage" / "session" / "p" / "ses.json").write_text(
        '{"directory": "/test"}', encoding="utf-8"
    )
    home = tmp_path / "home"
    home.mkdir()

    assert make_home(home, transcripts, 10, seed=1) == 4

    claude = home / ".claude/projects/-home-dev-project"
    assert len(list(claude.glob("*.jsonl"))) == 2 + 6 and (claude / "agent-abc.jsonl").exists()
    first = json.loads((claude / "agent-abc.jsonl").read_text(encoding="utf-8"))
    assert first["cwd"] == PROJECT and first["message"] == line["message"]
    (rollout,) = (home / ".codex/sessions").rglob("rollout-*.jsonl")
    assert json.loads(rollout.read_text(encoding="utf-8"))["payload"] == {"cwd": PROJECT}
    tree = home / ".local/share/opencode/storage/session/p/ses.json"
    assert json.loads(tree.read_text(encoding="utf-8")) == {"directory": PROJECT}
    assert any(path.read_text(encoding="utf-8").endswith("{half") for path in claude.glob("*.jsonl"))


def test_a_folder_of_no_transcripts_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="there are no transcripts"):
        make_home(tmp_path, tmp_path / "none", 10, seed=1)


def test_a_manifest_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    made = CarryManifest(
        kind="carry", making=making(ManualClock(datetime(2024, 5, 7, tzinfo=UTC)), "c", ()),
        files={}, sessions=1, real_sessions=1,
        entries=1, turns=1, external=0, budget_tokens=1, counter="bound-1", characters=1, rows=[], pairs=[],
        unrelated=[], outcomes=[], notes=[],
    )  # fmt: skip
    path = tmp_path / "carry.json"
    path.write_text(made.model_dump_json(), encoding="utf-8")

    assert read_carried(path) == made
