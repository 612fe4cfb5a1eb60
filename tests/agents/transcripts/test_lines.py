"""JSON lines of a file that another process appends to, replaces or breaks."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.transcripts import lines as lines_module
from truerecall.agents.transcripts.lines import Batch, place, place_before, read_lines
from truerecall.agents.transcripts.reading import Cursor
from truerecall.errors import TranscriptError


def _after(batch: Batch) -> Cursor:
    return Cursor(batch.offset, place_before(batch.number, 0), batch.head)


def _data(batch: Batch) -> list[object]:
    return [line.data for line in batch.lines]


def test_a_half_written_line_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":0}\n{"n":')
    first = read_lines(path, None, 1000)
    assert (_data(first), first.offset, first.more) == ([{"n": 0}], 8, False)

    with path.open("ab") as file:
        file.write(b"1}\n")
    second = read_lines(path, _after(first), 1000)
    assert [(line.number, line.data) for line in second.lines] == [(1, {"n": 1})]
    assert read_lines(path, _after(second), 1000).lines == ()


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(b'{"other":0}\n{"n":1}\n{"n":2}\n', id="another file"),
        pytest.param(b'{"m":0}\n{"n":1}\n{"n":2}\n', id="another file whose lines end at the same places"),
        pytest.param(b'{"n":0}\n', id="cut off"),
        pytest.param(b'{"n":0}\n{"n":1111111}\n', id="rewritten behind its first line"),
    ],
)
def test_a_file_that_is_not_the_same_is_read_from_its_beginning(tmp_path: Path, now: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":0}\n{"n":1}\n')
    cursor = _after(read_lines(path, None, 1000))
    path.write_bytes(now)

    again = read_lines(path, cursor, 1000)

    assert (again.anew, again.lines[0].number) == (True, 0)
    assert again.offset == len(now)


def test_a_reading_ends_at_its_limit_and_says_that_there_is_more(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"n": n}) + "\n" for n in range(5)), encoding="utf-8")

    first = read_lines(path, None, 1)
    second = read_lines(path, _after(first), 18)
    third = read_lines(path, _after(second), 18)

    assert [_data(batch) for batch in (first, second, third)] == [
        [{"n": 0}],
        [{"n": 1}, {"n": 2}],
        [{"n": 3}, {"n": 4}],
    ]
    assert [batch.more for batch in (first, second, third)] == [True, True, False]


def test_invalid_bytes_nul_and_deep_nesting_cost_at_most_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    broken = [
        b"\xff\xfe",
        b"\0" * 20,
        b"[" * 100_000,
        b"42",
        b"[1]",
        b'"text"',
        b"null",
        b'{"n": NaNN}',
        b"9" * 5000,
    ]
    path.write_bytes(b"".join(raw + b'\n{"ok":"\xff"}\n' for raw in broken))

    batch = read_lines(path, None, 1 << 30)

    assert [line.data for line in batch.lines[1::2]] == [{"ok": "\ufffd"}] * len(broken)
    assert {(line.data, line.fault) for line in batch.lines[::2]} == {(None, "not a JSON object")}


def test_an_empty_line_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\n  \r\n{"n":0}\r\n')
    batch = read_lines(path, None, 1000)
    assert [(line.data, line.fault) for line in batch.lines] == [(None, None), (None, None), ({"n": 0}, None)]


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "LONGEST", 100)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":0}\n{"n":"' + b"x" * 1000 + b'"}\n{"n":2}\n')

    batch = read_lines(path, None, 10_000)

    assert [(line.number, line.data) for line in batch.lines] == [(0, {"n": 0}), (1, None), (2, {"n": 2})]
    assert batch.lines[1].fault == "longer than 64 MiB"
    assert batch.offset == path.stat().st_size


def test_a_long_line_is_read_whole_whatever_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"n": "x" * 300_000}) + "\n", encoding="utf-8")
    assert len(read_lines(path, None, 10).lines[0].data["n"]) == 300_000  # type: ignore[index]


def test_the_line_behind_a_broken_one_is_found(tmp_path: Path) -> None:
    """A killed process leaves half a line, and the next one appends to it."""
    path = tmp_path / "a.jsonl"
    whole = b'{"type":"user","message":{"content":[{"type":"text","text":"hi"}]}}'
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length] + whole + b"\n")
        (line,) = read_lines(path, None, 1000).lines
        assert (line.data, line.fault) == (json.loads(whole), "a broken line before a whole one"), length


def test_what_is_no_file_is_said_in_one_error(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    (tmp_path / "folder.jsonl").mkdir()
    for path, problem in (
        (pipe, "a transcript is no regular file"),
        (tmp_path / "folder.jsonl", "a transcript is no regular file"),
        (tmp_path / "gone.jsonl", "a transcript cannot be read: No such file or directory"),
    ):
        with pytest.raises(TranscriptError) as caught:
            read_lines(path, None, 1000)
        assert (caught.value.problem, caught.value.where) == (problem, str(path))


@given(st.integers(0, 10**9), st.integers(0, 10**5), st.integers(0, 10**5))
def test_positions_grow_with_lines_whatever_stands_in_them(line: int, block: int, index: int) -> None:
    assert place_before(line, index) < place(line, block) < place_before(line + 1, 0)
