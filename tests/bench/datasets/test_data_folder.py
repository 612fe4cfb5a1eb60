"""Reading and checking whole folders."""

import json
from pathlib import Path

import pytest

from truerecall.bench.datasets.generator import generate_locomo, longmemeval_items, write_items
from truerecall.bench.datasets.known import KNOWN, known_file
from truerecall.bench.datasets.reading import check, read
from truerecall.errors import DatasetError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    write_items(tmp_path / "sub" / "locomo.json", generate_locomo(3, 1, 3, 8, 10))
    write_items(tmp_path / "long.json", longmemeval_items(3, 2, 6, turns=4, words=10))
    return tmp_path


def test_every_data_set_of_a_folder_is_read_in_the_order_of_the_paths(folder: Path) -> None:
    assert [(d.file, d.name, d.variant) for d in read(folder)] == [
        ("long.json", "longmemeval", "unrecognised"),
        ("sub/locomo.json", "locomo", "unrecognised"),
    ]


def test_one_named_file_is_read_alone(folder: Path) -> None:
    assert [(d.file, d.name) for d in read(folder / "sub" / "locomo.json")] == [("locomo.json", "locomo")]


def test_sound_files_of_another_shape_are_passed_over_and_reported(folder: Path) -> None:
    (folder / "package.json").write_text('{"name": "x"}', encoding="utf-8")
    (folder / "empty.json").write_text("[]", encoding="utf-8")
    (folder / "rows.json").write_text('[{"question": "?"}]', encoding="utf-8")
    assert [d.file for d in read(folder)] == ["long.json", "sub/locomo.json"]
    assert [(r.file, r.status, r.what) for r in check(folder)] == [
        ("empty.json", "foreign", "not a data set of ours: it is an empty list"),
        ("long.json", "read", "unrecognised"),
        (
            "package.json",
            "foreign",
            "not a data set of ours: its top level is an object, not a list",
        ),
        (
            "rows.json",
            "foreign",
            "not a data set of ours: its first item has the fields of no data set of ours",
        ),
        ("sub/locomo.json", "read", "unrecognised"),
    ]


@pytest.mark.parametrize("content", [b"", b'[{"sample_id": "a"', b"\xff", b"no json"])
def test_a_damaged_file_stops_reading_and_is_reported_by_check(folder: Path, content: bytes) -> None:
    (folder / "a.json").write_bytes(content)
    with pytest.raises(DatasetError, match=r"a\.json"):
        read(folder)
    assert [r.status for r in check(folder)] == ["damaged", "read", "read"]


def test_a_truncated_data_set_is_never_read_in_part(folder: Path) -> None:
    path = folder / "sub" / "locomo.json"
    whole = path.read_bytes()
    for length in range(1, len(whole) - 2, 997):
        path.write_bytes(whole[:length])
        with pytest.raises(DatasetError):
            read(path)


def test_an_empty_folder_says_what_to_put_there(tmp_path: Path) -> None:
    for look in (read, check):
        with pytest.raises(DatasetError, match=r"locomo10\.json.*truerecall bench data generate"):
            look(tmp_path)


def test_a_folder_with_foreign_files_only_names_them(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"no data set .*package\.json: its top level is an object"):
        read(tmp_path)


def test_a_split_that_is_none_is_refused(folder: Path) -> None:
    with pytest.raises(DatasetError, match=r"'test' is not a split.*dev, held-out, all"):
        read(folder, split="test")


def test_a_report_counts_what_is_there_and_what_is_left_out(folder: Path) -> None:
    report = check(folder)[1]
    (dataset,) = (d for d in read(folder) if d.name == "locomo")
    (conversation,) = dataset.conversations
    assert (report.conversations, report.sessions, report.turns, report.planned) == (1, 3, 24, 10)
    assert report.asked == len(conversation.questions)
    assert sum(count for _, count in report.by_type) == report.asked
    assert dict(report.by_reason) == {"adversarial": report.planned - report.asked}
    assert report.exclusions == dataset.exclusions


def test_planned_questions_are_those_asked_and_those_left_out(tmp_path: Path) -> None:
    write_items(tmp_path / "a.json", generate_locomo(5, 2, 6, 12, 60, malformed=True))
    write_items(tmp_path / "b.json", longmemeval_items(5, 20, 6, turns=4, words=10, malformed=True))
    for dataset in read(tmp_path):
        asked = sum(len(c.questions) for c in dataset.conversations)
        assert dataset.planned == asked + sum(e.drops_question for e in dataset.exclusions)


def test_the_table_of_known_files_has_each_hash_once_and_whole() -> None:
    hashes = [known.sha256 for known in KNOWN]
    assert len(set(hashes)) == len(hashes)
    assert all(len(sha) == 64 and int(sha, 16) >= 0 for sha in hashes)
    official = known_file("79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4")
    assert official is not None and (official.name, official.variant) == ("locomo", "locomo10")
    assert known_file("0" * 64) is None


def test_one_changed_byte_makes_a_known_file_unrecognised(folder: Path) -> None:
    items = json.loads((folder / "sub" / "locomo.json").read_text(encoding="utf-8"))
    before = check(folder)[1].sha256
    items[0]["qa"][0]["answer"] = "another"
    write_items(folder / "sub" / "locomo.json", items)
    assert check(folder)[1].sha256 != before
