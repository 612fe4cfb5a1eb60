"""Each kind of question has its rubric, and an operator may give their own."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from truerecall.bench.datasets.locomo import CATEGORIES
from truerecall.bench.datasets.longmemeval import TYPES
from truerecall.bench.qa.rubrics import NAMES, load_rubrics
from truerecall.errors import InvalidInput, RunError


def test_each_type_of_both_data_sets_has_a_rubric() -> None:
    rubrics = load_rubrics()
    found = {("longmemeval", kind): rubrics.of("longmemeval", kind, False).name for kind in TYPES}
    found |= {
        ("locomo", kind): rubrics.of("locomo", kind, False).name
        for kind in CATEGORIES.values()
        if kind != "adversarial"
    }
    assert found == {
        ("longmemeval", "single-session-user"): "user",
        ("longmemeval", "single-session-assistant"): "assistant",
        ("longmemeval", "single-session-preference"): "preference",
        ("longmemeval", "multi-session"): "multi-session",
        ("longmemeval", "temporal-reasoning"): "temporal",
        ("longmemeval", "knowledge-update"): "knowledge-update",
        ("locomo", "multi-hop"): "locomo",
        ("locomo", "temporal"): "locomo-temporal",
        ("locomo", "open-domain"): "locomo-open-domain",
        ("locomo", "single-hop"): "locomo",
    }


@pytest.mark.parametrize("kind", TYPES)
def test_a_question_that_cannot_be_answered_has_one_rubric_whatever_its_type(kind: str) -> None:
    rubric = load_rubrics().of("longmemeval", kind, True)
    assert rubric.name == "abstention"
    assert "cannot be known" in rubric.text


@pytest.mark.parametrize(
    ("dataset", "kind"), [("locomo", "adversarial"), ("beam", "temporal"), ("locomo", "")]
)
def test_a_type_without_a_rubric_is_refused(dataset: str, kind: str) -> None:
    with pytest.raises(RunError, match="there is no rubric"):
        load_rubrics().of(dataset, kind, False)


def test_each_rubric_says_what_is_correct_and_what_is_wrong() -> None:
    texts = load_rubrics().texts
    assert sorted(texts) == sorted(NAMES)
    for text in texts.values():
        assert re.search(r"^- Correct: ", text, re.MULTILINE) and re.search(r"^- Wrong: ", text, re.MULTILINE)


def test_digests_are_of_the_texts_as_they_are_used() -> None:
    rubrics = load_rubrics()
    expected = {name: sha256(rubrics.texts[name].encode()).hexdigest() for name in NAMES}
    assert rubrics.digests() == expected


def test_an_operators_rubric_stands_for_the_shipped_one_and_the_others_stay(tmp_path: Path) -> None:
    (tmp_path / "user.txt").write_bytes(b"\xef\xbb\xbfCorrect if it\r\nholds the gold.\r\n")
    (tmp_path / ".DS_Store").write_bytes(b"\x00")
    shipped, own = load_rubrics(), load_rubrics(tmp_path)
    assert own.of("longmemeval", "single-session-user", False).text == "Correct if it\nholds the gold."
    assert own.own == ("user",)
    changed = {name for name, value in own.digests().items() if value != shipped.digests()[name]}
    assert changed == {"user"}


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("users.txt", b"text", "no rubric of this name"),
        ("user.md", b"text", "no rubric of this name"),
        ("USER.txt", b"text", "no rubric of this name"),
        ("user.txt", b" \n", "empty"),
        ("user.txt", b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_an_operators_file_that_cannot_be_used_is_refused_by_name(
    tmp_path: Path, name: str, content: bytes, problem: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match=problem) as refused:
        load_rubrics(tmp_path)
    assert refused.value.where == str(tmp_path / name)


def test_a_folder_without_rubrics_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no rubric in the folder"):
        load_rubrics(tmp_path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_rubrics(tmp_path / "missing")
    (tmp_path / "user.txt").mkdir()
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_rubrics(tmp_path)
