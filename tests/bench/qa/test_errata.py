"""An operator's corrections stand beside a data set, never in it."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from tiny import conversation, dataset

from truerecall.bench.qa.errata import Correction, load_errata
from truerecall.errors import InvalidInput

OVERLAY = {
    "locomo": {
        "conv-1.qa[3]": {
            "answer": "Lundy",
            "why": "The island has another name in turn D2:4.",
            "source": "us",
        },
        "conv-1.qa[7]": {"broken": True, "why": "Nobody says so."},
    },
    "longmemeval": {"e47becba": {"answer": "7", "why": "A lamp was counted twice."}},
}


def written(folder: Path, text: str | bytes, name: str = "errata.json") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_an_overlay_corrects_answers_and_names_broken_questions(tmp_path: Path) -> None:
    text = json.dumps(OVERLAY)
    errata = load_errata(written(tmp_path, text))
    assert errata.sha256 == sha256(text.encode()).hexdigest()
    asked = ("conv-1.qa[3]", "conv-1.qa[7]", "e47becba", "other")
    assert [errata.gold(question) for question in asked] == ["Lundy", None, "7", None]
    assert [errata.broken(question) for question in asked] == [False, True, False, False]
    assert errata.of("e47becba") == Correction(answer="7", why="A lamp was counted twice.")
    assert errata.of("other") is None


def test_toml_says_the_same_as_json(tmp_path: Path) -> None:
    text = """
[locomo."conv-1.qa[3]"]
answer = "Lundy"
why = "The island has another name in turn D2:4."
source = "us"
[locomo."conv-1.qa[7]"]
broken = true
why = "Nobody says so."
[longmemeval.e47becba]
answer = "7"
why = "A lamp was counted twice."
"""
    from_toml = load_errata(written(tmp_path, text, "errata.toml"))
    assert from_toml.corrections == load_errata(written(tmp_path, json.dumps(OVERLAY))).corrections


WHY = '"why": "so"'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "damaged"),
        ("[1, 2", "damaged"),
        ("[" * 100_000, "damaged"),
        (b"\xff\xfe", "not UTF-8"),
        ("[]", "^the errata: .*valid dictionary"),
        ("{}", "correct nothing"),
        ('{"locomo": {}}', "correct nothing"),
        ('{"locomo": {"a": {"why": "so"}}}', "either an answer or broken"),
        (f'{{"locomo": {{"a": {{"answer": "x", "broken": true, {WHY}}}}}}}', "either an answer or broken"),
        (f'{{"locomo": {{"a": {{"answer": " ", {WHY}}}}}}}', "the answer is empty"),
        ('{"locomo": {"a": {"answer": "x"}}}', "locomo.a.why"),
        ('{"locomo": {"a": {"answer": "x", "why": " "}}}', "why is empty"),
        (f'{{"locomo": {{"a": {{"answer": 7, {WHY}}}}}}}', "locomo.a.answer"),
        (f'{{"locomo": {{"a": {{"answer": "x", "anser": "y", {WHY}}}}}}}', "locomo.a.anser"),
        (f'{{"beam": {{"a": {{"answer": "x", {WHY}}}}}}}', "'beam' is no data set"),
        (
            f'{{"locomo": {{"a": {{"answer": "x", {WHY}}}, "a": {{"answer": "y", {WHY}}}}}}}',
            "'a' stands there twice",
        ),
        (
            f'{{"locomo": {{"a": {{"answer": "x", {WHY}}}}}, "longmemeval": {{"a": {{"answer": "y", {WHY}}}}}}}',
            "corrected in two data sets",
        ),
    ],
)
def test_an_overlay_of_another_shape_is_refused(tmp_path: Path, text: str | bytes, problem: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InvalidInput, match=problem) as refused:
        load_errata(path)
    assert refused.value.where == str(path)


def test_a_missing_or_damaged_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_errata(tmp_path / "missing.json")
    with pytest.raises(InvalidInput, match="damaged"):
        load_errata(written(tmp_path, "[locomo", "errata.toml"))


def test_a_question_that_is_not_in_a_whole_file_is_an_error_and_of_a_part_it_is_not(tmp_path: Path) -> None:
    own = replace(conversation("one"), questions=conversation("one").questions[:2])
    own = replace(own, without_gold=conversation("one").questions[2:])
    whole = replace(dataset(own), name="locomo")
    known = {"locomo": {question: {"answer": "x", "why": "so"} for question in ("gold-one-1", "gold-one-4")}}
    load_errata(written(tmp_path, json.dumps(known))).check([whole])
    errata = load_errata(
        written(
            tmp_path, json.dumps({"locomo": {**known["locomo"], "gold-nine-1": {"broken": True, "why": "x"}}})
        )
    )
    with pytest.raises(InvalidInput, match="does not hold: 1, the first 'gold-nine-1'"):
        errata.check([whole])
    errata.check([replace(whole, split="dev")])
    errata.check([replace(whole, name="longmemeval")])
