"""Reading files of LoCoMo's shape, with every fault that the real one has."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.bench.datasets.reading import read
from truerecall.bench.datasets.records import Dataset, Turn
from truerecall.errors import DatasetError


def turn(ref: str, text: str, **more: object) -> dict[str, object]:
    return {"speaker": "Arlen", "dia_id": ref, "text": text, **more}


def question(text: str, category: int, evidence: list[str], answer: object = "tea") -> dict[str, object]:
    return {"question": text, "answer": answer, "evidence": evidence, "category": category}


def conversation(qa: list[dict[str, object]], **sessions: object) -> dict[str, object]:
    talk: dict[str, object] = {
        "speaker_a": "Arlen",
        "speaker_b": "Bexa",
        "session_10_date_time": "9:05 am on 3 July, 2023",
        "session_10": [turn("D10:1", "Tenth.")],
        "session_2_date_time": "12:30 am on 9 May, 2023",
        "session_2": [turn("D2:1", "I like tea."), turn("D2:2", "And cake.")],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [turn("D1:1", "Hello.")],
        **sessions,
    }
    return {"sample_id": "talk-01", "conversation": talk, "qa": qa, "event_summary": {}}


def read_one(folder: Path, *items: dict[str, object], split: str | None = None) -> Dataset:
    (folder / "x.json").write_text(json.dumps(items), encoding="utf-8")
    (dataset,) = read(folder, split=split)
    return dataset


def refusal(folder: Path, *items: dict[str, object]) -> DatasetError:
    with pytest.raises(DatasetError) as caught:
        read_one(folder, *items)
    return caught.value


def test_sessions_go_in_by_number_with_their_time_of_day(tmp_path: Path) -> None:
    dataset = read_one(tmp_path, conversation([]))
    assert [(session.ref, session.at) for session in dataset.conversations[0].sessions] == [
        ("D1", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("D2", datetime(2023, 5, 9, 0, 30, tzinfo=UTC)),
        ("D10", datetime(2023, 7, 3, 9, 5, tzinfo=UTC)),
    ]


def test_the_categories_are_the_papers_and_adversarial_is_left_out(tmp_path: Path) -> None:
    dataset = read_one(tmp_path, conversation([question(f"{c}?", c, ["D2:1"]) for c in (1, 2, 3, 4, 5)]))
    assert [(q.id, q.text, q.type) for q in dataset.conversations[0].questions] == [
        ("talk-01.qa[0]", "1?", "multi-hop"),
        ("talk-01.qa[1]", "2?", "temporal"),
        ("talk-01.qa[2]", "3?", "open-domain"),
        ("talk-01.qa[3]", "4?", "single-hop"),
    ]
    assert [(e.item, e.reason, e.drops_question) for e in dataset.exclusions] == [
        ("talk-01.qa[4]", "adversarial", True)
    ]
    assert dataset.planned == 5


def test_an_adversarial_question_needs_no_answer(tmp_path: Path) -> None:
    asked = {"question": "What?", "category": 5, "evidence": ["D1:1"], "adversarial_answer": "no"}
    assert read_one(tmp_path, conversation([asked])).planned == 1


def test_a_question_is_asked_at_the_end_of_the_last_session_not_at_an_orphan_date(tmp_path: Path) -> None:
    dataset = read_one(
        tmp_path,
        conversation([question("What?", 4, ["D2:1"])], session_11_date_time="9:05 am on 3 July, 2031"),
    )
    assert dataset.conversations[0].questions[0].asked_at == datetime(2023, 7, 3, 9, 5, tzinfo=UTC)
    assert [session.ref for session in dataset.conversations[0].sessions] == ["D1", "D2", "D10"]
    assert [(e.item, e.reason, e.drops_question) for e in dataset.exclusions] == [
        ("talk-01.session_11_date_time", "orphan date", False)
    ]


def test_captions_stand_at_the_end_of_the_text_and_other_keys_are_dropped(tmp_path: Path) -> None:
    shown = [
        turn("D1:1", "Look!", blip_caption="a red kite", query="kite", img_url=["x"], has_answer=True),
        turn("D1:2", "", blip_caption="a lake"),
        turn("D1:3", "No picture.", blip_caption=""),
        turn("D1:4", " As it is ", blip_caption=None),
    ]
    dataset = read_one(tmp_path, conversation([], session_1=shown))
    assert dataset.conversations[0].sessions[0].turns == (
        Turn("D1:1", "Arlen", "Look! [image: a red kite]", 0),
        Turn("D1:2", "Arlen", "[image: a lake]", 1),
        Turn("D1:3", "Arlen", "No picture.", 2),
        Turn("D1:4", "Arlen", " As it is ", 3),
    )


def test_gold_names_turns_that_exist_and_the_sessions_they_stand_in(tmp_path: Path) -> None:
    dataset = read_one(
        tmp_path, conversation([question("What?", 1, ["D2:02; D:10:1", "D", "D77:1", "D1:9"])])
    )
    (asked,) = dataset.conversations[0].questions
    assert asked.gold_turns == {"D2:2", "D10:1"}
    assert asked.gold_sessions == {"D2", "D10"}
    assert [(e.item, e.reason, e.detail, e.drops_question) for e in dataset.exclusions] == [
        ("talk-01.qa[0].evidence", "repaired evidence", "'D2:02; D:10:1' read as D2:2, D10:1", False),
        ("talk-01.qa[0].evidence", "unreadable evidence", "'D'", False),
        ("talk-01.qa[0].evidence", "evidence points at no turn", "D77:1", False),
        ("talk-01.qa[0].evidence", "evidence points at no turn", "D1:9", False),
    ]


def test_a_question_whose_gold_is_empty_is_left_out_of_retrieval_and_kept_for_accuracy(
    tmp_path: Path,
) -> None:
    dataset = read_one(tmp_path, conversation([question("A?", 3, []), question("B?", 4, ["D77:1"])]))
    assert dataset.conversations[0].questions == ()
    assert [(q.text, q.gold_turns, q.gold_sessions) for q in dataset.conversations[0].without_gold] == [
        ("A?", frozenset(), frozenset()),
        ("B?", frozenset(), frozenset()),
    ]
    assert [(e.item, e.reason, e.detail) for e in dataset.exclusions if e.drops_question] == [
        ("talk-01.qa[0]", "empty gold", "no evidence is named"),
        ("talk-01.qa[1]", "empty gold", "nothing of its evidence can be used"),
    ]


def test_integer_answers_are_written_out(tmp_path: Path) -> None:
    dataset = read_one(tmp_path, conversation([question("When?", 2, ["D1:1"], 2022)]))
    assert dataset.conversations[0].questions[0].answer == "2022"


def test_empty_turns_and_sessions_are_counted_and_leave_positions_alone(tmp_path: Path) -> None:
    dataset = read_one(
        tmp_path,
        conversation(
            [question("What?", 4, ["D1:1"])],
            session_1=[turn("D1:1", " "), turn("D1:2", "Here.")],
            session_3=[],
            session_3_date_time="1:56 pm on 8 June, 2023",
        ),
    )
    assert dataset.conversations[0].sessions[0].turns == (Turn("D1:2", "Arlen", "Here.", 1),)
    assert [(e.item, e.reason) for e in dataset.exclusions] == [
        ("talk-01.session_1[0]", "empty turn"),
        ("talk-01.session_3", "empty session"),
        ("talk-01.qa[0].evidence", "evidence points at no turn"),
        ("talk-01.qa[0]", "empty gold"),
    ]


def test_half_a_surrogate_pair_becomes_a_replacement_character(tmp_path: Path) -> None:
    dataset = read_one(tmp_path, conversation([], session_1=[turn("D1:1", "a\ud83db 😀")]))
    assert dataset.conversations[0].sessions[0].turns[0].text == "a\ufffdb 😀"


@pytest.mark.parametrize(
    ("sessions", "place", "problem"),
    [
        (
            {"session_1": [turn("D1:1", "a"), 5]},
            "talk-01.session_1[1]",
            "expected an object, found a whole number",
        ),
        ({"session_1": [{"speaker": "A", "dia_id": "D1:1"}]}, "talk-01.session_1[0]", "'text' is missing"),
        (
            {"session_1": [turn("D1:1", 7)]},
            "talk-01.session_1[0].text",
            "expected text, found a whole number",
        ),
        ({"session_1": [{"dia_id": "D1:1", "text": "a"}]}, "talk-01.session_1[0]", "'speaker' is missing"),
        (
            {"session_1": [turn("first", "a")]},
            "talk-01.session_1[0].dia_id",
            "'first' is not the name of a turn",
        ),
        ({"session_1": [turn("D2:1", "a")]}, "talk-01.session_2[0].dia_id", "'D2:1' names a second turn"),
        (
            {"session_1": [turn("D1:1", "a"), turn("D1:01", "b")]},
            "talk-01.session_1[1].dia_id",
            "'D1:01' names a second turn",
        ),
        (
            {"session_1": [turn("D1:1", "a", blip_caption=["b"])]},
            "talk-01.session_1[0].blip_caption",
            "expected text, found a list",
        ),
        ({"session_1": "Hello"}, "talk-01.session_1", "expected a list, found text"),
        ({"session_1_date_time": None}, "talk-01.session_1_date_time", "expected text, found null"),
        ({"session_1_date_time": "May"}, "talk-01.session_1_date_time", "'May' is not a time"),
        ({"session_3": [turn("D3:1", "a")]}, "talk-01", "'session_3_date_time' is missing"),
        ({"session_02": [turn("D3:1", "a")]}, "talk-01", "'session_2' and 'session_02' are the same session"),
    ],
)
def test_a_session_of_another_shape_is_refused_with_its_place(
    tmp_path: Path, sessions: dict[str, object], place: str, problem: str
) -> None:
    error = refusal(tmp_path, conversation([], **sessions))
    assert error.where == f"x.json: {place}"
    assert problem in error.problem


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [
        ({"category": 6}, "talk-01.qa[0].category", "6 is not a category"),
        ({"category": "1"}, "talk-01.qa[0].category", "expected a whole number, found text"),
        ({"category": True}, "talk-01.qa[0].category", "expected a whole number, found true or false"),
        ({"evidence": "D1:1"}, "talk-01.qa[0].evidence", "expected a list, found text"),
        ({"evidence": [1]}, "talk-01.qa[0].evidence[0]", "expected text, found a whole number"),
        ({"answer": None}, "talk-01.qa[0].answer", "expected text, found null"),
        ({"answer": True}, "talk-01.qa[0].answer", "expected text, found true or false"),
        ({"question": 5}, "talk-01.qa[0].question", "expected text, found a whole number"),
    ],
)
def test_a_question_of_another_shape_is_refused_with_its_place(
    tmp_path: Path, change: dict[str, object], place: str, problem: str
) -> None:
    error = refusal(tmp_path, conversation([question("What?", 4, ["D1:1"]) | change]))
    assert error.where == f"x.json: {place}"
    assert problem in error.problem


def test_missing_parts_of_a_conversation_are_named(tmp_path: Path) -> None:
    whole = conversation([])
    assert refusal(tmp_path, {k: v for k, v in whole.items() if k != "qa"}).where == "x.json: talk-01"
    assert refusal(tmp_path, {k: v for k, v in whole.items() if k != "sample_id"}).where == "x.json: [0]"
    assert refusal(tmp_path, whole | {"conversation": {}}).problem == "the conversation has no session"
    assert refusal(tmp_path, whole, whole).problem == "'talk-01' names two conversations"


def test_the_held_out_conversations_open_only_on_request(tmp_path: Path) -> None:
    items = [conversation([]) | {"sample_id": name} for name in ("conv-26", "conv-7", "conv-43", "conv-8")]

    def names(split: str | None) -> tuple[str, list[str]]:
        dataset = read_one(tmp_path, *items, split=split)
        return dataset.split, [c.id for c in dataset.conversations]

    assert names(None) == ("dev", ["conv-26", "conv-43"])
    assert names("dev") == ("dev", ["conv-26", "conv-43"])
    assert names("held-out") == ("held-out", ["conv-7", "conv-8"])
    assert names("all") == ("all", ["conv-26", "conv-7", "conv-43", "conv-8"])


def test_a_copy_with_held_out_conversations_only_stays_closed(tmp_path: Path) -> None:
    error = refusal(tmp_path, conversation([]) | {"sample_id": "conv-7"})
    assert error.problem == "no conversation of the split 'dev' is in the folder"


def test_a_file_without_official_ids_has_no_splits(tmp_path: Path) -> None:
    dataset = read_one(tmp_path, conversation([]), split="held-out")
    assert (dataset.split, len(dataset.conversations)) == ("all", 1)


def test_an_unknown_file_is_unrecognised_and_read_all_the_same(tmp_path: Path) -> None:
    dataset = read_one(tmp_path, conversation([]))
    assert (dataset.name, dataset.variant, dataset.file) == ("locomo", "unrecognised", "x.json")
    assert (dataset.recognised, dataset.note) == (False, "")
