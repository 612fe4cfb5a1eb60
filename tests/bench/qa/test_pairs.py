"""Two systems are called different only where every judge's tests say so."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_rows import ANSWER, ONE, TWO, arm, asked, dataset_of, facts, row

from truerecall.bench.manifest import Interval
from truerecall.bench.qa.aggregate import qa_dataset
from truerecall.bench.qa.manifest import Pair
from truerecall.measure.comparing import mcnemar_exact, smallest_detectable_share

SUPERIOR = re.compile(
    r"\b(better|best|worse|more|less|higher|lower|beats?|wins?|winner|outperforms?|superior|ahead|improves?|"
    r"leads?|exceeds?|stronger|weaker)\b",
    re.IGNORECASE,
)


def pairs_of(
    a: tuple[str, str], b: tuple[str, str], conversations: int = 10, **changes: Any
) -> tuple[Pair, Pair]:
    """Our system against bm25 by both judges, whose verdicts on each stand as letters, one a question."""
    questions = [asked(f"q{number}", f"c{number % conversations}") for number in range(len(a[0]))]
    rows = [
        row(question, system, one=one, two=two)
        for system, own in (("truerecall", a), ("bm25", b))
        for question, one, two in zip(questions, *own, strict=True)
    ]
    arms = [arm("bm25", control=True), arm()]
    first, second = qa_dataset(dataset_of(questions), None, rows, arms, facts(**changes)).pairs
    return first, second


def test_a_difference_that_both_judges_support_is_said() -> None:
    first, second = pairs_of(("c" * 40, "c" * 40), ("c" * 20 + "w" * 20, "c" * 20 + "w" * 20))
    p = mcnemar_exact(20, 0)
    smallest = smallest_detectable_share(40, 0.5)
    assert smallest is not None
    assert first == Pair(
        a="truerecall",
        b="bm25",
        judge=ONE.name,
        n=40,
        difference=50.0,
        only_a=20,
        only_b=0,
        p=p,
        p_holm=p,
        by_conversation=Interval(low=50.0, high=50.0),
        smallest=round(100 * smallest, 6),
        left_out=0,
        same_questions=40,
        identical_contexts=0,
        shown=True,
        sentence="Within these 10 conversations truerecall answers more questions rightly than bm25, "
        "by every judge (p = 1.9e-06 after Holm).",
    )
    assert (second.judge, second.shown, second.sentence) == (TWO.name, True, first.sentence)


def test_the_one_that_is_right_more_often_is_named_first_whichever_it_is() -> None:
    first, _ = pairs_of(("w" * 40, "w" * 40), ("c" * 40, "c" * 40))
    assert first.difference == -100.0
    assert "bm25 answers more questions rightly than truerecall" in first.sentence


def test_a_difference_by_one_judge_alone_is_not_said() -> None:
    first, second = pairs_of(("c" * 40, "c" * 40), ("w" * 40, "c" * 40))
    assert first.p is not None and first.p < 1e-6
    assert (first.shown, second.shown) == (False, False)
    assert not SUPERIOR.search(first.sentence) and not SUPERIOR.search(second.sentence)
    assert first.sentence.startswith("No difference between truerecall and bm25 is shown")


def test_judges_that_point_in_opposite_directions_show_nothing() -> None:
    first, _ = pairs_of(("c" * 40, "w" * 40), ("w" * 40, "c" * 40))
    assert not first.shown


def test_few_questions_say_what_they_could_show() -> None:
    first, _ = pairs_of(("ccccccccww", "ccccccccww"), ("ccccccwwww", "ccccccwwww"))
    assert (first.difference, first.p, first.smallest, first.shown) == (20.0, 0.5, None, False)
    assert first.sentence == (
        "No difference between truerecall and bm25 is shown (p = 0.5 after Holm); "
        "these 10 questions could show none: too few of them differ."
    )
    able, _ = pairs_of(("cw" * 20, "cw" * 20), ("wc" * 20, "wc" * 20))
    assert able.smallest is not None
    assert f"these 40 questions could show one of {able.smallest:.1f} points" in able.sentence


def test_questions_that_were_not_judged_validly_in_both_are_left_out_and_counted() -> None:
    first, second = pairs_of(("ccif", "cccc"), ("cwcc", "ccwi"))
    assert (first.n, first.left_out, first.same_questions, first.only_a, first.only_b) == (2, 2, 4, 1, 0)
    assert (second.n, second.left_out, second.only_a) == (3, 1, 1)


def test_a_difference_that_the_left_out_questions_could_turn_is_not_said() -> None:
    # Nine against none is p = .004; two that nobody judged make it nine against two, p = .065.
    some = ("c" * 200, "c" * 200)
    whole, _ = pairs_of(some, ("w" * 9 + "c" * 191, "w" * 9 + "c" * 191), conversations=200)
    partly, _ = pairs_of(some, ("w" * 9 + "ff" + "c" * 189, "w" * 9 + "ff" + "c" * 189), conversations=200)
    assert whole.shown
    assert (partly.only_a, partly.left_out, partly.shown) == (9, 2, False)


def test_an_unsound_judge_supports_nothing() -> None:
    lost = "c" * 57 + "iii"
    first, _ = pairs_of((lost, "c" * 60), ("w" * 57 + "iii", "w" * 60))
    assert first.p is not None and first.p < 1e-6
    assert not first.shown


def test_judges_that_are_the_answering_model_prove_nothing_alone() -> None:
    same = {"identity": ANSWER.identity}
    ones, twos = ONE.model_copy(update=same), TWO.model_copy(update=same)
    sides = (("c" * 40, "c" * 40), ("w" * 40, "w" * 40))
    assert not pairs_of(*sides, judges=(ones, twos))[0].shown
    assert pairs_of(*sides, judges=(ones, TWO))[0].shown


def test_one_conversation_shows_nothing_for_there_is_no_other_to_draw() -> None:
    first, _ = pairs_of(("c" * 40, "c" * 40), ("w" * 40, "w" * 40), conversations=1)
    assert (first.by_conversation, first.shown) == (None, False)


def test_a_difference_that_other_conversations_could_turn_is_not_said() -> None:
    # Thirty in favour in one conversation, five against in another: drawn again, the difference may be below 0.
    ours = "".join("w" if place % 3 == 1 and place < 15 else "c" for place in range(90))
    theirs = "".join("w" if place % 3 == 0 else "c" for place in range(90))
    first, _ = pairs_of((ours, ours), (theirs, theirs), conversations=3)
    assert (first.only_a, first.only_b) == (30, 5)
    assert first.p is not None and first.p < 0.001
    assert first.by_conversation is not None and first.by_conversation.low < 0.0
    assert not first.shown


def test_nothing_judged_validly_is_nothing_compared() -> None:
    first, _ = pairs_of(("ii", "cc"), ("cc", "cc"))
    assert (first.n, first.difference, first.p, first.p_holm, first.shown) == (0, None, None, None, False)
    assert first.sentence.startswith("No question was judged validly for both")


def test_identical_contexts_are_counted() -> None:
    questions = [asked(f"q{number}", "c") for number in range(3)]
    rows = [
        row(question, system, context_sha256="same" if place < 2 else system)
        for system in ("a", "b")
        for place, question in enumerate(questions)
    ]
    found = qa_dataset(dataset_of(questions), None, rows, [arm("a"), arm("b")], facts()).pairs
    assert [(one.identical_contexts, one.same_questions) for one in found] == [(2, 3), (2, 3)]


def test_systems_are_compared_with_all_and_controls_not_among_themselves() -> None:
    questions = [asked("q1", "c")]
    names = ["null", "ours", "bm25", "theirs"]
    rows = [row(question, system) for system in names for question in questions]
    arms = [arm(name, control=name in ("null", "bm25")) for name in names]
    found = qa_dataset(dataset_of(questions), None, rows, arms, facts()).pairs
    couples = [(one.a, one.b) for one in found if one.judge == ONE.name]
    assert couples == [
        ("ours", "theirs"),
        ("ours", "null"),
        ("ours", "bm25"),
        ("theirs", "null"),
        ("theirs", "bm25"),
    ]


@pytest.mark.parametrize(("controls", "p_holm", "shown"), [(1, 2, True), (2, 4, True), (4, 8, False)])
def test_p_is_adjusted_over_all_pairs_of_a_judge(controls: int, p_holm: int, shown: bool) -> None:
    questions = [asked(f"q{number}", f"c{number}") for number in range(60)]
    names = {"ours": 60, "null": 53} | {f"control{number}": 60 for number in range(1, controls)}
    rows = [
        row(question, system, one="c" if place < right else "w", two="c" if place < right else "w")
        for system, right in names.items()
        for place, question in enumerate(questions)
    ]
    arms = [arm(name, control=name != "ours") for name in names]
    found = qa_dataset(dataset_of(questions), None, rows, arms, facts()).pairs[0]
    assert (found.b, found.p, found.p_holm) == ("null", 2 / 2**7, p_holm / 2**7)
    assert found.shown == shown


LETTERS = st.sampled_from("cccccwwif")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(LETTERS, LETTERS, LETTERS, LETTERS), min_size=1, max_size=60))
def test_a_word_of_superiority_stands_only_where_every_judge_supports_it(
    verdicts: list[tuple[str, str, str, str]],
) -> None:
    a1, a2, b1, b2 = ("".join(letters) for letters in zip(*verdicts, strict=True))
    for pair in pairs_of((a1, a2), (b1, b2), conversations=5):
        if SUPERIOR.search(pair.sentence):
            assert pair.shown and pair.p_holm is not None and pair.p_holm < 0.05
        assert pair.n + pair.left_out == pair.same_questions == len(verdicts)


def test_no_difference_is_said_where_the_judges_are_too_far_apart_on_a_system() -> None:
    ours, theirs = "c" * 60, "c" * 20 + "w" * 40
    near, far = ours[:57] + "w" * 3, ours[:56] + "w" * 4
    assert all(pair.shown for pair in pairs_of((ours, near), (theirs, theirs)))
    for pair in pairs_of((ours, far), (theirs, theirs)):
        assert not pair.shown
        assert not SUPERIOR.search(pair.sentence)
    assert not any(pair.shown for pair in pairs_of((ours, ours), (theirs, theirs[:20] + "c" * 4 + "w" * 36)))
