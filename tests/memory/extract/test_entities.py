from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.memory.extract.rules import extract


def found(text: str) -> list[tuple[str, str]]:
    return [(one.name, one.kind) for one in extract(text, None, None, UTC).entities]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I met Melanie in New York.", ["Melanie", "New York"]),
        ("Looking at pictures. Thanks, that was great!", []),
        ("Caroline went home.", ["Caroline"]),
        ("But Caroline and Melanie stayed on Monday in May.", ["Caroline", "Melanie"]),
        ("We went to the Bank of England.", ["Bank of England"]),
        ("I liked Lisbon but I'm in Paris and I can't stay.", ["Lisbon", "Paris"]),
        ("Basketball is fun.", []),
        ("Charity begins here; the Charity Ball was on.", ["Charity Ball"]),
        ('She read "The Name of the Wind" twice.', ["The Name of the Wind"]),
        ('He said "come here" and left.', []),
        ("J.K. Rowling and George R. R. Martin write.", ["J.K. Rowling", "George R. R. Martin"]),
        ("Dr. Watson's dog and Ada's Lisbon", ["Dr. Watson", "Ada", "Lisbon"]),
        (
            "on Mother's Day at the Farmers' Market of McKinsey & Company",
            ["Mother's Day", "Farmers' Market of McKinsey & Company"],
        ),
        ("Explain Lucas' plan on Tuesdays", ["Lucas"]),
        ("so HAPPY, it is SO good in NYC", ["NYC"]),
        ("THIS IS ALL SHOUTED", []),
        ("we flew to the US", ["US"]),
        ("- Marinate: an hour\n- Lisbon and Porto\n## Budget\nNASA flew.", ["Porto", "NASA"]),
        ("in Lisbon, Portugal, See you", ["Lisbon", "Portugal"]),
        ("Привет, Анна живёт в Москве", ["Привет", "Анна", "Москве"]),
        ("wir fuhren nach Österreich", ["Österreich"]),
    ],
)
def test_names_are_runs_of_capitals_that_are_no_starts_of_sentences(text: str, names: list[str]) -> None:
    assert found(text) == [(name, "name") for name in names]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/truerecall/memory.py:12.", [("src/truerecall/memory.py", "path")]),
        ("it raised FooError", [("FooError", "error")]),
        ("killed by SIGSEGV, exit code 139", [("SIGSEGV", "error"), ("exit code 139", "error")]),
        ("run `git push --force`", [("git push --force", "command")]),
        ("$ make test", [("make test", "command")]),
        ("call parse_all() with userId", [("parse_all()", "identifier"), ("userId", "identifier")]),
        ("upgraded to v1.2.3", [("v1.2.3", "version")]),
        ("on Python 3.11 only", [("Python", "name"), ("3.11", "version")]),
        ("ask @ada or ada@example.org", [("@ada", "handle"), ("ada@example.org", "handle")]),
        ("at https://example.org/a?b=1.", [("https://example.org/a?b=1", "link")]),
        ("set `max` and MAX_LEN", [("max", "identifier"), ("MAX_LEN", "identifier")]),
        ("at 10/12/2023 we ran 3.5 miles, and/or 24/7", []),
        ("open `src/Auth.py` and src/auth.py", [("src/Auth.py", "path"), ("src/auth.py", "path")]),
        ("sad/happy, src/memory and his/her/their", [("src/memory", "path")]),
        (r'{"output": "src/a.py\nsrc/b.py"}', [("src/a.py", "path"), ("src/b.py", "path")]),
        (r"in C:\Users\ada\notes.txt", [(r"C:\Users\ada\notes.txt", "path")]),
        ("修复src/auth.py的错误", [("src/auth.py", "path")]),
    ],
)
def test_what_has_the_shape_of_code_is_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("田中さんは「銀座」でコーヒーを飲んだ", ["銀座", "コーヒー"]),
        ("『吾輩は猫である』と《三体》", ["吾輩は猫である", "三体"]),
        ("ジョン・スミスに会った", ["ジョン・スミス"]),
        ("「今日は、暑いですね。」と言った", []),
        ("我们在哪里吃了午饭", []),
        ("เราไปเที่ยวกับ “สมชาย” เมื่อวาน", ["สมชาย"]),
        ("قرأت «ألف ليلة» أمس", ["ألف ليلة"]),
        ("🎉😀👍🏽 ok", []),
    ],
)
def test_scripts_without_capitals_show_names_by_their_marks_only(text: str, names: list[str]) -> None:
    assert found(text) == [(name, "name") for name in names]


def test_the_speaker_is_the_first_entity() -> None:
    entities = extract("Hi Melanie, it's Ada.", "Ada", None, UTC).entities

    assert [one.key for one in entities] == ["ada", "melanie"]


def test_a_text_has_64_entities_at_most() -> None:
    text = " ".join(f"seen name_{number}," for number in range(500))

    assert len(extract(text, "Ada", None, UTC).entities) == 64


@given(st.text(), st.none() | st.text())
def test_no_text_raises_and_all_that_is_found_can_be_stored(text: str, speaker: str | None) -> None:
    extracted = extract(text, speaker, None, UTC)

    keys = [one.key for one in extracted.entities]
    assert len(set(keys)) == len(keys)
    assert all(keys)
    for one in extracted.entities:
        one.key.encode("utf-8")


PIECES = [
    "Ada",
    "I",
    "live",
    "in",
    " ",
    ". ",
    "?",
    "`",
    '"',
    "「",
    "」",
    "a_b",
    "src/a.py",
    "$ ",
    "aka",
    "'s",
    "my dog",
    "\n",
    "\x00",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_mixture_of_what_the_rules_look_for_raises(text: str) -> None:
    extract(text, "Ada", None, UTC)
