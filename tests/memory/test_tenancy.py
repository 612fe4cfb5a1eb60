"""A reader sees the space's shared entries and its own private ones, through every verb, and nothing else."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from whole_store import Opener, dump, sign, texts, traced

from truerecall import Draft, Filter, ManualClock, Memory, Source
from truerecall.errors import InvalidInput, InvalidScope, NotFound

SECRET = "the heron has a hidden nest"
NOBODY: list[Any] = [None, "", " ", "*", "%", "_", "?", {}, {"$ne": None}, [], ["ada"], 0, "a\x00", "\ud800"]


@pytest.fixture
def ada(opened: Opener) -> Memory:
    return opened(user="ada", tenant="acme", space="notes", embedder="hashing")


@pytest.fixture(params=["another user", "another space", "another tenant"])
def stranger(request: pytest.FixtureRequest, opened: Opener, ada: Memory) -> Memory:
    names = {"user": "ada", "tenant": "acme", "space": "notes"}
    names[request.param.removeprefix("another ")] = "other"
    return opened(**names, embedder="hashing")


@pytest.fixture
def hidden(ada: Memory) -> str:
    """A private entry of Ada's."""
    (result,) = ada.remember(SECRET, visibility="private", pinned=True, session="s1")
    return str(result.id)


@pytest.mark.parametrize("value", NOBODY)
@pytest.mark.parametrize("name", ["user", "tenant", "space"])
def test_a_memory_is_opened_for_one_and_not_for_everyone(store: Path, name: str, value: Any) -> None:
    with pytest.raises(InvalidScope):
        Memory.open(store, embedder="none", **{name: value})

    assert not store.exists()


def test_a_private_entry_is_found_by_its_author(ada: Memory, hidden: str) -> None:
    assert texts(ada.recall("heron")) == [SECRET]
    assert ada.get(hidden[-8:]).id == hidden


def test_a_private_entry_is_not_recalled_by_a_stranger(stranger: Memory, hidden: str) -> None:
    recalled = stranger.recall("heron hidden nest", trust=["system", "learned", "external"])

    assert recalled.hits == ()
    assert hidden not in recalled.trace.as_json()
    assert recalled.text == ""


VERBS: dict[str, Callable[[Memory, str], object]] = {
    "get": lambda memory, entry_id: memory.get(entry_id),
    "get by short id": lambda memory, entry_id: memory.get(entry_id[-8:]),
    "get in capitals": lambda memory, entry_id: memory.get(entry_id.upper()),
    "history": lambda memory, entry_id: memory.history(entry_id),
    "history by short id": lambda memory, entry_id: memory.history(entry_id[-8:]),
    "correct": lambda memory, entry_id: memory.correct(entry_id, "taken over"),
    "correct by short id": lambda memory, entry_id: memory.correct(entry_id[-8:], "taken over"),
    "forget": lambda memory, entry_id: memory.forget(entry_id),
    "forget by short id": lambda memory, entry_id: memory.forget(entry_id[-8:]),
    "purge": lambda memory, entry_id: memory.purge(entry_id),
    "purge by short id": lambda memory, entry_id: memory.purge(entry_id[-8:]),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_of_a_stranger_does_not_reach_a_private_entry(
    ada: Memory, stranger: Memory, hidden: str, verb: str
) -> None:
    before = dump(ada)
    with pytest.raises(NotFound) as refused:
        VERBS[verb](stranger, hidden)

    assert SECRET not in str(refused.value)
    assert "short id" not in verb or hidden not in str(refused.value)
    assert dump(ada) == before
    assert texts(ada.recall("heron")) == [SECRET]


def test_an_entry_that_exists_is_as_absent_as_one_that_does_not(stranger: Memory, hidden: str) -> None:
    unknown = hidden[:-8] + "ffffffff"
    with pytest.raises(NotFound) as existing:
        stranger.get(hidden)
    with pytest.raises(NotFound) as absent:
        stranger.get(unknown)

    assert str(existing.value).replace(hidden, "") == str(absent.value).replace(unknown, "")


def test_one_id_that_is_not_seen_stops_the_whole_call(ada: Memory, stranger: Memory, hidden: str) -> None:
    (own,) = stranger.remember("my own heron")
    for verb in (stranger.forget, stranger.purge):
        with pytest.raises(NotFound):
            verb(str(own.id), hidden)

    assert texts(stranger.recall("heron")) == ["my own heron"]
    assert stranger.history(str(own.id)).events == ()


def test_lists_counts_exports_and_cuts_of_a_stranger_do_not_hold_it(
    tmp_path: Path, stranger: Memory, clock: ManualClock, hidden: str
) -> None:
    assert stranger.list(Filter(ended=True)) == ()
    assert stranger.list(Filter(session="s1", ended=True)) == ()
    assert (stranger.counts().entries, stranger.counts().embedded) == (0, 0)
    folder = stranger.export(tmp_path / "export")
    assert not any(SECRET.encode() in file.read_bytes() for file in folder.iterdir())
    with stranger.at(clock() + timedelta(days=1), tmp_path / "cut.db") as cut:
        assert cut.list(Filter(ended=True)) == ()
        assert cut.recall("heron").hits == ()
    assert SECRET.encode() not in (tmp_path / "cut.db").read_bytes()


@pytest.mark.parametrize(
    "value", ["", "*", "%", "_", "%%%%%%%%", "________", "' OR '1'='1", "18f52ecc OR 1=1"]
)
def test_an_id_is_never_a_pattern(ada: Memory, hidden: str, value: str) -> None:
    for verb in (ada.get, ada.history, ada.forget, ada.purge):
        with pytest.raises((NotFound, InvalidInput)):
            verb(value)
    assert ada.get(hidden).ended_at is None


@pytest.mark.parametrize("value", [None, 5, {"$ne": None}, ["a"], b"18f52ecc"])
def test_an_id_is_a_string(ada: Memory, hidden: str, value: Any) -> None:
    for verb in (ada.get, ada.history, ada.forget, ada.purge):
        with pytest.raises(InvalidInput):
            verb(value)
    assert ada.get(hidden).ended_at is None


def test_a_short_id_that_two_entries_share_is_not_guessed(
    ada: Memory, tmp_path: Path, opened: Opener, clock: ManualClock
) -> None:
    ada.remember("one heron")
    clock.advance(timedelta(seconds=1))
    ada.remember("another heron")
    folder = ada.export(tmp_path / "export")
    lines = (folder / "entries.jsonl").read_text(encoding="utf-8").splitlines()
    first, second = (json.loads(line)["id"] for line in lines)
    text = (folder / "entries.jsonl").read_text(encoding="utf-8").replace(second, second[:-8] + first[-8:])
    (folder / "entries.jsonl").write_text(text, encoding="utf-8")
    sign(folder)
    twin = opened(tmp_path / "twin.db", user="ada", tenant="acme", space="notes")
    twin.import_(folder)

    with pytest.raises(InvalidInput, match="more than one"):
        twin.forget(first[-8:])
    assert len(twin.recall("heron").hits) == 2


@pytest.mark.parametrize("field", ["kind", "session"])
def test_an_empty_filter_value_matches_nothing_or_is_refused(ada: Memory, hidden: str, field: str) -> None:
    try:
        assert ada.list(Filter(**{field: ""})) == ()  # type: ignore[arg-type]
    except InvalidInput as refused:
        assert field in str(refused)


@pytest.mark.parametrize(
    "wanted",
    [{"kind": {"$ne": "turn"}}, {"kind": ["turn"]}, {"kind": "note"}, {"session": {"$ne": None}}, {"session": 5},
     {"newest": -1}, {"newest": "all"}, {"newest": None}, {"newest": 1.5}],
)  # fmt: skip
def test_a_filter_of_another_type_is_refused(ada: Memory, hidden: str, wanted: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        ada.list(Filter(**wanted))


def test_shared_entries_are_seen_by_every_user_of_the_space_and_of_no_other(
    opened: Opener, ada: Memory
) -> None:
    ada.remember("the weir is closed")

    assert texts(opened(user="bob", tenant="acme", space="notes").recall("weir")) == ["the weir is closed"]
    assert opened(user="bob", tenant="acme", space="code").recall("weir").hits == ()
    assert opened(user="bob", tenant="umbrella", space="notes").recall("weir").hits == ()


def test_which_tool_wrote_an_entry_decides_nothing(opened: Opener, ada: Memory) -> None:
    ada.remember(Draft("use ruff", source=Source(tool="one", repository="a", cwd="b")))
    bob = opened(user="bob", tenant="acme", space="notes")

    assert texts(bob.recall("ruff")) == ["use ruff"]


def test_a_name_that_looks_like_another_is_another(opened: Opener) -> None:
    opened(user="ada").remember(SECRET, visibility="private")
    for other in ("Ada", "ada ", " ada", "ad", "ada2", "a%a", "ad_", "аda"):
        assert opened(user=other).recall("heron").hits == (), other


def test_the_owner_of_shared_rows_cannot_be_named(opened: Opener) -> None:
    with pytest.raises(InvalidScope):
        opened(user="")


@pytest.mark.parametrize("embedder", ["none", "hashing"])
def test_traces_are_byte_identical_with_and_without_others_in_the_store(
    tmp_path: Path, opened: Opener, embedder: str
) -> None:
    mine = [
        "the heron came back",
        "the mill was sold",
        "heron and mill and weir",
        "the weir is closed",
        "東京の川",
    ]
    runs = []
    for crowded in (False, True):
        clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
        names: dict[str, Any] = {
            "path": tmp_path / f"crowded{crowded}.db",
            "clock": clock,
            "embedder": embedder,
        }
        a = opened(**names, tenant="a", seed=5)
        others = [
            opened(**names, tenant="b", seed=6),
            opened(**names, tenant="a", space="s2", seed=7),
            opened(**names, tenant="a", user="bob", seed=8),
        ]
        for number, text in enumerate(mine):
            if crowded:
                for other in others:
                    other.remember(
                        [
                            Draft(f"heron mill {text} {n}", visibility="private", pinned=n == 0)
                            for n in range(20)
                        ]
                    )
            a.remember(text, visibility="private" if number % 2 else "shared")
            clock.advance(timedelta(days=1))
        runs.append(
            [(traced(r), r.text) for r in map(a.recall, ("heron", "mill weir", "東京", "closed the"))]
        )

    assert runs[0] == runs[1]
