"""``remember``, ``recall``, ``list``, ``show``, ``correct``, ``forget``."""

import hashlib
import json
import os
import stat
import sys
from pathlib import Path

import pytest


def ids(outcome) -> list[str]:
    return [line.split()[-1] for line in outcome.out.splitlines()]


def entries(cli, *options: str) -> list[dict]:
    return [json.loads(line) for line in cli("list", "--json", *options).out.split("\n")[:-1]]


def test_texts_are_remembered_one_line_each_and_recalled_with_a_reason(cli) -> None:
    first, second = ids(cli("remember", "Ada keeps two cats", "The meeting is on Friday"))
    found = cli("recall", "cats")
    assert found.code == 0
    hit, why = found.out.splitlines()
    assert hit.startswith(f"1. {first}  ") and hit.endswith("  learned  Ada keeps two cats")
    assert why == "   score 1.000: lexical #1 (cats), window #1 (near: cats)"
    assert second not in found.out
    assert found.err.startswith("note: vector lane: ")


def test_standard_input_is_one_text(cli) -> None:
    assert cli("remember", stdin="Zeile eins\nZeile zwei ü\n".encode()).code == 0
    (entry,) = entries(cli)
    assert entry["text"].split("\n")[:2] == ["Zeile eins", "Zeile zwei ü"]


def test_nothing_to_remember_is_refused_with_exit_code_1(cli) -> None:
    outcome = cli("remember", "good", "   ")
    assert outcome.code == 1
    stored, refused = outcome.out.splitlines()
    assert stored.startswith("stored  ")
    assert refused == "refused: the text is empty"
    assert cli("remember").code == 1
    assert len(entries(cli)) == 1


MESSAGES = [
    {"role": "user", "content": "I moved to Graz"},
    {"role": "assistant", "content": [{"type": "text", "text": "How is Graz?"}]},
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(MESSAGES),
        json.dumps(MESSAGES, indent=2),
        "\n".join(json.dumps(message) for message in MESSAGES),
        "\r\n".join(json.dumps(message) for message in MESSAGES) + "\r\n\r\n",
    ],
    ids=["list", "indented list", "lines", "lines with CRLF"],
)
def test_chat_messages_keep_their_speakers_and_places(cli, home: Path, text: str) -> None:
    (home / "chat.json").write_bytes(text.encode())
    assert cli("remember", "--messages", "chat.json", "--session", "s1").code == 0
    assert [(e["source"], e["text"]) for e in reversed(entries(cli))] == [
        ({"speaker": "user", "session": "s1", "position": 0}, "I moved to Graz"),
        ({"speaker": "assistant", "session": "s1", "position": 1}, "How is Graz?"),
    ]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
def test_a_line_separator_inside_a_message_ends_no_line(cli, home: Path, separator: str) -> None:
    line = json.dumps({"role": "user", "content": f"one{separator}two"}, ensure_ascii=False)
    (home / "chat.jsonl").write_text(line + "\n", encoding="utf-8")
    assert cli("remember", "--messages", "chat.jsonl").code == 0
    assert len(entries(cli)) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"not json",
        b"[1]",
        b"[null]",
        b"[NaN]",
        b"{}",
        b'[{"role": "user"}]',
        b'[{"content": "x"}]',
        b'[{"role": 1, "content": "x"}]',
        b'[{"role": "user", "content": null}]',
        b'[{"role": "user", "content": "x"}',
        b'{"role": "user", "content": "x"}\n{"role"',
        b"\xff\xfe",
        b"[" * 200_000,
        b"[" + b"9" * 5000 + b"]",
    ],
    ids=lambda content: repr(content[:30]),  # one of them is long
)
def test_malformed_messages_are_refused_and_nothing_is_stored(cli, home: Path, content: bytes) -> None:
    (home / "chat.json").write_bytes(content)
    cli("remember", "the first")
    outcome = cli("remember", "--messages", "chat.json", stdin=b"not asked for")
    assert outcome.code == 2
    assert outcome.err.startswith("truerecall: ") and len(outcome.err.splitlines()) == 1
    assert "unexpected" not in outcome.err
    assert [entry["text"] for entry in entries(cli)] == ["the first"]


def test_private_entries_are_seen_by_their_author_only(cli) -> None:
    cli("remember", "--private", "the key lies under the mat")
    cli("remember", "the door is green")
    assert [e["text"] for e in entries(cli, "--user", "bob")] == ["the door is green"]
    assert {e["visibility"] for e in entries(cli)} == {"private", "shared"}
    assert "mat" not in cli("recall", "key mat", "--user", "bob").out
    assert "under the mat" in cli("recall", "key mat").out


def test_a_pinned_entry_stands_in_the_block_of_any_query(cli) -> None:
    cli("remember", "--pin", "Answer in German")
    cli("remember", "bananas are yellow")
    assert "Answer in German" in cli("recall", "bananas", "--block").out


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2023", {"at": "2023-01-01T00:00:00Z", "precision": "year"}),
        ("2023-05", {"at": "2023-05-01T00:00:00Z", "precision": "month"}),
        ("2023-05-08", {"at": "2023-05-08T00:00:00Z", "precision": "day"}),
        ("2023-05-08T09:30:00+02:00", {"at": "2023-05-08T07:30:00Z", "precision": "instant"}),
    ],
)
def test_an_event_time_is_no_more_precise_than_it_was_given(cli, given: str, kept: dict[str, str]) -> None:
    assert cli("remember", "x", "--happened-at", given).code == 0
    assert entries(cli)[0]["happened_at"] == kept


def test_explain_shows_lanes_factors_and_everything_dropped(cli) -> None:
    kept, other = ids(cli("remember", "alpha alpha", "alpha beta gamma"))
    lines = cli("recall", "alpha", "--limit", "1", "--explain").out.splitlines()
    assert f"query sha256 {hashlib.sha256(b'alpha').hexdigest()[:16]}, 1 terms" in lines
    assert [line.split(":")[0] for line in lines if line.startswith("lane ")] == [
        "lane lexical",
        "lane window",
        "lane session",
        "lane vector",
    ]
    assert any(line.startswith("reranked the first 2 by words: ") for line in lines)
    (scored,) = [line for line in lines if line.startswith("scored ")]
    assert kept in scored and all(f"{name} x" in scored for name in ("recency", "temporal", "trust"))
    dropped = {line.split()[1].rstrip(":"): line.split()[2] for line in lines if line.startswith("dropped ")}
    assert dropped == {other: "limit"}
    assert lines[-1].startswith("block: ")


def test_json_is_one_object_with_hits_block_and_trace(cli) -> None:
    (entry_id,) = ids(cli("remember", "Zoë 🚀 火"))
    outcome = cli("recall", "Zoë", "--json")
    found = json.loads(outcome.out)
    assert sorted(found) == ["block", "hits", "intent", "trace"]
    assert found["intent"] == "factual"
    assert found["hits"][0]["entry"]["id"] == entry_id
    assert found["trace"]["hits"] == [entry_id]
    assert "Zoë 🚀 火" in found["block"]
    assert json.loads(cli("recall", "nothing-like-it", "--json").out)["hits"] == []


def test_block_prints_the_block_alone(cli) -> None:
    cli("remember", "alpha")
    out = cli("recall", "alpha", "--block").out
    assert out.startswith("<truerecall-block>\n") and out.endswith("</truerecall-block>\n")


def test_the_trace_is_appended_for_its_owner_only_and_holds_no_text(cli, home: Path) -> None:
    cli("remember", "quixotic zebra")
    for _ in range(2):
        assert cli("recall", "quixotic umbrella", "--trace", "traces.jsonl").code == 0
    text = (home / "traces.jsonl").read_text(encoding="utf-8")
    assert len([json.loads(line) for line in text.splitlines()]) == 2
    assert not any(word in text for word in ("quixotic", "umbrella", "zebra"))
    if os.name == "posix":
        assert stat.S_IMODE((home / "traces.jsonl").stat().st_mode) == 0o600


def test_trust_names_the_tiers_to_recall(cli) -> None:
    cli("remember", "alpha learned")
    cli("remember", "--trust", "external", "alpha external")
    assert "alpha external" not in cli("recall", "alpha").out
    only = cli("recall", "alpha", "--trust", "external").out
    assert "alpha external" in only and "alpha learned" not in only
    both = cli("recall", "alpha", "--trust", "external", "--trust", "learned").out
    assert "alpha external" in both and "alpha learned" in both


def test_valid_at_and_at_look_into_the_past(cli) -> None:
    (entry_id,) = ids(cli("remember", "the office is in Graz"))
    (entry,) = entries(cli)
    assert cli("correct", entry_id, "the office is in Linz").code == 0
    corrected = next(e for e in entries(cli, "--ended") if e["text"].endswith("Linz"))
    assert "Linz" in cli("recall", "office").out and "Graz" not in cli("recall", "office").out
    past = cli("recall", "office", "--valid-at", entry["recorded_at"]).out
    assert "Graz" in past and "Linz" not in past
    as_of = cli("recall", "office", "--at", corrected["recorded_at"]).out
    assert "Graz" in as_of and "Linz" not in as_of
    assert cli("recall", "office", "--at", entry["recorded_at"]).out == "nothing was found\n"


def test_list_filters_and_marks_what_has_ended(cli) -> None:
    first, second = ids(cli("remember", "--session", "a", "one", "two"))
    cli("remember", "--kind", "document", "three")
    cli("forget", first)
    assert [e["text"] for e in entries(cli)] == ["three", "two"]
    assert [e["text"] for e in entries(cli, "--session", "a")] == ["two"]
    assert [e["text"] for e in entries(cli, "--kind", "document")] == ["three"]
    assert [e["text"] for e in entries(cli, "--newest", "1")] == ["three"]
    assert [line[:36] for line in cli("list", "--ended").out.splitlines() if "(ended)" in line] == [first]
    assert second in cli("list").out


def test_a_long_text_is_one_short_row_in_a_list(cli) -> None:
    cli("remember", "word\n" * 200)
    (line,) = cli("list").out.splitlines()
    assert line.endswith("…") and len(line) < 260


def test_show_prints_the_entry_and_its_history_by_id_or_suffix(cli) -> None:
    (entry_id,) = ids(cli("remember", "one"))
    assert cli("forget", entry_id).out == "retired 1\n"
    for name in (entry_id, entry_id[-8:], entry_id.upper()):
        out = cli("show", name).out
        assert json.loads(out[: out.rindex("}") + 1])["id"] == entry_id
        assert out.splitlines()[-1].endswith("Z retired")


@pytest.mark.parametrize(
    "name", ["", "abc", "%%%%%%%%", "________", "00000000", "018f2b6e-0000-7000-8000-000000000000"]
)
@pytest.mark.parametrize("command", ["show", "forget", "correct", "purge"])
def test_an_id_that_names_nothing_is_an_error(cli, command: str, name: str) -> None:
    cli("remember", "one")
    rest = {"correct": ["new"], "purge": ["--yes"]}.get(command, [])
    outcome = cli(command, name, *rest)
    assert outcome.code == 2
    assert outcome.err.startswith("truerecall: ") and "unexpected" not in outcome.err
    assert len(entries(cli)) == 1


def test_forget_of_several_is_all_or_nothing(cli) -> None:
    (entry_id,) = ids(cli("remember", "one"))
    assert cli("forget", entry_id, "00000000").code == 2
    assert len(entries(cli)) == 1


def test_a_correction_to_nothing_is_refused_and_changes_nothing(cli) -> None:
    (entry_id,) = ids(cli("remember", "one"))
    assert cli("correct", entry_id, " ").code == 2
    assert [e["text"] for e in entries(cli)] == ["one"]


@pytest.mark.skipif(sys.platform == "win32", reason="a console there has other controls")
def test_remembered_text_cannot_drive_the_terminal(cli, home: Path) -> None:
    message = {"role": "eve\nrefused: nothing", "content": "\x1b]52;c;AAAA\x07 \x1b[2J hello\x9b31m"}
    (home / "chat.json").write_text(json.dumps([message]), encoding="utf-8")
    cli("remember", "--messages", "chat.json")
    for command in (["list"], ["recall", "hello"]):
        out = cli(*command).out
        assert "hello" in out
        assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in out), repr(out)
        assert not [line for line in out.splitlines() if line.startswith("refused")]
