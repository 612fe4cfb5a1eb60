"""Reading files of LongMemEval's shape, with every fault that the real ones have."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.bench.datasets.reading import read
from truerecall.bench.datasets.records import Dataset, Turn
from truerecall.errors import DatasetError

CHAT = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
GOLD = [
    {"role": "user", "content": "I moved to Pine Ridge.", "has_answer": True},
    {"role": "assistant", "content": "Noted.", "has_answer": False, "secret": "answer"},
]


def question(**change: object) -> dict[str, object]:
    return {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Where do I live?",
        "answer": "Pine Ridge",
        "question_date": "2023/06/01 (Thu) 10:15",
        "haystack_dates": ["2023/05/30 (Tue) 23:40", "2023/05/02 (Tue) 08:00"],
        "haystack_session_ids": ["answer_1", "chat_1"],
        "haystack_sessions": [GOLD, CHAT],
        "answer_session_ids": ["answer_1"],
    } | change


def read_one(folder: Path, *items: dict[str, object]) -> Dataset:
    (folder / "x.json").write_text(json.dumps(items), encoding="utf-8")
    (dataset,) = read(folder)
    return dataset


def refusal(folder: Path, **change: object) -> DatasetError:
    with pytest.raises(DatasetError) as caught:
        read_one(folder, question(**change))
    return caught.value


def test_a_question_keeps_its_date_with_the_time_of_day(tmp_path: Path) -> None:
    (conversation,) = read_one(tmp_path, question()).conversations
    (asked,) = conversation.questions
    assert conversation.id == asked.id == "q1"
    assert asked.asked_at == datetime(2023, 6, 1, 10, 15, tzinfo=UTC)
    assert (asked.text, asked.answer, asked.type) == ("Where do I live?", "Pine Ridge", "single-session-user")
    assert asked.gold_sessions == {"answer_1"}
    assert asked.gold_turns == {"answer_1#0"}
    assert not asked.abstention


def test_sessions_go_in_by_time(tmp_path: Path) -> None:
    (conversation,) = read_one(tmp_path, question()).conversations
    assert [(session.ref, session.at) for session in conversation.sessions] == [
        ("chat_1", datetime(2023, 5, 2, 8, 0, tzinfo=UTC)),
        ("answer_1", datetime(2023, 5, 30, 23, 40, tzinfo=UTC)),
    ]


def test_sessions_of_one_time_keep_the_order_of_the_file(tmp_path: Path) -> None:
    ids = ["c", "a", "b"]
    made = question(
        haystack_dates=["2023/05/02"] * 3,
        haystack_session_ids=ids,
        haystack_sessions=[CHAT] * 3,
        answer_session_ids=["a"],
    )
    (conversation,) = read_one(tmp_path, made).conversations
    assert [session.ref for session in conversation.sessions] == ids


def test_nothing_of_a_turn_is_kept_but_role_and_content(tmp_path: Path) -> None:
    (conversation,) = read_one(tmp_path, question()).conversations
    assert conversation.sessions[1].turns == (
        Turn("answer_1#0", "user", "I moved to Pine Ridge.", 0),
        Turn("answer_1#1", "assistant", "Noted.", 1),
    )


def test_the_gold_shows_in_nothing_that_a_system_may_see(tmp_path: Path) -> None:
    (conversation,) = read_one(tmp_path, question()).conversations
    seen = [(turn.speaker, turn.text, turn.position) for s in conversation.sessions for turn in s.turns]
    seen_text = repr(seen) + conversation.questions[0].text
    assert "has_answer" not in seen_text
    assert "answer_" not in seen_text
    assert "secret" not in seen_text


def test_marks_outside_the_gold_sessions_count_for_nothing(tmp_path: Path) -> None:
    marked = [{"role": "user", "content": "Hello", "has_answer": True}]
    (conversation,) = read_one(tmp_path, question(haystack_sessions=[CHAT, marked])).conversations
    assert conversation.questions[0].gold_turns == frozenset()
    assert conversation.questions[0].gold_sessions == {"answer_1"}


def test_a_session_id_that_occurs_again_gets_a_ref_of_its_own(tmp_path: Path) -> None:
    ids = ["a", "chat_1", "a", "a~2", "a"]
    dates = [f"2023/05/0{n} (Tue) 08:00" for n in range(1, 6)]
    made = question(
        haystack_dates=dates,
        haystack_session_ids=ids,
        haystack_sessions=[GOLD, CHAT, GOLD, CHAT, GOLD],
        answer_session_ids=["a"],
    )
    dataset = read_one(tmp_path, made)
    (conversation,) = dataset.conversations
    assert [session.ref for session in conversation.sessions] == ["a", "chat_1", "a~3", "a~2", "a~4"]
    assert conversation.questions[0].gold_sessions == {"a", "a~3", "a~4"}
    assert conversation.questions[0].gold_turns == {"a#0", "a~3#0", "a~4#0"}
    refs = [turn.ref for session in conversation.sessions for turn in session.turns]
    assert len(set(refs)) == len(refs) == 10
    assert [(e.item, e.reason, e.detail, e.drops_question) for e in dataset.exclusions] == [
        ("q1.haystack_session_ids[2]", "duplicate session id", "'a' occurs again; kept as 'a~3'", False),
        ("q1.haystack_session_ids[4]", "duplicate session id", "'a' occurs again; kept as 'a~4'", False),
    ]


def test_the_second_occurrence_of_a_session_id_is_named_two(tmp_path: Path) -> None:
    (conversation,) = read_one(tmp_path, question(haystack_session_ids=["answer_1"] * 2)).conversations
    assert {session.ref for session in conversation.sessions} == {"answer_1", "answer_1~2"}
    assert conversation.questions[0].gold_sessions == {"answer_1", "answer_1~2"}


def test_equal_sessions_of_several_questions_are_one_object(tmp_path: Path) -> None:
    other = question(question_id="q2", haystack_dates=["2023/05/30 (Tue) 23:40", "2023/05/09"])
    different = question(question_id="q3", haystack_sessions=[CHAT, CHAT])
    first, second, third = read_one(tmp_path, question(), other, different).conversations
    assert first.sessions[1] is second.sessions[1]
    assert first.sessions[0] is not second.sessions[0]
    assert first.sessions[0].turns is second.sessions[0].turns
    assert [turn.text for turn in third.sessions[1].turns] == ["Hello", "Hi"]


def test_an_id_that_ends_in_abs_asks_for_an_abstention(tmp_path: Path) -> None:
    (conversation,) = read_one(tmp_path, question(question_id="q1_abs")).conversations
    assert conversation.questions[0].abstention


def test_a_question_without_gold_is_left_out_of_retrieval_and_kept_for_accuracy(tmp_path: Path) -> None:
    dataset = read_one(tmp_path, question(question_id="q1_abs", answer_session_ids=[]))
    (conversation,) = dataset.conversations
    assert conversation.questions == ()
    assert [(q.id, q.abstention) for q in conversation.without_gold] == [("q1_abs", True)]
    assert [(e.item, e.reason, e.drops_question) for e in dataset.exclusions] == [
        ("q1_abs", "empty gold", True)
    ]
    assert dataset.planned == 1


def test_a_gold_session_that_is_not_there_is_counted(tmp_path: Path) -> None:
    dataset = read_one(tmp_path, question(answer_session_ids=["answer_1", "answer_9"]))
    assert dataset.conversations[0].questions[0].gold_sessions == {"answer_1"}
    assert [(e.item, e.reason, e.detail, e.drops_question) for e in dataset.exclusions] == [
        ("q1.answer_session_ids[1]", "gold session not in the haystack", "'answer_9'", False)
    ]


def test_integer_answers_are_written_out(tmp_path: Path) -> None:
    (conversation,) = read_one(tmp_path, question(answer=3)).conversations
    assert conversation.questions[0].answer == "3"


def test_empty_turns_keep_the_numbers_of_the_others(tmp_path: Path) -> None:
    made = question(haystack_sessions=[[{"role": "user", "content": " ", "has_answer": True}, *GOLD], []])
    dataset = read_one(tmp_path, made)
    (conversation,) = dataset.conversations
    (session,) = conversation.sessions
    assert [(turn.ref, turn.position) for turn in session.turns] == [("answer_1#1", 1), ("answer_1#2", 2)]
    assert conversation.questions[0].gold_turns == {"answer_1#1"}
    assert [(e.item, e.reason) for e in dataset.exclusions] == [
        ("q1.haystack_sessions[0]", "empty turn"),
        ("q1.haystack_sessions[1]", "empty session"),
    ]


def test_a_file_of_gold_sessions_only_is_the_oracle_and_says_so(tmp_path: Path) -> None:
    alone = question(
        haystack_dates=["2023/05/30"], haystack_session_ids=["answer_1"], haystack_sessions=[GOLD]
    )
    dataset = read_one(tmp_path, alone)
    assert (dataset.variant, dataset.note) == ("oracle", "evidence only: never reported as _s")
    mixed = read_one(tmp_path, alone, question(question_id="q2"))
    assert (mixed.variant, mixed.note, mixed.recognised) == ("unrecognised", "", False)


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [
        ({"question_type": "riddle"}, "q1.question_type", "'riddle' is not a question type of LongMemEval"),
        ({"haystack_dates": ["2023/05/30"]}, "q1", "2 session ids, 1 dates and 2 sessions"),
        ({"haystack_session_ids": ["a", "b", "c"]}, "q1", "3 session ids, 2 dates and 2 sessions"),
        ({"haystack_dates": ["2023/05/30", "soon"]}, "q1.haystack_dates[1]", "'soon' is not a time"),
        ({"question_date": 5}, "q1.question_date", "expected text, found a whole number"),
        ({"answer": None}, "q1.answer", "expected text, found null"),
        ({"answer": [1]}, "q1.answer", "expected text, found a list"),
        ({"answer_session_ids": "a"}, "q1.answer_session_ids", "expected a list, found text"),
        ({"haystack_sessions": [GOLD, "chat"]}, "q1.haystack_sessions[1]", "expected a list, found text"),
        (
            {"haystack_sessions": [GOLD, [[]]]},
            "q1.haystack_sessions[1][0]",
            "expected an object, found a list",
        ),
        (
            {"haystack_sessions": [GOLD, [{"role": "user"}]]},
            "q1.haystack_sessions[1][0]",
            "'content' is missing",
        ),
        (
            {"haystack_sessions": [[GOLD[0] | {"has_answer": "yes"}], CHAT]},
            "q1.haystack_sessions[0][0].has_answer",
            "expected true or false, found text",
        ),
        ({"question_id": 1}, "[0].question_id", "expected text, found a whole number"),
    ],
)
def test_another_shape_is_refused_with_its_place(
    tmp_path: Path, change: dict[str, object], place: str, problem: str
) -> None:
    error = refusal(tmp_path, **change)
    assert error.where == f"x.json: {place}"
    assert problem in error.problem


def test_a_question_id_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="'q1' names two questions"):
        read_one(tmp_path, question(), question())


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    made = question()
    del made["question_date"]
    with pytest.raises(DatasetError, match=r"the field 'question_date' is missing \(x\.json: q1\)"):
        read_one(tmp_path, made)
