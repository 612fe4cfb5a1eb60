"""Finding, confining and reading the files of a data folder."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.bench.datasets.files import ForeignFile, SourceFile, find_files, items
from truerecall.errors import DatasetError


def source(path: Path, content: bytes) -> SourceFile:
    path.write_bytes(content)
    return SourceFile(path, path.name, hashlib.sha256(content).hexdigest())


def test_files_are_found_below_the_folder_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b.json", "a/z.json", "a/notes.md", "C.JSON", "a/b c #1%.json", "a/数.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"[]")
    found = find_files(tmp_path)
    assert [file.name for file in found] == ["C.JSON", "a/b c #1%.json", "a/z.json", "a/数.json", "b.json"]
    assert {file.sha256 for file in found} == {hashlib.sha256(b"[]").hexdigest()}


def test_one_named_file_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "longmemeval_s"
    path.write_bytes(b"[]")
    (file,) = find_files(path)
    assert (file.name, file.path) == ("longmemeval_s", path.resolve())


def test_hidden_files_folders_and_linked_folders_are_passed_over(tmp_path: Path) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    for folder in (data / ".cache", data / "folder.json", elsewhere):
        folder.mkdir(parents=True)
    (data / ".cache" / "a.json").write_bytes(b"[]")
    (data / ".b.json").write_bytes(b"[]")
    (elsewhere / "c.json").write_bytes(b"[]")
    (data / "linked").symlink_to(elsewhere, target_is_directory=True)
    (data / "loop").symlink_to(data, target_is_directory=True)
    (data / "gone.json").symlink_to(data / "nowhere.json")
    assert find_files(data) == ()


def test_a_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "secret.json").write_bytes(b"[]")
    (data / "locomo10.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(DatasetError, match=r"a link that leaves the data folder \(locomo10\.json\)"):
        find_files(data)


def test_a_sibling_folder_with_the_same_beginning_is_not_below(tmp_path: Path) -> None:
    for name in ("data", "data-private"):
        (tmp_path / name).mkdir()
    (tmp_path / "data-private" / "x.json").write_bytes(b"[]")
    (tmp_path / "data" / "x.json").symlink_to(tmp_path / "data-private" / "x.json")
    with pytest.raises(DatasetError, match="leaves the data folder"):
        find_files(tmp_path / "data")


def test_links_within_the_folder_and_a_linked_folder_itself_are_followed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "blobs").mkdir(parents=True)
    (data / "blobs" / "x.json").write_bytes(b"[]")
    (data / "a.json").symlink_to(data / "blobs" / "x.json")
    (tmp_path / "link").symlink_to(data, target_is_directory=True)
    assert [file.name for file in find_files(tmp_path / "link")] == ["a.json", "blobs/x.json"]


@pytest.mark.parametrize("name", ["nowhere", "nul\0byte", "x" * 5000])
def test_a_missing_folder_is_a_clear_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetError, match=r"no such data folder.*TRUERECALL_BENCH_DATA"):
        find_files(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is empty"),
        (b" \n\t", "the file is empty"),
        (b"[", "the file is truncated"),
        (b'[{"a": 1}', "the file is truncated"),
        (b'[{"a": 1},', "the file is truncated"),
        (b'[{"a": "unfinished', "the file is truncated"),
        (b'[{"a": [1, 2', "the file is truncated"),
        (b'[{"a": 1}]]', "more after the end of the list"),
        (b'[{"a": 1} {"b": 2}]', "the file is not JSON"),
        (b'[{"a": 1},]', "the file is not JSON"),
        (b"[{'a': 1}]", "the file is not JSON"),
        (b"<html>", "the file is not JSON"),
        (b'[{"a": "\xff\xfe"}]', "the file is not UTF-8 text"),
        ('[{"a": 1}]'.encode("utf-16"), "the file is not UTF-8 text"),
        (b'[{"a": "caf\xc3', "the file is not UTF-8 text"),
        (b"[" * 200_000 + b"]" * 200_000, "the file is nested too deeply"),
        (b'[{"a":' * 100_000, "the file is nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "the file is not JSON"),
    ],
)
def test_a_damaged_file_is_an_error_that_names_the_fault(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    with pytest.raises(DatasetError, match=problem) as caught:
        list(items(source(tmp_path / "x.json", content)))
    assert not isinstance(caught.value, ForeignFile)
    assert caught.value.where is not None and caught.value.where.startswith("x.json, character ")


def test_an_object_at_the_top_is_a_foreign_file_not_a_damaged_one(tmp_path: Path) -> None:
    with pytest.raises(ForeignFile, match="an object, not a list"):
        list(items(source(tmp_path / "x.json", b'{"name": "package"}')))


def test_a_byte_order_mark_is_no_damage(tmp_path: Path) -> None:
    assert list(items(source(tmp_path / "x.json", b"\xef\xbb\xbf[1, 2]\r\n"))) == [1, 2]


def test_items_longer_than_the_window_are_read_whole(tmp_path: Path) -> None:
    made = [{"text": "ä" * 3_000_000}, 12, {"text": "b" * 900_000}, {"text": "😀" * 700_000}]
    content = json.dumps(made, ensure_ascii=False).encode()
    assert list(items(source(tmp_path / "x.json", content))) == made


@settings(max_examples=100, deadline=None)
@given(
    made=st.lists(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
            max_leaves=8,
        ),
        max_size=6,
    ),
    indent=st.sampled_from([None, 0, 2]),
)
def test_items_are_those_of_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory, made: list[object], indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("items") / "x.json"
    assert list(items(source(path, json.dumps(made, indent=indent).encode()))) == made
