"""From a data set's file to the requests: who answers learns question, date and memories, a judge the gold as well."""

import json
from pathlib import Path
from typing import Any

import pytest
from answered import CORRECT, WRONG, Scripted, rule, run, whole

from truerecall.bench.datasets.reading import read
from truerecall.bench.datasets.records import Dataset
from truerecall.bench.qa.options import Models
from truerecall.bench.qa.prompting import dated
from truerecall.bench.qa.rubrics import load_rubrics
from truerecall.bench.systems.full_dump import FullDump
from truerecall.bench.systems.null import Null
from truerecall.bench.systems.oracle import Oracle
from truerecall.bench.systems.truerecall import Truerecall

UNKNOWN = "I do not know; it was never said."
MARKS = ("answer_", "has_answer", "secret", "D1:", "q-int", "q-when", "conv-9", "_abs")
"""Of the file, and of nothing that was said."""
TYPES = ("single-session-user", "temporal-reasoning", "multi-session")


def _question(id: str, kind: str, text: str, answer: object) -> dict[str, object]:
    said = [
        {
            "role": "user",
            "content": f"About {text.split()[-1]} I said much.",
            "has_answer": True,
            "secret": "x",
        },
        {"role": "assistant", "content": "Noted.", "has_answer": False},
    ]
    return {
        "question_id": id,
        "question_type": kind,
        "question": text,
        "answer": answer,
        "question_date": "2023/06/01 (Thu) 10:15",
        "haystack_dates": ["2023/05/30 (Tue) 23:40", "2023/05/02 (Tue) 08:00"],
        "haystack_session_ids": [f"answer_{id}", f"chat_{id}"],
        "haystack_sessions": [said, [{"role": "user", "content": "Hello"}]],
        "answer_session_ids": [f"answer_{id}"],
    }


LONGMEMEVAL = [
    _question("q-int", "multi-session", "How many did I pay for the boat", 4711),
    _question("q-when", "temporal-reasoning", "When did I buy the lamp", "Marigold Tuesday"),
    _question(
        "q-cat_abs", "single-session-user", "What is the name of the cat", "You never told of a cat Zebulon."
    ),
]
LOCOMO = [
    {
        "sample_id": "conv-9",
        "qa": [
            {"question": "How many did Kim pay for the boat", "answer": 4711, "evidence": ["D1:1"], "category": 1},
            {"question": "When was the lamp paid", "answer": "Marigold Tuesday", "evidence": ["D1:2"], "category": 2},
            {"question": "What did Kim not do", "adversarial_answer": "Sing", "evidence": ["D1:1"], "category": 5},
        ],
        "conversation": {
            "speaker_a": "Kim",
            "speaker_b": "Lee",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Kim", "dia_id": "D1:1", "text": "The boat is paid."},
                {"speaker": "Lee", "dia_id": "D1:2", "text": "So is the lamp."},
            ],
        },
    }
]  # fmt: skip
GOLDS = ("4711", "Marigold", "Zebulon")


class Told:
    """A run over a file, and what each model was told."""

    def __init__(self, out: Path, content: object) -> None:
        (out / "data").mkdir()
        (out / "data" / "made.json").write_text(json.dumps(content), encoding="utf-8")
        self.answer = Scripted([], rules=[rule("", UNKNOWN)], name="scripted:answerer")
        self.judges = tuple(
            Scripted([], rules=[rule("", verdict)], name=f"scripted:{name}")
            for name, verdict in (("mild", CORRECT), ("hard", WRONG))
        )
        (self.dataset,) = read(out / "data", split="all")
        systems = [Truerecall(None), FullDump(), Oracle(), Null()]
        self.manifest = run(out, Models(self.answer, self.judges), systems, [self.dataset])

    def requests(self, *models: Scripted) -> list[str]:
        """Whole requests as text."""
        return ["\n".join(m.content for m in asked) for model in models for asked in model.asked]


@pytest.fixture(params=[LONGMEMEVAL, LOCOMO], ids=["longmemeval", "locomo"])
def told(request: Any, tmp_path: Path) -> Told:
    return Told(tmp_path, request.param)


def _questions(dataset: Dataset) -> list[Any]:
    return [q for c in dataset.conversations for q in (*c.questions, *c.without_gold)]


def test_who_answers_is_told_no_gold_no_type_and_no_id(told: Told) -> None:
    asked = told.requests(told.answer)
    assert asked
    for text in asked:
        assert [mark for mark in (*MARKS, *GOLDS, *TYPES) if mark in text] == []


def test_a_judge_is_told_the_gold_of_its_question_and_no_other_and_no_type_and_no_id(told: Told) -> None:
    asked = told.requests(*told.judges)
    assert asked
    for text in asked:
        assert [mark for mark in (*MARKS, *TYPES) if mark in text] == []
        (question,) = [q for q in _questions(told.dataset) if f"<question>\n{q.text}\n</question>" in text]
        assert f"<gold>\n{question.answer}\n</gold>" in text
        assert sum(gold in text for gold in GOLDS) == 1


def test_the_date_of_a_question_with_its_time_of_day_reaches_who_answers_and_every_judge(told: Told) -> None:
    for model in (told.answer, *told.judges):
        for text in told.requests(model):
            (question,) = [q for q in _questions(told.dataset) if q.text in text]
            assert f"asked on {dated(question.asked_at)}." in text
    assert (
        "13:56" in told.requests(told.answer)[0]
        or "Thursday, 2023-06-01 10:15" in told.requests(told.answer)[0]
    )


def test_an_integer_gold_is_judged_as_it_is_written(told: Told) -> None:
    asked = told.requests(told.judges[0])
    assert sum("<gold>\n4711\n</gold>" in text for text in asked) >= 1


def test_an_abstention_is_judged_by_its_own_rubric_and_the_judges_alone(tmp_path: Path) -> None:
    told = Told(tmp_path, LONGMEMEVAL)
    rubrics = load_rubrics()
    for text in told.requests(*told.judges):
        assert text.startswith(rubrics.texts["abstention"]) == ("Zebulon" in text)
    # What every answer says decides nothing: the judges do, whatever the question.
    for name, verdicts in (("scripted:mild", (3, 0)), ("scripted:hard", (0, 3))):
        cell = whole(told.manifest, "truerecall", name)
        assert (cell.correct, cell.wrong) == verdicts


def test_the_second_judge_judges_the_stored_answers(told: Told) -> None:
    answers = [{text.partition("<answer>")[2] for text in told.requests(judge)} for judge in told.judges]
    assert answers[0] == answers[1]
    assert len(told.requests(told.judges[0])) == len(told.requests(told.judges[1]))
    distinct = {text for text in told.requests(told.answer)}
    assert len(distinct) == len(told.requests(told.answer))


def test_adversarial_questions_are_asked_of_nobody_and_stand_in_the_account(tmp_path: Path) -> None:
    told = Told(tmp_path, LOCOMO)
    assert not any("not do" in text for text in told.requests(told.answer, *told.judges))
    data = told.manifest.datasets[0]
    left_out = [row for row in data.exclusions if row.drops_question]
    assert (data.planned, data.asked, len(left_out)) == (3, 2, 1)
