"""Turns in, facts out: any text, each fact once, dated and in the words of its turn."""

import re

from hypothesis import given
from hypothesis import strategies as st
from telling import START, did, entry_id, ran, turn

from truerecall.agents.facts.extract import MOST_OF_A_TURN, MOST_OPEN_ENDS, facts_in
from truerecall.agents.facts.records import Fact, Kept
from truerecall.agents.facts.sentences import plain
from truerecall.agents.facts.wording import LONGEST

PIECES = st.sampled_from(
    [
        "we decided to use `zod` because yup is slow. ",
        "Root cause: ",
        "the fix was to pin it. ",
        "Node 20.1 ",
        "lives in `src/a/`. ",
        "always run `make lint`. ",
        "TODO: ",
        "still needs to be done. ",
        "## Next steps\n",
        "- ",
        "\n",
        "\n\n",
        "`npm test` passed. ",
        "|a|b|\n",
        "```bash\n",
        "```\n",
        "**",
        "决定使用 X。",
        "if we ",
        "not ",
        "? ",
        "It ",
        "This is why it fails. ",
        "\x00",
        "\u2019",
        "entschieden. ",
        "<a-b>",
        "</a-b>",
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=10)), max_size=40).map("".join)
ROLES = st.sampled_from(("user", "assistant"))
_WORD = re.compile(r"\w+")


def words(text: str) -> set[str]:
    return set(_WORD.findall(plain(text.replace("\x00", " "))))


@given(TEXTS, ROLES)
def test_any_text_gives_facts_in_its_own_words(text: str, role: str) -> None:
    kept = turn(text, "user" if role == "user" else "assistant")
    facts = facts_in([kept], [], "github.com/acme/shop")
    assert facts == facts_in([kept], [], "github.com/acme/shop")
    assert len(facts) <= MOST_OF_A_TURN
    there = "".join(_WORD.findall(text))
    for fact in facts:
        assert 0 < len(fact.text) <= LONGEST
        assert fact.subject.strip()
        assert fact.value.strip()
        assert (fact.sources, fact.position, fact.at) == ((kept.entry_id,), 0, START)
        for word in _WORD.findall(fact.text):
            assert word in there, (word, fact.text)


def test_every_fact_of_a_dated_session_is_dated() -> None:
    session = [
        turn(f"We decided to use library{number} because of reason {number}.", number=number)
        for number in range(1400)
    ]
    facts = facts_in(session, [], "shop")
    assert len(facts) == 1400
    assert [fact.at for fact in facts] == [kept.turn.at for kept in session]
    assert None not in [fact.at for fact in facts]


def test_a_turn_without_a_time_gives_facts_without_one() -> None:
    (fact,) = facts_in([turn("We decided to use zod.", at=None)], [], "shop")
    assert fact.at is None


def test_the_same_fact_told_twice_in_a_session_is_one() -> None:
    session = [turn("We decided to use **zod**.", number=0), turn("we decided to use `zod`!", number=1)]
    assert [fact.position for fact in facts_in(session, [], "shop")] == [0]


def test_a_turn_with_too_many_keeps_the_weightiest_in_their_order() -> None:
    many = "## Next steps\n" + "".join(f"- Wire the retry into `part{number}`\n" for number in range(30))
    facts = facts_in([turn(f"{many}\nRoot cause: the lock was stale.")], [], "shop")
    assert [fact.kind for fact in facts] == ["open_end"] * MOST_OPEN_ENDS + ["cause"]
    assert facts[0].text == "Next steps: Wire the retry into `part0`"


def test_a_long_sentence_is_cut_at_a_clause() -> None:
    text = "We decided to use zod because " + "it infers the types of every schema that we have, " * 12
    (fact,) = facts_in([turn(text)], [], "shop")
    assert len(fact.text) <= LONGEST
    assert fact.text.endswith("that we have…")


def test_a_command_that_was_run_and_worked_is_one_and_the_shortest_of_its_kind() -> None:
    session = [
        ran("ls -la", number=0),
        ran("git status", number=1),
        ran("npm test -- --run src/a.test.ts", number=2),
        ran("cd /srv/shop && npm test 2>&1 | tail -20", number=3, output="12 passed, 0 failed"),
        ran("npm run build", "failed", number=4),
        ran("npm run lint | tail -5", number=5, output="3 errors"),
        ran("cat > x.py <<'EOF'\nmake test\nEOF", number=6),
        ran("python3 -c 'print(1)'", number=7),
        ran("make docs", "unknown", number=8),
    ]
    assert facts_in(session, [], "shop") == (
        Fact("command", "`npm test` worked", "npm test", "npm test", (entry_id(3),), 3, session[3].turn.at),
    )


def test_a_command_that_was_run_and_is_told_is_one_fact_in_the_words_of_who_told_it() -> None:
    session = [ran("make test", number=0), turn("`make test` passed.", number=1)]
    (fact,) = facts_in(session, [], "shop")
    assert (fact.text, fact.sources) == ("`make test` passed.", (entry_id(1),))


def test_a_command_that_worked_before_is_not_told_again() -> None:
    assert facts_in([ran("make test", number=5)], [ran("make test", number=1)], "shop") == ()


def test_a_command_that_failed_and_works_after_an_edit_is_a_fix() -> None:
    before = [ran("make test", "failed", number=0, output="collected 3\nE   KeyError: 'locale'\n1 failed")]
    new = [did("edit", "src/cache.py", number=1), ran("make test", number=2, output="3 passed")]
    mended, worked = facts_in(new, before, "shop")
    assert mended == Fact(
        "fix",
        "`make test` failed (E KeyError: 'locale'); it worked after `src/cache.py` changed",
        "E KeyError: 'locale'",
        "changed `src/cache.py`",
        (entry_id(2), entry_id(0), entry_id(1)),
        2,
        new[1].turn.at,
    )
    assert (worked.kind, worked.value) == ("command", "make test")


def test_a_command_that_only_works_the_second_time_is_no_fix() -> None:
    session = [ran("make test", "failed", number=0), ran("make test", number=1)]
    assert [fact.kind for fact in facts_in(session, [], "shop")] == ["command"]


def test_a_megabyte_gives_no_more_facts_than_a_turn_may() -> None:
    text = "We decided to use zod because yup is slow. The fix was to pin it. " * 16_000
    facts = facts_in([turn(text)], [], "shop")
    assert [fact.kind for fact in facts] == ["decision", "fix"]
    assert sum(len(fact.text) for fact in facts) <= 2 * LONGEST


def test_a_project_is_called_as_people_call_it() -> None:
    for space, name in (
        ("github.com/acme/shop", "shop"),
        ("folder:api:0123456789ab", "api"),
        ("root:0a1b", "project"),
        ("", "project"),
    ):
        assert [
            fact.subject for fact in facts_in([turn("We decided to wait for all of it.")], [], space)
        ] == [name]


def test_nothing_gives_nothing() -> None:
    nobody: list[Kept] = []
    assert facts_in(nobody, nobody, "") == ()
    assert facts_in([turn("")], nobody, "") == ()
