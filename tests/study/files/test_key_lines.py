"""``keys.md``: what is a fact, and what is said of a line that is none."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.errors import StudyError
from truerecall.study.design import FilePlace, KeyFact, SessionPlace
from truerecall.study.files.key_lines import key_text, read_keys

PATH = Path("keys.md")
WRITTEN = """<!-- One fact a line.
- not a fact [app: a.py:1]
-->
# Session key

- The limit is 5. [session 0f3a/agent-1]
- It is read [once] from a file. [session 0f3a] (wrong)

#  truth KEY
<!-- checked -->
* The limit is read from RETRY_LIMIT. [app: src/retry.py:12-18]
- The page has an id. [web-ui: app/[id]/page of it.tsx:3]
"""


def test_facts_have_their_number_place_and_line() -> None:
    assert read_keys(WRITTEN, PATH, ["app", "web-ui"]) == {
        "session": (
            KeyFact(1, "The limit is 5.", SessionPlace("0f3a/agent-1"), line=6),
            KeyFact(2, "It is read [once] from a file.", SessionPlace("0f3a"), wrong=True, line=7),
        ),
        "truth": (
            KeyFact(
                1, "The limit is read from RETRY_LIMIT.", FilePlace("app", "src/retry.py", 12, 18), line=11
            ),
            KeyFact(2, "The page has an id.", FilePlace("web-ui", "app/[id]/page of it.tsx", 3, 3), line=12),
        ),
    }


def test_what_windows_writes_is_read_alike() -> None:
    dos = WRITTEN.replace("\n", "\r\n")

    assert read_keys(dos, PATH, ["app", "web-ui"]) == read_keys(WRITTEN, PATH, ["app", "web-ui"])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("The limit is 5. [app: a.py:1]", "this is no fact"),
        ("  - The limit is 5. [app: a.py:1]", "this is no fact"),
        ("- The limit is 5.", "the fact names no place where it was verified"),
        ("- The limit is 5. [app: a.py]", "the fact names no place where it was verified"),
        ("- The limit is 5. [a.py:1]", "the fact names no place where it was verified"),
        ("- The limit is 5. [session ]", "the fact names no place where it was verified"),
        ("- The limit is 5. [session a b]", "the fact names no place where it was verified"),
        ("- [app: a.py:1]", "the fact says nothing"),
        ("- The limit is 5. [app: a.py:1] (wrong)", "a fact of the truth key cannot be wrong"),
        ("- The limit is 5. [web: a.py:1]", "the question names no commit of 'web'"),
        ("- The limit is 5. [app: /a.py:1]", "'/a.py' is no path below the top of the repository"),
        ("- The limit is 5. [app: ../a.py:1]", "'../a.py' is no path below the top of the repository"),
        ("- The limit is 5. [app: ./a.py:1]", "'./a.py' is no path below the top of the repository"),
        ("- The limit is 5. [app: src\\a.py:1]", "'src\\\\a.py' is no path below the top of the repository"),
        ("- The limit is 5. [app: a.py:0]", "0-0 are no lines"),
        ("- The limit is 5. [app: a.py:5-4]", "5-4 are no lines"),
        ("# Other key", "the heading is unknown: # Other key"),
        ("## Truth key", "the heading is unknown: ## Truth key"),
        ("# Truth key", "the heading stands there twice: # Truth key"),
        ("<!-- and no end", "the comment has no end"),
    ],
)
def test_a_line_that_cannot_be_read_is_told_by_its_number(line: str, problem: str) -> None:
    with pytest.raises(StudyError) as caught:
        read_keys(f"# Truth key\n\n- A. [app: a.py:1]\n{line}\n", PATH, ["app"])

    assert (caught.value.problem, caught.value.where) == (problem, "keys.md:4")
    assert caught.value.remedy


def test_a_fact_stands_under_a_heading() -> None:
    with pytest.raises(StudyError) as caught:
        read_keys("\n- A. [app: a.py:1]\n", PATH, ["app"])

    assert (caught.value.problem, caught.value.where) == ("this stands under no heading", "keys.md:2")


SAID = (
    st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1)
    .map(str.strip)
    .filter(bool)
)
NAMES = st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}", fullmatch=True)
PATHS = st.from_regex(r"([a-z_\[\]]{1,3} ?[a-z.]{1,3}/){0,2}[a-z\[\]:]{1,4}\.py", fullmatch=True)
LINES = st.tuples(st.integers(1, 99), st.integers(0, 99))
PLACES = st.one_of(
    st.builds(lambda name, path, lines: FilePlace(name, path, lines[0], sum(lines)), NAMES, PATHS, LINES),
    st.builds(SessionPlace, st.from_regex(r"[a-zA-Z0-9][a-zA-Z0-9/_:-]{0,12}", fullmatch=True)),
)
FACTS = st.lists(st.tuples(SAID, PLACES, st.booleans()), max_size=4)


@given(FACTS, FACTS)
def test_what_is_written_is_read_again(
    said: list[tuple[str, FilePlace | SessionPlace, bool]],
    true: list[tuple[str, FilePlace | SessionPlace, bool]],
) -> None:
    session = tuple(KeyFact(n, text, place, wrong) for n, (text, place, wrong) in enumerate(said, start=1))
    truth = tuple(KeyFact(n, text, place) for n, (text, place, _) in enumerate(true, start=1))
    names = {fact.place.repository for fact in (*session, *truth) if isinstance(fact.place, FilePlace)}

    read = read_keys(key_text(session, truth), PATH, names)

    assert [(f.number, f.text, f.place, f.wrong) for f in (*read["session"], *read["truth"])] == [
        (f.number, f.text, f.place, f.wrong) for f in (*session, *truth)
    ]
