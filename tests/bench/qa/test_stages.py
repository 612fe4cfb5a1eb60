"""The stage store: what is kept of contexts and calls, and what is known of calls that were never kept."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.bench.qa.records import Called, Context, Message, Request
from truerecall.bench.qa.stages import StageStore
from truerecall.errors import RunError
from truerecall.models.unsaid import Unsaid

KEY = "sk-proj-0123456789abcdefghij"


def request(text: str = "What is the boat called?") -> Request:
    return Request(
        stage="answer",
        model="openai:m",
        identity="ab" * 32,
        parameters={"max_tokens": 64, "temperature": 0.0},
        messages=[Message(role="user", content=text)],
    )


def context(text: str, ms: float = 1.5) -> Context:
    return Context(text=text, tokens=7, handles=1, ms=ms, gold_recalled=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "stages.db"


@pytest.fixture
def store(path: Path) -> Iterator[StageStore]:
    opened = StageStore(path)
    yield opened
    opened.close()


ANSWER = Called(
    text="Juniper — \u2028 ☃ \x00",
    finish_reason="stop",
    model="m-2024",
    sent={"temperature": 0.0},
    tokens_in=12,
    tokens_out=3,
    tokens_cached=4,
    tokens_reasoning=1,
    ms=12.5,
)
FAILED = Called(failure="the server failed (500)", ms=3.0)


def test_an_answer_comes_back_verbatim_with_what_was_asked_also_in_a_later_process(
    store: StageStore, path: Path
) -> None:
    asked = request()
    assert store.called(asked.key) is None
    assert store.keep("r", asked, ANSWER) == ANSWER
    store.close()
    later = StageStore(path)
    assert (later.called(asked.key), later.request(asked.key)) == (ANSWER, asked)
    assert later.known([asked.key, "other"]) == {asked.key: False}
    later.close()


@settings(max_examples=20)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_that_can_be_written_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    store = StageStore(tmp_path_factory.mktemp("s") / "stages.db")
    store.keep_contexts({"k": context(text)})
    store.keep("r", request(text), Called(text=text))
    found, called = store.context("k"), store.called(request(text).key)
    assert found is not None and called is not None
    assert (found.text, called.text) == (text, text)
    store.close()


def test_the_first_context_of_a_question_stays(store: StageStore) -> None:
    store.keep_contexts({"k": context("first", ms=1.0)})
    store.keep_contexts({"k": context("second", ms=2.0), "l": context("other")})
    assert store.context("k") == context("first", ms=1.0)
    assert store.context("l") == context("other")


def test_a_failure_gives_way_to_an_answer_and_an_answer_to_nothing(store: StageStore) -> None:
    asked = request()
    assert store.keep("r", asked, FAILED) == FAILED
    assert store.known([asked.key]) == {asked.key: True}
    better = ANSWER.model_copy(update={"again": 1})  # told from then on: only what failed was asked again
    assert store.keep("r", asked, ANSWER) == better
    assert store.keep("r", asked, FAILED) == better
    assert store.keep("r", asked, Called(text="Willow")) == better
    assert store.known([asked.key]) == {asked.key: False}


def test_a_call_that_was_begun_and_never_kept_is_lost_to_its_run_and_to_no_other(path: Path) -> None:
    killed = StageStore(path)
    killed.begin("r", request("one"))
    killed.begin("r", request("two"))
    killed.begin("other", request("three"))
    killed.keep("r", request("two"), ANSWER)
    later = StageStore(path)
    assert (later.lost("r"), later.lost("other"), later.lost("third")) == (1, 1, 0)
    killed.close()
    later.close()


def test_a_lost_call_stays_lost_when_it_is_asked_again_and_can_be_lost_twice(path: Path) -> None:
    for _ in range(2):
        killed = StageStore(path)
        killed.lost("r")
        killed.begin("r", request())
        killed.close()
    later = StageStore(path)
    assert later.lost("r") == 2
    later.begin("r", request())
    later.keep("r", request(), ANSWER)
    assert later.lost("r") == 2
    later.close()


def test_a_call_that_was_refused_outright_is_not_lost(store: StageStore, path: Path) -> None:
    store.begin("r", request())
    store.give_up("r", request())
    assert store.lost("r") == 0
    assert store.called(request().key) is None


def test_two_processes_may_keep_results_in_one_file(path: Path) -> None:
    one, two = StageStore(path), StageStore(path)
    one.begin("a", request())
    two.begin("b", request())
    two.keep("b", request(), ANSWER)
    assert one.keep("a", request(), Called(text="Willow")) == ANSWER  # the first stands for both
    assert (one.lost("a"), two.lost("b")) == (0, 0)
    one.close()
    two.close()


@pytest.mark.parametrize("part", [KEY, KEY[4:14], KEY.upper()])
def test_a_text_with_a_piece_of_a_key_is_not_kept(path: Path, part: str) -> None:
    store = StageStore(path, Unsaid([KEY]))
    said = f"the key is {part}, do not tell"
    for keep in (
        lambda: store.keep("r", request(), Called(text=said)),
        lambda: store.keep("r", request(said), ANSWER),
        lambda: store.keep_contexts({"k": context("fine"), "l": context(said)}),
    ):
        with pytest.raises(RunError, match="piece of a key") as raised:
            keep()
        assert part not in str(raised.value)
    assert store.known([request().key, request(said).key, "k", "l"]) == {}
    store.close()


def test_a_file_that_is_something_else_is_refused_and_left_as_it_is(path: Path) -> None:
    path.write_bytes(b"a letter to a friend")
    with pytest.raises(RunError, match="stage store"):
        StageStore(path)
    assert path.read_bytes() == b"a letter to a friend"
    path.unlink()
    other = sqlite3.connect(path)
    other.execute("create table mine (a)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(RunError, match="not a stage store"):
        StageStore(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["x'789c00'", "x''", "'a text'", "7"])
def test_a_damaged_result_is_said_and_not_taken_for_an_answer(path: Path, damage: str) -> None:
    store = StageStore(path)
    store.keep("r", request(), ANSWER)
    store.close()
    with sqlite3.connect(path) as raw:
        raw.execute(f"update kept set result = {damage}, request = {damage}")
    raw.close()
    store = StageStore(path)
    for read in (store.called, store.context, store.request):
        with pytest.raises(RunError, match=r"damaged.*Keep the file"):
            read(request().key)
    store.close()


def test_a_store_of_a_later_version_is_left_as_it_is(path: Path) -> None:
    StageStore(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute("pragma user_version = 2")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(RunError, match="of another version"):
        StageStore(path)
    assert path.read_bytes() == before


def test_a_disk_that_fills_up_is_told_by_its_own_words_and_loses_nothing_that_was_kept(path: Path) -> None:
    store = StageStore(path)
    store.keep("r", request(), ANSWER)
    store._db.execute("pragma max_page_count = 1")  # no more than there is: as a full disk
    long = Called(text="".join(chr(0x4E00 + one * 7919 % 20000) for one in range(20000)))
    with pytest.raises(RunError, match="database or disk is full"):
        store.keep("r", request("another"), long)
    assert (store.called(request().key), store.called(request("another").key)) == (ANSWER, None)
    store._db.execute("pragma max_page_count = 100000")
    assert store.keep("r", request("another"), long) == long
    store.close()


def test_a_folder_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be used"):
        StageStore(tmp_path / "missing" / "stages.db")


def test_a_store_that_another_program_holds_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truerecall.bench.qa.stages._BUSY_SECONDS", 0.01)
    with (
        closing(StageStore(tmp_path / "stages.db")) as store,
        closing(sqlite3.connect(tmp_path / "stages.db", isolation_level=None)) as other,
    ):
        other.execute("begin immediate")
        with pytest.raises(RunError) as raised:
            store.keep_contexts({"k": Context(text="a", tokens=1, handles=1, ms=1.0)})

    assert raised.value.problem == "another program has held the stage store for 0.01 seconds"


def test_the_calls_of_a_stage_come_with_the_name_of_their_model(store: StageStore) -> None:
    store.keep("r", request("one"), ANSWER)
    store.keep("r", request("two"), FAILED)
    store.keep_contexts({"k": context("a block")})

    assert sorted(store.results("answer"), key=lambda kept: kept[1].ms) == [
        ("openai:m", FAILED),
        ("openai:m", ANSWER),
    ]
    assert store.results("judge") == []
