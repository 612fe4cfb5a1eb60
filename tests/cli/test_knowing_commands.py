"""``remember --fact``, ``facts``, ``profile``, ``link``, ``feedback``."""

import json
import sys
from pathlib import Path

import pytest

WEIR = "Ana repaired the old weir in April"
HERONS = "We counted nine herons near the weir"


def ids(outcome) -> list[str]:
    return [line.split()[-1] for line in outcome.out.splitlines() if not line.startswith(" ")]


def entries(cli, *options: str) -> list[dict]:
    return [json.loads(line) for line in cli("list", "--json", *options).out.split("\n")[:-1]]


def history(cli, entry_id: str) -> list[str]:
    """An entry's events, without their times."""
    out = cli("show", entry_id).out
    return [line[21:] for line in out[out.rindex("}\n") + 2 :].splitlines()]


# remember --fact


def test_a_fact_is_remembered_in_its_own_words_and_tells_its_outcome(cli) -> None:
    first = cli("remember", "--fact", "Mara", "lives_in", "Lisbon")
    second = cli("remember", "--fact", "Mara", "lives_in", "Porto")

    assert (first.code, second.code) == (0, 0)
    assert first.out.splitlines()[1] == "   inserted: nothing is known of it"
    assert second.out.splitlines()[1].startswith(f"   supersedes {ids(first)[0]}: ")
    old, new = sorted(entries(cli, "--ended"), key=lambda entry: entry["id"])
    assert [(e["kind"], e["decay_class"], e["text"]) for e in (old, new)] == [
        ("fact", "semantic", "Mara lives in Lisbon"),
        ("fact", "semantic", "Mara lives in Porto"),
    ]
    assert new["statement"] == {"subject": "Mara", "predicate": "lives_in", "object": "Porto"}
    assert (old["ended_at"] is None, new["ended_at"]) == (False, None)


def test_a_fact_may_have_a_text_of_its_own(cli) -> None:
    told = cli(
        "remember", "She calls a flat near the river home", "--fact", "Mara", "lives_in", "Lisbon", "--pin"
    )

    (entry,) = entries(cli)
    assert told.code == 0
    assert (entry["text"], entry["kind"], entry["pinned"]) == (
        "She calls a flat near the river home",
        "fact",
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["one", "two", "--fact", "Mara", "lives_in", "Lisbon"], "a fact has one text"),
        (["--messages", "chat.json", "--fact", "Mara", "lives_in", "Lisbon"], "a fact has one text"),
        (["--kind", "observation", "--fact", "Mara", "lives_in", "Lisbon"], "a observation is no fact"),
        (["--fact", "Mara", " ", "Lisbon"], "predicate"),
        (["--fact", "Mara", "lives_in"], "3"),
        (["--fact", "Mara", "lives_in", "--store", "s.db"], "a part of the fact is '--store'"),
    ],
)  # fmt: skip
def test_a_fact_that_is_none_is_refused(cli, home: Path, arguments: list[str], said: str) -> None:
    (home / "chat.json").write_text('[{"role": "user", "content": "x"}]', "utf-8")
    outcome = cli("remember", *arguments)

    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err and "unexpected" not in outcome.err
    assert not (home / "truerecall.db").exists() or entries(cli) == []


# correct --fact


def test_a_correction_says_what_it_states_from_now_on(cli) -> None:
    (old,) = ids(cli("remember", "--fact", "Mara", "lives_in", "Lisbon"))
    told = cli("correct", old, "Mara lives in Porto.", "--fact", "Mara", "lives_in", "Porto")

    assert (told.code, len(told.out.splitlines())) == (0, 1)
    assert [line.split("  ")[1] for line in cli("facts").out.splitlines()] == ["Mara lives_in Porto"]


def test_a_correction_that_states_nothing_says_what_does_not_count_any_more(cli) -> None:
    (old,) = ids(cli("remember", "--fact", "Mara", "lives_in", "Lisbon"))
    told = cli("correct", old, "Mara lives in Porto.")

    assert told.out.splitlines()[1:] == [
        "   what it stated does not count any more (Mara lives_in Lisbon); --fact states it anew"
    ]
    assert cli("facts").out == "nothing is stated\n"
    (turn,) = ids(cli("remember", "We met at noon."))
    assert len(cli("correct", turn, "We met at one.").out.splitlines()) == 1
    (row,) = ids(cli("profile", "set", "preference", "language", "English."))
    assert len(cli("correct", row, "Portuguese.").out.splitlines()) == 1


def test_a_correction_by_a_fact_that_is_none_is_refused(cli) -> None:
    (old,) = ids(cli("remember", "--fact", "Mara", "lives_in", "Lisbon"))
    told = cli("correct", old, "Mara moved.", "--fact", "Mara", "lives_in", "--user", "me")

    assert (told.code, told.out, "a part of the fact is '--user'" in told.err) == (2, "", True)
    (turn,) = ids(cli("remember", "We met at noon."))
    told = cli("correct", turn, "We met at one.", "--fact", "We", "met_at", "one")
    assert (told.code, told.out, "unexpected" in told.err) == (2, "", False)


# facts


def test_facts_show_what_is_so_and_with_all_what_is_not_and_why(cli) -> None:
    (lisbon,) = ids(cli("remember", "--fact", "Mara", "lives_in", "Lisbon", "--happened-at", "2024-03-01"))
    (porto,) = ids(cli("remember", "--fact", "Mara", "lives_in", "Porto", "--happened-at", "2024-05-01"))
    (tea,) = ids(cli("remember", "--fact", "Ana", "likes", "tea", "--trust", "system"))

    assert cli("facts").out.splitlines() == [
        f"{tea}  Ana likes tea  system  current",
        f"{porto}  Mara lives_in Porto  learned  current from 2024-05-01",
    ]
    assert cli("facts", "mara", "--all").out.splitlines() == [
        f"{lisbon}  Mara lives_in Lisbon  learned  superseded from 2024-03-01 until 2024-05-01 by {porto}:"
        " later event: 2024-05-01 over 2024-03-01",
        f"{porto}  Mara lives_in Porto  learned  current from 2024-05-01",
    ]
    assert [line.split()[0] for line in cli("facts", "--predicate", "likes").out.splitlines()] == [tea]
    assert cli("facts", "Mara", "--valid-at", "2024-04-01T00:00:00Z").out.split()[0] == lisbon
    assert cli("facts", "Bruno").out == "nothing is stated\n"


def test_facts_as_they_were_known_before_an_instant(cli) -> None:
    cli("remember", "--fact", "Mara", "lives_in", "Lisbon")
    cli("remember", "--fact", "Mara", "lives_in", "Porto")
    newest = entries(cli)[0]["recorded_at"]

    assert " lives_in Lisbon " in cli("facts", "--known-at", newest, "--valid-at", newest).out
    assert " lives_in Porto " in cli("facts", "--valid-at", newest).out


def test_facts_are_one_json_object_a_line_for_a_program(cli) -> None:
    (entry_id,) = ids(cli("remember", "--fact", "Zoë", "lives_in", "大阪", "--happened-at", "2024-03-01"))

    (fact,) = [json.loads(line) for line in cli("facts", "--json").out.splitlines()]
    recorded = fact.pop("recorded_at")
    assert recorded == entries(cli)[0]["recorded_at"]
    assert fact == {
        "subject": "Zoë", "predicate": "lives_in", "object": "大阪", "entry_id": entry_id, "derived": True,
        "trust": "learned", "start": "2024-03-01T00:00:00Z", "until": None, "status": "current", "reason": "",
        "rival": None, "start_by": "2024-03-02T00:00:00Z",
    }  # fmt: skip
    assert cli("facts", "Bruno", "--json").out == ""


def test_a_fact_of_a_year_is_not_shown_as_of_its_first_of_january(cli) -> None:
    cli("remember", "--fact", "Mara", "lives_in", "Lisbon", "--happened-at", "2023")

    assert cli("facts").out.rstrip().endswith("current from 2023")


def test_facts_of_another_users_private_entries_are_not_shown(cli) -> None:
    cli("remember", "--private", "--fact", "Mara", "lives_in", "Lisbon")

    assert cli("facts", "--user", "bob").out == "nothing is stated\n"


@pytest.mark.parametrize("option", ["--valid-at", "--known-at"])
def test_an_instant_that_is_none_is_refused(cli, option: str) -> None:
    cli("remember", "x")

    outcome = cli("facts", option, "yesterday")

    assert (outcome.code, option in outcome.err, "unexpected" in outcome.err) == (2, True, False)


# profile


def test_a_trait_is_set_written_over_listed_and_forgotten(cli) -> None:
    (first,) = ids(cli("profile", "set", "preference", "language", "Answer in Portuguese"))
    (second,) = ids(
        cli("profile", "set", "preference", "language", "Answer in Galician", "--trust", "system")
    )
    (name,) = ids(cli("profile", "set", "identity", "title", "Ada Lovelace"))

    assert cli("profile", "list").out.splitlines() == [
        f"{name}  identity  title  learned  Ada Lovelace",
        f"{second}  preference  language  system  Answer in Galician",
    ]
    assert history(cli, first) == [f"superseded by {second}"]
    assert [line.split()[1] for line in cli("profile", "list", "--trait", "identity").out.splitlines()] == [
        "identity"
    ]
    assert cli("profile", "forget", "preference", "language").out == "retired 1\n"
    assert [line.split()[0] for line in cli("profile", "list").out.splitlines()] == [name]
    assert cli("profile", "list", "--user", "bob").out == "the profile is empty\n"


def test_a_profile_is_json_for_a_program(cli) -> None:
    (entry_id,) = ids(cli("profile", "set", "identity", "title", "Ada"))

    (row,) = [json.loads(line) for line in cli("profile", "list", "--json").out.splitlines()]
    assert row.pop("recorded_at") == entries(cli)[0]["recorded_at"]
    assert row == {
        "trait": "identity", "key": "title", "text": "Ada", "entry_id": entry_id, "trust": "learned"
    }  # fmt: skip


def test_a_trait_that_is_refused_ends_with_exit_code_1_and_says_why(cli) -> None:
    cli("profile", "set", "preference", "language", "Answer in Galician", "--trust", "system")

    outcome = cli("profile", "set", "preference", "language", "Answer in Catalan")

    assert outcome.code == 1
    assert outcome.out == "refused: what is known is trusted more: system over learned\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["set", "mood", "today", "good"],
        ["set", "identity", "?", "Ada"],
        ["set", "identity", "title", "Ada", "--trust", "external"],
        ["forget", "identity", "title"],
        ["list", "--trait", "mood"],
    ],
)
def test_a_trait_that_is_none_is_bad_input(cli, arguments: list[str]) -> None:
    cli("remember", "x")

    outcome = cli("profile", *arguments)

    assert (outcome.code, outcome.out) == (2, "")
    assert "unexpected" not in outcome.err


@pytest.mark.skipif(sys.platform == "win32", reason="a console there has other controls")
def test_what_is_known_cannot_drive_the_terminal(cli) -> None:
    evil = "\x1b]52;c;AAAA\x07\x9b2J\nrefused"
    cli("remember", "--fact", f"Mara{evil}", f"lives_in{evil}", f"Lisbon{evil}")
    cli("remember", "--fact", f"Mara{evil}", f"lives_in{evil}", f"Porto{evil}")
    cli("profile", "set", "identity", f"name{evil}", f"Ada{evil}")

    for command in (["facts", "--all"], ["profile", "list"]):
        out = cli(*command).out
        assert "refused" in out
        assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in out), repr(out)
        assert not [line for line in out.splitlines() if line.startswith("refused")]


# link


def test_a_link_is_an_event_of_its_ends(cli) -> None:
    cause, effect = ids(cli("remember", "The pump failed on Monday", "The cellar was flooded on Tuesday"))

    outcome = cli("link", cause[-8:], effect, "--confidence", "0.8")

    assert (outcome.code, outcome.out) == (0, f"linked  {cause[-8:]} -> {effect}, confidence 0.8\n")
    assert history(cli, effect) == [f"caused_by {cause} (0.8)"]


@pytest.mark.parametrize("confidence", ["1.5", "-0.1", "nan", "inf", "much"])
def test_a_confidence_outside_0_to_1_is_refused(cli, confidence: str) -> None:
    cause, effect = ids(cli("remember", "The pump failed on Monday", "The cellar was flooded on Tuesday"))

    outcome = cli("link", cause, effect, f"--confidence={confidence}")

    assert outcome.code == 2 and "unexpected" not in outcome.err
    assert history(cli, effect) == []


@pytest.mark.parametrize("other", ["00000000", "no id", "018f2b6e-0000-7000-8000-000000000000", "itself"])
def test_a_link_needs_two_entries(cli, other: str) -> None:
    (entry_id,) = ids(cli("remember", "The pump failed on Monday"))

    outcome = cli("link", entry_id, entry_id if other == "itself" else other)

    assert outcome.code == 2 and "unexpected" not in outcome.err
    assert history(cli, entry_id) == []


# feedback


@pytest.fixture
def recalled(cli, home: Path) -> list[str]:
    """Two entries, and their recall saved as recall.json."""
    found = ids(cli("remember", WEIR, HERONS))
    (home / "recall.json").write_text(cli("recall", "When was the weir repaired?", "--json").out, "utf-8")
    return found


def test_feedback_on_a_saved_recall_says_what_it_recorded(cli, home: Path, recalled: list[str]) -> None:
    (home / "answer.txt").write_text("It was Ana who repaired the weir.", "utf-8")

    outcome = cli("feedback", "recall.json", "--response", "answer.txt", "--failed")

    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [
        f"used  {recalled[0]}", f"ignored  {recalled[1]}", f"failed  {recalled[0]}"
    ]  # fmt: skip
    assert history(cli, recalled[0]) == ["used (temporal)", "failed (temporal)"]
    assert history(cli, recalled[1]) == ["ignored (temporal)"]


def test_citations_are_enough_and_one_of_something_else_is_passed_over(cli, recalled: list[str]) -> None:
    outcome = cli("feedback", "recall.json", "--cited", recalled[1][-8:], "--cited", "x\x1b[2J")

    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        f"used  {recalled[1]}",
        f"ignored  {recalled[0]}",
        "passed over, for it was not recalled  x\\x1b[2J",
    ]


def test_what_was_recorded_is_printed_as_json_for_a_program(cli, recalled: list[str]) -> None:
    told = json.loads(cli("feedback", "recall.json", "--cited", recalled[0], "--json").out)

    assert told == {"used": [recalled[0]], "ignored": [recalled[1]], "failed": [], "passed_over": {}}


def test_the_recall_or_the_answer_may_be_piped_in(cli, home: Path, recalled: list[str]) -> None:
    saved = (home / "recall.json").read_bytes()

    assert cli("feedback", "-", "--cited", recalled[0], stdin=saved).code == 0
    assert cli("feedback", "recall.json", "--response", "-", stdin=WEIR.encode()).out.startswith("used")
    both = cli("feedback", "-", "--response", "-", stdin=saved)
    assert (both.code, "standard input is one of them" in both.err) == (2, True)


def test_feedback_says_nothing_of_what_another_user_keeps_private(cli, home: Path) -> None:
    (private,) = ids(cli("remember", WEIR, "--private"))
    (home / "recall.json").write_text(cli("recall", "weir", "--json").out, "utf-8")

    outcome = cli("feedback", "recall.json", "--cited", private, "--user", "bob")

    assert (outcome.code, outcome.out) == (0, f"passed over, for it is not here any more  {private}\n")
    assert history(cli, private) == []


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"not json", b"\xff\xfe", b"[" * 100_000, b'{"hits": [{"entry": {"id": "x"}}]}'],
    ids=lambda content: repr(content[:20]),
)
def test_a_file_that_is_no_recall_is_refused(cli, home: Path, recalled: list[str], content: bytes) -> None:
    (home / "recall.json").write_bytes(content)

    outcome = cli("feedback", "recall.json", "--cited", recalled[0])

    assert (outcome.code, outcome.out) == (2, "")
    assert len(outcome.err.splitlines()) == 1 and "unexpected" not in outcome.err


def test_feedback_with_nothing_to_judge_by_or_without_its_files_is_refused(cli, recalled: list[str]) -> None:
    for arguments in (
        ["recall.json"],
        ["recall.json", "--failed"],
        ["missing.json", "--cited", recalled[0]],
        ["recall.json", "--response", "missing.txt"],
        ["."],
    ):
        outcome = cli("feedback", *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert "unexpected" not in outcome.err
    assert history(cli, recalled[0]) == []
