"""Made data: the same for the same seed, with gold that is right, hard enough to measure something."""

import json
import re
import sqlite3
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from truerecall.bench.datasets.generator import (
    generate_locomo,
    longmemeval_items,
    write_items,
)
from truerecall.bench.datasets.reading import read
from truerecall.bench.datasets.records import Dataset, Question

STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by did do for from had has have how i in is it me my of on or that the to was "
        "were what when where which who with would you",
    )
)


def read_back(folder: Path, items: Iterable[dict[str, object]]) -> Dataset:
    write_items(folder / "made.json", items)
    (dataset,) = read(folder)
    return dataset


def hits_of_bm25(dataset: Dataset, k: int = 10) -> float:
    """The share of questions with a gold turn among the first ``k`` of plain BM25."""
    hits = asked = 0
    for conversation in dataset.conversations:
        db = sqlite3.connect(":memory:")
        db.execute("create virtual table turns using fts5(ref unindexed, text, tokenize='porter unicode61')")
        turns = [turn for session in conversation.sessions for turn in session.turns]
        rows = [(turn.ref, f"{turn.speaker}: {turn.text}") for turn in turns]
        db.executemany("insert into turns values (?, ?)", rows)
        for question in conversation.questions:
            words = [word for word in re.findall(r"\w+", question.text.lower()) if word not in STOP]
            found = db.execute(
                "select ref from turns where turns match ? order by bm25(turns), rowid limit ?",
                (" OR ".join(f'"{word}"' for word in words), k),
            )
            hits += any(ref in question.gold_turns for (ref,) in found)
            asked += 1
        db.close()
    return hits / asked


def test_the_same_seed_gives_the_same_data_and_another_seed_another() -> None:
    assert generate_locomo(7, 2, 5, 10, 30) == generate_locomo(7, 2, 5, 10, 30)
    assert generate_locomo(7, 2, 5, 10, 30) != generate_locomo(8, 2, 5, 10, 30)
    assert list(longmemeval_items(7, 5, 6)) == list(longmemeval_items(7, 5, 6))
    assert list(longmemeval_items(7, 5, 6)) != list(longmemeval_items(8, 5, 6))


def test_locomo_shaped_data_has_the_asked_size_and_every_category(tmp_path: Path) -> None:
    items = generate_locomo(1, 3, 8, 14, 60)
    dataset = read_back(tmp_path, items)
    assert [len(c.sessions) for c in dataset.conversations] == [8, 8, 8]
    assert {len(s.turns) for c in dataset.conversations for s in c.sessions} == {14}
    assert dataset.planned == 180
    assert {e.reason for e in dataset.exclusions} == {"adversarial"}
    types = Counter(q.type for c in dataset.conversations for q in c.questions)
    assert set(types) == {"multi-hop", "temporal", "open-domain", "single-hop"}
    assert all(times >= 3 for times in types.values())


def test_the_gold_turns_of_a_question_hold_its_answer(tmp_path: Path) -> None:
    dataset = read_back(tmp_path, generate_locomo(1, 2, 10, 16, 80))
    for conversation in dataset.conversations:
        texts = {turn.ref: turn.text for session in conversation.sessions for turn in session.turns}
        for question in conversation.questions:
            if question.type == "multi-hop":
                assert 2 <= len(question.gold_turns) <= 3
                things = question.answer.split(", ")
                assert len(things) == len(question.gold_turns)
                for ref in question.gold_turns:
                    assert sum(thing.lower() in texts[ref].lower() for thing in things) == 1
            else:
                assert len(question.gold_turns) == 1


def test_the_company_asked_for_is_named_in_the_evidence_alone(tmp_path: Path) -> None:
    dataset = read_back(tmp_path, generate_locomo(1, 1, 10, 16, 80))
    (conversation,) = dataset.conversations
    texts = {turn.ref: turn.text for session in conversation.sessions for turn in session.turns}
    asked = [q for q in conversation.questions if re.match("Who|In whose", q.text)]
    assert len(asked) > 10
    for question in asked:
        (ref,) = question.gold_turns
        assert question.answer.split(" ", 1)[1] in texts[ref]


def test_questions_are_neither_trivial_nor_hopeless_for_plain_word_search(tmp_path: Path) -> None:
    assert 0.5 <= hits_of_bm25(read_back(tmp_path, generate_locomo(11, 3, 20, 20, 120))) <= 0.9
    assert 0.5 <= hits_of_bm25(read_back(tmp_path, longmemeval_items(11, 40, 24))) <= 0.9


def test_longmemeval_shaped_data_has_every_type_and_abstentions(tmp_path: Path) -> None:
    dataset = read_back(tmp_path, longmemeval_items(1, 100, 8, turns=4, words=10))
    questions = [q for c in dataset.conversations for q in c.questions]
    assert Counter(q.type for q in questions) == {
        "multi-session": 27,
        "temporal-reasoning": 27,
        "knowledge-update": 15,
        "single-session-user": 14,
        "single-session-assistant": 11,
        "single-session-preference": 6,
    }
    assert sum(q.abstention for q in questions) == 6
    assert all(len(c.sessions) == 8 for c in dataset.conversations)
    assert dataset.exclusions == ()


def test_evidence_lies_before_the_question_and_its_turns_are_marked(tmp_path: Path) -> None:
    dataset = read_back(tmp_path, longmemeval_items(2, 30, 8, turns=4, words=10))
    for conversation in dataset.conversations:
        (question,) = conversation.questions
        assert max(session.at for session in conversation.sessions) < question.asked_at
        assert {ref.split("#")[0] for ref in question.gold_turns} == question.gold_sessions


def test_a_temporal_answer_is_the_distance_between_the_sessions_of_the_evidence(tmp_path: Path) -> None:
    dataset = read_back(tmp_path, longmemeval_items(4, 30, 8, turns=4, words=10))
    checked = 0
    for conversation in dataset.conversations:
        (question,) = conversation.questions
        if question.type == "temporal-reasoning" and not question.abstention:
            first, last = (s.at.date() for s in conversation.sessions if s.ref in question.gold_sessions)
            assert question.answer == f"{(last - first).days} days"
            checked += 1
    assert checked >= 5


def test_haystacks_share_sessions_unless_told_otherwise(tmp_path: Path) -> None:
    def distinct(shared: bool) -> int:
        dataset = read_back(tmp_path, longmemeval_items(1, 20, 10, shared=shared, turns=4, words=10))
        return len({s.ref for c in dataset.conversations for s in c.sessions if s.ref.startswith("chat")})

    total = sum(
        session_id.startswith("chat")
        for item in longmemeval_items(1, 20, 10, turns=4, words=10)
        for session_id in item["haystack_session_ids"]  # type: ignore[attr-defined]
    )
    assert distinct(shared=False) == total
    assert distinct(shared=True) <= 40 < total


def test_lengths_that_are_left_open_are_those_of_the_real_file(tmp_path: Path) -> None:
    dataset = read_back(tmp_path, longmemeval_items(1, 3, 48, turns=None, words=None))
    for conversation in dataset.conversations:
        turns = [turn for session in conversation.sessions for turn in session.turns]
        lengths = {
            role: statistics.median(len(turn.text.split()) for turn in turns if turn.speaker == role)
            for role in ("user", "assistant")
        }
        words = Counter(word for turn in turns for word in re.findall(r"\w+", turn.text.lower()))
        assert len(conversation.sessions) == 48
        assert {len(session.turns) % 2 for session in conversation.sessions} == {0}
        assert 480 <= len(turns) <= 580
        assert 25 <= lengths["user"] <= 40
        assert 240 <= lengths["assistant"] <= 300
        # The one real question at hand: 7,549 words, 2,803 of them once.
        assert len(words) > 4_500
        assert sum(count == 1 for count in words.values()) > 2_500
        assert 75_000 <= sum(words.values()) <= 100_000


def test_a_session_of_real_length_is_the_same_in_every_haystack(tmp_path: Path) -> None:
    dataset = read_back(tmp_path, longmemeval_items(5, 12, 20, turns=None, words=None))
    sessions = [session for conversation in dataset.conversations for session in conversation.sessions]
    assert len({session.ref for session in sessions}) < len(sessions)
    assert len({(session.ref, session.turns) for session in sessions}) == len({s.ref for s in sessions})


def test_real_lengths_leave_questions_neither_trivial_nor_hopeless(tmp_path: Path) -> None:
    items = longmemeval_items(3, 30, 24, turns=None, words=None)
    assert 0.4 <= hits_of_bm25(read_back(tmp_path, items)) <= 0.95


def test_a_file_is_written_item_by_item_and_is_the_list(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    assert write_items(path, longmemeval_items(1, 6, 6, turns=4, words=10)) == 6
    made = json.loads(path.read_text(encoding="utf-8"))
    assert made == list(longmemeval_items(1, 6, 6, turns=4, words=10))
    assert path.read_bytes().count(b"\n") == 8
    assert write_items(path, []) == 0
    assert json.loads(path.read_text(encoding="utf-8")) == []


def questions_of(dataset: Dataset) -> dict[str, Question]:
    return {q.id: q for c in dataset.conversations for q in (*c.questions, *c.without_gold)}


def test_malformed_locomo_has_every_fault_and_the_same_gold(tmp_path: Path) -> None:
    items = generate_locomo(9, 1, 12, 14, 90, malformed=True)
    talk = items[0]["conversation"]
    assert isinstance(talk, dict)
    keys = [key for key in talk if re.fullmatch(r"session_\d+", key)]
    assert keys[:4] == ["session_1", "session_10", "session_11", "session_12"]
    whole = questions_of(read_back(tmp_path, generate_locomo(9, 1, 12, 14, 90)))
    dataset = read_back(tmp_path, items)
    spoilt = questions_of(dataset)
    assert [s.ref for s in dataset.conversations[0].sessions] == [f"D{n}" for n in range(1, 13)]
    assert Counter(e.reason for e in dataset.exclusions if e.reason != "adversarial") == {
        "repaired evidence": 4,
        "unreadable evidence": 2,
        "evidence points at no turn": 2,
        "orphan date": 2,
        "empty gold": 2,
    }
    emptied = {e.item for e in dataset.exclusions if e.reason == "empty gold"}
    assert {q.id for q in dataset.conversations[0].without_gold} == emptied
    for name, question in spoilt.items():
        if name not in emptied:
            assert question.gold_turns == whole[name].gold_turns
            assert question.gold_sessions == whole[name].gold_sessions
    qa = items[0]["qa"]
    assert isinstance(qa, list)
    assert [type(q["answer"]) for q in qa if q["category"] == 2].count(int) == 1
    shapes = {re.sub(r"\d+", "9", " | ".join(q["evidence"])) for q in qa}
    assert {"D:9:9", "D", "D | D9:9", ""} <= shapes
    assert any(shape.startswith("D9:9; D9:9") for shape in shapes)
    assert any(shape.startswith("D9:9 D9:9") for shape in shapes)


def test_malformed_longmemeval_has_every_fault_and_the_same_gold(tmp_path: Path) -> None:
    items = list(longmemeval_items(9, 24, 6, turns=4, words=10, malformed=True))
    whole = questions_of(read_back(tmp_path, longmemeval_items(9, 24, 6, turns=4, words=10)))
    dataset = read_back(tmp_path, items)
    spoilt = questions_of(dataset)
    assert Counter(e.reason for e in dataset.exclusions) == {"duplicate session id": 6, "empty gold": 1}
    for name, question in spoilt.items():
        if not question.abstention:
            plain = {ref.split("~")[0] for ref in question.gold_sessions}
            assert plain == whole[name].gold_sessions
            assert question.answer == whole[name].answer
    assert any(isinstance(item["answer"], int) for item in items)
    assert "gold_hint" in json.dumps(items)
    assert "gold_hint" not in repr(dataset)
    assert "has_answer" not in repr(dataset)
    dates = [re.sub(r"[0-9]", "9", str(item["question_date"])) for item in items]
    assert dates.count("9999-99-99T99:99:99+99:99") == 6
    for conversation in dataset.conversations:
        times = [session.at for session in conversation.sessions]
        assert times == sorted(times)


@pytest.mark.parametrize("malformed", [False, True])
def test_no_gold_shows_in_what_a_system_may_see(tmp_path: Path, malformed: bool) -> None:
    dataset = read_back(tmp_path, longmemeval_items(3, 16, 6, turns=4, words=10, malformed=malformed))
    for conversation in dataset.conversations:
        for question in (*conversation.questions, *conversation.without_gold):
            assert "answer_" not in question.text
        for session in conversation.sessions:
            for turn in session.turns:
                assert turn.speaker in ("user", "assistant")
                assert "answer_" not in turn.text and "has_answer" not in turn.text


def test_an_interrupted_write_leaves_nothing_that_looks_like_a_data_set(tmp_path: Path) -> None:
    def broken() -> Iterator[object]:
        yield {}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_items(tmp_path / "made.json", broken())
    assert [path.name for path in tmp_path.iterdir()] == ["made.json.part"]
