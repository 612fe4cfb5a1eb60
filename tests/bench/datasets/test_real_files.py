"""The real files, where they lie beside the checkout."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from truerecall.bench.datasets.reading import read
from truerecall.bench.datasets.records import Dataset

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"


def only(path: str) -> Dataset:
    if not (DATA / path).exists():
        pytest.skip(f"{path} is not beside the checkout")
    (dataset,) = read(DATA / path)
    return dataset


def test_the_development_split_has_762_questions_of_which_760_have_gold() -> None:
    dataset = only("locomo/dev.json")
    assert (dataset.variant, dataset.split, dataset.recognised) == ("dev", "dev", True)
    assert [c.id[:5] for c in dataset.conversations] == ["conv-"] * 5
    assert dataset.planned == 999
    reasons = Counter(exclusion.reason for exclusion in dataset.exclusions)
    assert dataset.planned - reasons["adversarial"] == 762
    assert reasons == {
        "adversarial": 237,
        "orphan date": 16,
        "empty gold": 2,
        "repaired evidence": 2,
        "unreadable evidence": 1,
        "evidence points at no turn": 1,
    }
    asked = [q for c in dataset.conversations for q in c.questions]
    assert Counter(q.type for q in asked) == {
        "single-hop": 418,
        "temporal": 156,
        "multi-hop": 142,
        "open-domain": 44,
    }
    assert sum(len(c.without_gold) for c in dataset.conversations) == 2
    assert sum(len(c.sessions) for c in dataset.conversations) == 128
    assert sum(len(s.turns) for c in dataset.conversations for s in c.sessions) == 2760


def test_every_gold_turn_of_the_development_split_exists_and_no_session_is_a_phantom() -> None:
    for conversation in only("locomo/dev.json").conversations:
        home = {turn.ref: session.ref for session in conversation.sessions for turn in session.turns}
        assert all(session.turns for session in conversation.sessions)
        times = [session.at for session in conversation.sessions]
        assert times == sorted(times)
        for question in conversation.questions:
            assert question.gold_sessions == {home[ref] for ref in question.gold_turns}
            assert question.asked_at == times[-1]


def test_the_small_longmemeval_file_reads_in_all_its_date_forms() -> None:
    dataset = only("longmemeval/mini.json")
    assert (dataset.variant, dataset.note) == ("mini", "too small to quote")
    questions = [q for c in dataset.conversations for q in (*c.questions, *c.without_gold)]
    assert len(questions) == dataset.planned == 39
    assert sum(q.abstention for q in questions) == 6
    assert Counter(e.reason for e in dataset.exclusions) == {"empty gold": 5}
    assert sum(q.answer.isdecimal() for q in questions) >= 3


def test_a_full_question_reads_with_its_53_sessions() -> None:
    dataset = only("longmemeval/one_full_s_question.json")
    (conversation,) = dataset.conversations
    (question,) = conversation.questions
    assert len(conversation.sessions) == 53
    assert sum(len(session.turns) for session in conversation.sessions) == 550
    assert len(question.gold_sessions) == 1 and len(question.gold_turns) == 2
    assert question.asked_at - conversation.sessions[0].at > timedelta(days=1)
    for session in conversation.sessions:
        for turn in session.turns:
            assert "has_answer" not in turn.text and "answer_" not in turn.text
