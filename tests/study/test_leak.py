"""The classifier that tries to tell the side finds what is there, and nothing where there is nothing."""

from random import Random

import numpy as np
import pytest

from truerecall.errors import InvalidInput
from truerecall.study.leak import leak

FACTS = {
    "retry": ["The limit is 5.", "A 403 is not retried.", "The wait doubles.", "The counter is reset."],
    "cache": [
        "It holds 64 MB.",
        "The oldest entry goes first.",
        "Large files are left out.",
        "It is purged.",
    ],
    "flags": ["Overrides come first.", "Offline makes no call.", "Unknown flags are false.", "Rules reload."],
    "logs": ["They turn at 20 MB.", "Fourteen are kept.", "They are compressed.", "No line is lost."],
}


def answers(extra: str, seed: int, each: int = 8) -> tuple[list[str], list[bool], list[str]]:
    """Shuffled facts of four questions; half of the answers to each carry ``extra``."""
    chance = Random(seed)
    texts, labels, questions = [], [], []
    for question, facts in FACTS.items():
        for number in range(each):
            marked = number % 2 == 0
            said = chance.sample(facts, 3)
            texts.append(" ".join([*said, extra] if marked and extra else said))
            labels.append(marked)
            questions.append(question)
    return texts, labels, questions


def test_a_phrase_that_only_one_side_says_is_found_on_questions_it_was_not_learnt_from() -> None:
    found = leak(*answers("As we said before.", 1), seed=3, rounds=200)

    assert found is not None
    assert (found.auc, found.p, found.n, found.questions) == (1.0, 1 / 201, 32, 4)


def test_a_sign_alone_is_found() -> None:
    found = leak(*answers("[]", 1), seed=3, rounds=200)

    assert found is not None and found.auc > 0.95 and found.p < 0.01


def test_the_p_is_spread_evenly_where_nothing_tells() -> None:
    found = [leak(*answers("", seed), seed=seed, rounds=60) for seed in range(60)]
    p = [each.p for each in found if each is not None]

    assert len(p) == 60
    assert 0.4 <= np.mean(p) <= 0.65
    assert np.mean(np.array(p) <= 0.05) <= 0.12


def test_texts_that_are_the_same_on_both_sides_are_exactly_chance() -> None:
    texts, labels, questions = answers("", 4)
    twins = [text for text in texts for _ in (0, 1)]
    names = [question for question in questions for _ in (0, 1)]

    found = leak(twins, [True, False] * len(texts), names, seed=0, rounds=50)

    assert found is not None and found.auc == 0.5 and found.p > 0.3
    assert len(labels) == len(texts)


def test_a_phrase_that_goes_with_the_question_and_not_with_the_side_is_no_leak() -> None:
    texts, labels, questions = answers("", 2)
    told = [f"{text} {question} {question}" for text, question in zip(texts, questions, strict=True)]

    found = leak(told, labels, questions, seed=1, rounds=200)

    assert found is not None and found.p > 0.05


def test_the_same_seed_gives_the_same_answer() -> None:
    assert leak(*answers("Noted.", 2), seed=9, rounds=40) == leak(*answers("Noted.", 2), seed=9, rounds=40)


def test_nothing_is_said_where_nothing_can_be_guessed() -> None:
    assert leak([], [], [], seed=0) is None
    assert leak(["a", "b"], [True, False], ["q", "q"], seed=0) is None
    assert leak(["a", "b", "c", "d"], [True] * 4, ["q", "q", "r", "r"], seed=0) is None
    # Both classes, but never on one question.
    assert leak(["a", "b", "c", "d"], [True, True, False, False], ["q", "q", "r", "r"], seed=0) is None


def test_a_question_with_one_class_is_learnt_from_and_not_counted() -> None:
    texts, labels, questions = answers("As we said before.", 1)
    found = leak([*texts, "All is well."], [*labels, False], [*questions, "alone"], seed=3, rounds=20)

    assert found is not None and (found.n, found.questions) == (33, 4)


def test_empty_texts_are_texts() -> None:
    found = leak(["", "", "", ""], [True, False, True, False], ["q", "q", "r", "r"], seed=0, rounds=20)

    assert found is not None and (found.auc, found.p) == (0.5, 1.0)


def test_lists_of_unequal_length_are_refused() -> None:
    with pytest.raises(InvalidInput):
        leak(["a"], [True, False], ["q"], seed=0)
    with pytest.raises(InvalidInput):
        leak(["a", "b"], [True, False], ["q", "q"], seed=0, rounds=0)
