"""Grading one answer: blind, by both keys, and for a fifth of the answers twice."""

from collections.abc import Callable

import pytest
from scripted_judge import ANSWER, BOTH, FIVE, NEITHER, QUESTION, VARIABLE, Asked, PlayedAsker, reply

from truerecall.study.grade.grading import grade, mark_block, twice
from truerecall.study.grade.unwrapping import unwrapped
from truerecall.study.planned import PlannedFact, PlannedRun
from truerecall.study.records import Mark

OLD = reply((1, "yes", FIVE), (2, "no", ""))


def judge(
    truth: str, session: str = OLD, again: str | None = None, rewritten: str = ""
) -> Callable[[Asked], str]:
    """One reply to each kind of request; ``again`` to a second marking."""

    def said(asked: Asked) -> str:
        if asked.role == "rewriter":
            return rewritten
        if "is kept in the database" in asked.text:
            return session
        return again if again is not None and asked.sample >= 3 else truth

    return said


def test_an_answer_that_says_every_fact_of_the_truth_key_is_correct_whatever_the_session_concluded() -> None:
    asker = PlayedAsker(judge(BOTH))

    graded = grade(ANSWER, QUESTION, 2, 1, asker, rules_only=True, twice=False)

    assert graded.correct
    assert (graded.exchange, graded.followups, graded.truth.hits) == (2, 1, 2)
    assert graded.session is not None
    assert (graded.session.key, graded.session.hits) == ("session", 1)
    assert (graded.second, graded.flips, graded.suspects) == (None, 0, [])
    assert [one.role for one in asker.asked] == ["judge", "judge"]


def test_the_truth_key_alone_decides() -> None:
    half = grade(ANSWER, QUESTION, 0, 0, PlayedAsker(judge(OLD, BOTH)), rules_only=True, twice=False)
    unread = grade(ANSWER, QUESTION, 0, 0, PlayedAsker(judge("?", BOTH)), rules_only=True, twice=False)
    other = grade(ANSWER, QUESTION, 0, 0, PlayedAsker(judge(BOTH, "?")), rules_only=True, twice=False)

    assert (half.correct, half.truth.state) == (False, "valid")
    assert (unread.correct, unread.truth.state, unread.truth.marks) == (False, "invalid", [])
    assert other.correct
    assert other.session is not None
    assert other.session.state == "invalid"


def test_both_keys_are_marked_on_the_blinded_answer_in_requests_of_their_own() -> None:
    told = f"As we discussed in an earlier session, a call is tried again.\n\n{ANSWER}"
    asker = PlayedAsker(judge(BOTH, rewritten=f"A call is tried again.\n\n{ANSWER}"))

    graded = grade(told, QUESTION, 0, 0, asker, rules_only=False, twice=False)

    assert "session" not in graded.blinded.text
    rewriter, *judged = asker.asked
    assert rewriter.role == "rewriter"
    assert len(judged) == 2
    assert all(f"\n{graded.blinded.text}\n====" in one.text for one in judged)
    assert all("earlier session" not in one.text for one in judged)
    assert ["is kept in the database" in one.text for one in judged] == [False, True]
    assert ["RETRY_LIMIT sets it" in one.text for one in judged] == [True, False]


def test_the_second_marking_asks_the_same_bytes_as_a_sample_of_its_own_and_shows_the_flips() -> None:
    asker = PlayedAsker(judge(BOTH, again=OLD))

    graded = grade(ANSWER, QUESTION, 0, 0, asker, rules_only=True, twice=True)

    assert graded.correct  # the first marking counts
    assert graded.second is not None
    assert graded.second.marks == [Mark(fact=1, hit=True, quote=FIVE), Mark(fact=2, hit=False)]
    assert graded.flips == 1
    first, _, second = asker.asked
    assert (first.messages, first.sample, second.sample) == (second.messages, 0, 3)


def test_a_control_question_has_no_session_key_and_nobody_is_asked_about_one() -> None:
    control = QUESTION.model_copy(update={"session_key": [], "control": True})
    asker = PlayedAsker([BOTH])

    assert grade(ANSWER, control, 0, 0, asker, rules_only=True, twice=False).session is None
    assert mark_block("- The limit is 5.", control, PlayedAsker([])) is None


def test_an_empty_answer_states_nothing_and_costs_nothing() -> None:
    graded = grade("", QUESTION, 0, 0, PlayedAsker([]), rules_only=False, twice=True)

    assert (graded.correct, graded.truth.state, graded.truth.hits) == (False, "valid", 0)


def test_suspects_come_from_the_first_marking_of_the_truth_key() -> None:
    said = reply(
        (1, "yes", FIVE),
        (2, "no", ""),
        suspects=[(VARIABLE, "no such variable"), ("Nowhere said at all.", "?")],
    )

    graded = grade(ANSWER, QUESTION, 0, 0, PlayedAsker(judge(said)), rules_only=True, twice=True)

    assert [(one.quote, one.checker) for one in graded.suspects] == [(VARIABLE, "not checked")]
    assert graded.dropped_suspects == 1


def test_a_fifth_is_marked_twice_of_every_side_the_same() -> None:
    chosen = {
        side: [
            (question, repeat, followups)
            for question in (f"q{number}" for number in range(50))
            for repeat in (1, 2, 3)
            for followups in range(4)
            if twice(7, PlannedRun(question=question, side=side, repeat=repeat), followups)
        ]
        for side in ("memory", "none", "redo")
    }

    assert chosen["memory"] == chosen["none"] == chosen["redo"]
    assert 90 <= len(chosen["memory"]) <= 150  # of 600
    assert chosen["memory"] != [
        (question, repeat, followups)
        for question in (f"q{number}" for number in range(50))
        for repeat in (1, 2, 3)
        for followups in range(4)
        if twice(8, PlannedRun(question=question, side="none", repeat=repeat), followups)
    ]


OURS = """<truerecall-block>
# What truerecall recalled of earlier sessions: records, as data.
# 2026-04-28 10:02 codex, ada
[0c4f9a1b learned] user: How many tries?
  Say a number.
[1c4f9a1b system] The limit is 5.
# 2026-04-29 claude-code
[2c4f9a1b external] > The limit is kept in the database.
  > # and nowhere else
</truerecall-block>"""


def test_a_block_of_our_own_is_marked_without_what_names_a_product_a_tool_or_a_person() -> None:
    asker = PlayedAsker([reply((1, "yes", "The limit is 5."), (2, "no", ""))])

    marking = mark_block(OURS, QUESTION, asker)

    assert marking is not None
    assert (marking.key, marking.hits) == ("session", 1)
    told = asker.asked[0].text
    assert "\n- The limit is 5.\n" in told
    assert "Say a number." in told
    for name in ("truerecall", "codex", "ada\n", "claude", "2026", "0c4f9a1b", "learned", "memory"):
        assert name not in told, name


BARE = """- user: How many tries?
  Say a number.
- The limit is 5.
- > The limit is kept in the database.
  > # and nowhere else"""


@pytest.mark.parametrize(
    ("block", "left"),
    [
        (OURS, BARE),
        (f"{OURS}\n\n{OURS}", f"{BARE}\n{BARE}"),
        (
            "<acme_memory version='2'>\n## Limits\nThe limit is 5.\n</acme_memory>",
            "## Limits\nThe limit is 5.",
        ),
        ("ACME\nACME: The limit is 5.\nif a < b and c > d:", ": The limit is 5.\nif a < b and c > d:"),
        ("<truerecall-block>\n# What it is\n</truerecall-block>", ""),
    ],
    ids=["ours", "two of ours", "tags", "marker", "nothing in it"],
)
def test_what_is_wrapped_around_the_entries_of_a_block_is_left_out(block: str, left: str) -> None:
    assert unwrapped(block, marker="ACME") == left


def test_a_block_with_nothing_in_it_states_nothing_and_none_at_all_is_no_block() -> None:
    empty = mark_block("<truerecall-block>\n# What it is\n</truerecall-block>", QUESTION, PlayedAsker([]))

    assert empty is not None
    assert (empty.state, empty.hits) == ("valid", 0)
    assert mark_block(" \n", QUESTION, PlayedAsker([])) is None


def test_a_fact_that_is_flagged_wrong_is_asked_about_like_any_other() -> None:
    flagged, plain = PlayedAsker([NEITHER]), PlayedAsker([NEITHER])
    innocent = QUESTION.model_copy(
        update={
            "session_key": [
                PlannedFact(number=fact.number, text=fact.text, place="session ffff")
                for fact in QUESTION.session_key
            ]
        }
    )

    mark_block("The limit is 5.", QUESTION, flagged)
    mark_block("The limit is 5.", innocent, plain)

    assert flagged.asked == plain.asked
