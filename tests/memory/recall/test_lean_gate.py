"""When something is recalled at all: the subject of a prompt must be what the store speaks of."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from whole_store import Opener

from truerecall import Draft, Memory, Scope, Source
from truerecall.memory.recall.lean import LeanRequest, recall_lean
from truerecall.memory.recall.lean_gate import Subject, relevant, subject_of, topical
from truerecall.memory.recall.lean_said import parts_of
from truerecall.memory.recall.lean_words import Held, LeanWords

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
SCOPE = Scope("local", "default", "me")
FOUR = (
    "For the login we keep the token in the macOS keychain backend, not in a file.",
    "Billing's nightly job runs at three.",
    "Snapshots of parser tests are renewed with make snapshots.",
    "A theme file gives each header its colour.",
)
CHINESE = ("登入權杖放在鑰匙圈裡，不放在檔案。", "每晚三點執行帳單工作。", "主題檔決定標題的顏色。")
QUESTION = "which keychain backend holds the login token?"
PASTE = "\n".join(
    f"volcano gravel marmalade {number} trombone asphalt zeppelin quilt sandal" for number in range(40)
)


def remember(memory: Memory, texts: Sequence[str]) -> None:
    for number, text in enumerate(texts):
        memory.remember(Draft(text, source=Source(session=f"s{number}", position=0)))


def found(store: Path, prompt: str) -> list[str]:
    return [hit.entry.text for hit in recall_lean(store, SCOPE, LeanRequest(prompt, NOON)).hits]


@pytest.fixture
def four(opened: Opener, store: Path) -> Path:
    remember(opened(), FOUR)
    return store


@pytest.mark.parametrize(
    "prompt",
    [
        "Remind me which keychain backend we decided on for login",
        "where did we put the token? keychain or file?",
        "does the macOS client still use the keychain for its credentials?",
    ],
)
def test_in_a_store_of_four_entries_a_question_in_other_words_finds_its_answer(
    four: Path, prompt: str
) -> None:
    assert found(four, prompt)[:1] == [FOUR[0]]


@pytest.mark.parametrize(
    "prompt",
    [
        "What colour has the sky on Mars, and why do the pictures of the rovers show it pink?",
        "Draft a polite letter to the landlord about the broken heating in the nightly cold",
        "write a file",
    ],
)
def test_in_a_store_of_four_entries_a_prompt_about_something_else_recalls_nothing(
    four: Path, prompt: str
) -> None:
    assert found(four, prompt) == []


@pytest.mark.parametrize(
    "prompt",
    [
        f"{PASTE}\n{QUESTION}",
        f"{QUESTION}\n{PASTE}",
        f"{PASTE} {PASTE}. {QUESTION}",
        f"{'x' * 5000}\n{PASTE}\n\n{QUESTION}\n",
    ],
    ids=["before it", "after it", "on one line", "of 7,000 characters"],
)
def test_a_question_is_found_with_a_paste_of_something_else(four: Path, prompt: str) -> None:
    assert found(four, prompt)[:1] == [FOUR[0]]


def test_a_paste_without_a_question_recalls_nothing(four: Path) -> None:
    assert found(four, PASTE) == []


def test_a_long_prompt_that_ends_in_talk_is_recalled_by_all_of_it(four: Path) -> None:
    long = (
        f"{QUESTION} The keychain backend of the login token. {'I would like to know that. ' * 30}\nThanks!"
    )

    assert found(four, long)[:1] == [FOUR[0]]


def test_all_of_a_short_prompt_is_one_part() -> None:
    assert parts_of(QUESTION) == [QUESTION]
    assert parts_of(f"{PASTE}\n{QUESTION}") == [QUESTION, f"{PASTE}\n{QUESTION}"]


def test_pairs_across_the_borders_of_chinese_words_are_no_missing_words(opened: Opener, store: Path) -> None:
    remember(opened(), [*CHINESE, *(f"{text}{number}" for text in CHINESE[1:] for number in range(40))])

    assert found(store, "登入的權杖現在放在檔案嗎")[:1] == [CHINESE[0]]
    assert found(store, "為什麼天空是藍色的") == []


def test_what_neither_holds_a_word_nor_stands_beside_one_that_does_is_not_recalled(
    opened: Opener, store: Path
) -> None:
    opened().remember(
        [
            Draft(text, source=Source(session="s", position=place))
            for place, text in enumerate(
                [*FOUR[:1], "Yes, on every system.", "The otters sleep.", "So be it."]
            )
        ]
    )

    assert found(store, QUESTION) == [FOUR[0], "Yes, on every system."]


def test_of_equally_many_words_the_common_ones_say_more() -> None:
    common = {f"common{n}": 0.3 for n in range(3)}
    rare = {f"rare{n}": 0.9 for n in range(3)}
    subject = Subject(dict.fromkeys([*common, *rare], 1.0), common | rare, 3.0)

    assert relevant(subject, dict.fromkeys(common, 1.0))
    assert not relevant(subject, dict.fromkeys(rare, 1.0))
    assert not relevant(subject, dict.fromkeys(common, 0.4))
    assert not relevant(subject, {})


def test_a_pair_of_characters_that_only_stands_across_words_is_not_missing() -> None:
    held = (Held("登入", [1], 2.0), Held("權杖", [1], 2.0))
    words = LeanWords(10**9, held, ("入權", "杖嗎", "杖現"), 4.0, (), exact=True)

    found = subject_of(words)

    assert found.counts == {"登入": 0.5, "權杖": 0.5}
    assert found.rarity == {"登入": 0.25, "權杖": 0.25}
    assert found.missing == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("term", "names"), [("權杖", True), ("的權", False), ("token", True), ("什麼", False)]
)
def test_particles_and_words_of_talk_name_no_subject(term: str, names: bool) -> None:
    assert topical(term) == names


def test_a_last_line_that_asks_nothing_is_what_is_wanted() -> None:
    line = "Keep the login token. Use the keychain backend."

    assert parts_of(f"{PASTE}\n{line}")[0] == line
