"""An export is exact, can be taken in again and again, and is refused as soon as a byte of it is wrong."""

import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from whole_store import Mounter, Opener, dump, sign, texts, traced

from truerecall import Draft, EventTime, ManualClock, Memory, Source, Trust
from truerecall.errors import ArchiveError, InvalidInput, TruerecallError
from truerecall.models.hashing import HashingEmbedder

FILES = ("entries.jsonl", "events.jsonl", "vectors.jsonl", "manifest.json")


@pytest.fixture
def kept(opened: Opener, clock: ManualClock) -> Memory:
    """A memory with some of everything."""
    memory = opened(embedder="hashing")
    (said,) = memory.remember(
        "the heron\u2028came\x85back\x00\r\n", happened_at="2023-05", session="s1", position=0
    )
    memory.remember(
        ["彼女は東京に住んでいます 👩‍🚀", " ".join(f"filler{n}" for n in range(450)), "old heron"]
    )
    memory.remember(Draft("a private heron", visibility="private", pinned=True))
    memory.remember(
        Draft(
            "a derived heron",
            kind="observation",
            trust=Trust.SYSTEM,
            source=Source("ada", "mail", "s", 3, "editor", "a/b", "abc", "main", "src"),
            source_ids=(str(said.id),),
            happened_at=EventTime(clock()),
            recorded_at=clock() - timedelta(days=400, microseconds=1),
            valid_from=clock() - timedelta(days=500),
            proof_count=3,
            confidence=0.1 + 0.2,
        )
    )
    memory.remember("the key is AKIA" + "Q3EGRIPVTZ7XKLM2")
    clock.advance(timedelta(hours=1))
    (weir,) = memory.remember("the weir is open")
    clock.advance(timedelta(hours=1))
    memory.correct(str(weir.id), "the weir is closed")
    memory.forget(next(entry.id for entry in memory.list() if entry.text == "old heron"))
    return memory


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("embedder", ["hashing", "none"])
def test_the_round_trip_is_exact(tmp_path: Path, kept: Memory, opened: Opener, embedder: str) -> None:
    source = kept if embedder == "hashing" else opened()
    first = source.export(tmp_path / "first")
    copy = opened(tmp_path / "copy.db", embedder=embedder)
    brought = copy.import_(first)
    second = copy.export(tmp_path / "second")

    assert (brought.entries, brought.events, brought.known) == (9, 2, 0)
    assert contents(first) == contents(second)
    assert sorted(contents(first)) == sorted(FILES)
    assert dump(copy) == dump(source)
    for query in ("heron", "東京", "weir", "filler7"):
        assert traced(copy.recall(query)) == traced(source.recall(query))
    assert copy.doctor().healthy


def test_an_import_can_be_repeated(tmp_path: Path, kept: Memory, opened: Opener) -> None:
    folder = kept.export(tmp_path / "export")
    copy = opened(tmp_path / "copy.db", embedder="hashing")
    copy.import_(folder)
    before = dump(copy)
    again = copy.import_(folder)

    assert (again.entries, again.events, again.known) == (0, 0, 9)
    assert dump(copy) == before
    assert kept.import_(folder).known == 9


def test_an_import_adds_what_is_new_and_keeps_what_is_here(
    tmp_path: Path, kept: Memory, opened: Opener, clock: ManualClock
) -> None:
    early = kept.export(tmp_path / "early")
    copy = opened(tmp_path / "copy.db", embedder="hashing")
    copy.import_(early)
    (mine,) = copy.remember("only in the copy")
    kept.remember("only in the first")
    kept.forget(next(e.id for e in kept.list() if e.text == "the weir is closed"))
    brought = copy.import_(kept.export(tmp_path / "late"))

    assert (brought.entries, brought.events, brought.known) == (1, 1, 9)
    assert {"only in the copy", "only in the first"} <= {entry.text for entry in copy.list()}
    assert "the weir is closed" not in texts(copy.recall("weir"))
    assert copy.get(str(mine.id)).ended_at is None


def test_vectors_of_another_model_are_made_anew(tmp_path: Path, kept: Memory, opened: Opener) -> None:
    folder = kept.export(tmp_path / "export")
    copy = opened(tmp_path / "copy.db", embedder=HashingEmbedder(64))
    copy.import_(folder)

    assert copy.counts().embedded == 9
    assert copy.doctor().healthy


def test_an_export_is_its_owners_alone(tmp_path: Path, kept: Memory) -> None:
    folder = kept.export(tmp_path / "export")

    assert folder.stat().st_mode & 0o077 == 0


def test_an_export_holds_no_secret(tmp_path: Path, kept: Memory) -> None:
    folder = kept.export(tmp_path / "export")

    assert not any(b"Q3EGRIPVTZ7XKLM2" in content for content in contents(folder).values())


def test_another_users_export_holds_the_shared_entries_only(
    tmp_path: Path, kept: Memory, opened: Opener
) -> None:
    folder = opened(user="bob", embedder="hashing").export(tmp_path / "export")
    text = (folder / "entries.jsonl").read_text(encoding="utf-8")

    assert "a private heron" not in text
    assert "the weir is closed" in text


def edited(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def manifest(**changes: Any) -> Callable[[Path], object]:
    def change(content: bytes) -> bytes:
        return json.dumps({**json.loads(content), **changes}).encode()

    return edited("manifest.json", change)


def without(key: str) -> Callable[[Path], object]:
    def change(content: bytes) -> bytes:
        values = json.loads(content)
        del values[key]
        return json.dumps(values).encode()

    return edited("manifest.json", change)


BROKEN: dict[str, Callable[[Path], object]] = {
    **{f"{name} missing": lambda folder, name=name: (folder / name).unlink() for name in FILES},
    **{f"{name} truncated": edited(name, lambda content: content[: len(content) // 2]) for name in FILES},
    **{f"{name} emptied": edited(name, lambda content: b"") for name in FILES},
    **{f"a byte of {name} changed": edited(name, lambda c: c[:30] + bytes([c[30] ^ 1]) + c[31:]) for name in FILES[:3]},
    **{f"a line of {name} twice": edited(name, lambda c: c + c.splitlines(True)[0]) for name in FILES[:3]},
    **{
        f"the manifest without {key}": without(key)
        for key in ("format", "version", "scope", "model", "sha256", "counts")
    },
    "a manifest that is a list": edited("manifest.json", lambda content: b"[]"),
    "a manifest that is null": edited("manifest.json", lambda content: b"null"),
    "a manifest that is no text": edited("manifest.json", lambda content: b"\xff\xfe"),
    "another format": manifest(format="diary"),
    "a newer version": manifest(version=999),
    "a version of letters": manifest(version="1"),
    "a scope for everyone": manifest(scope={"tenant": "*", "space": "default", "user": "me"}),
    "no scope": manifest(scope=None),
    "no hashes": manifest(sha256={}),
    "no counts": manifest(counts={}),
    "an empty folder": lambda folder: [path.unlink() for path in folder.iterdir()],
    "no folder": shutil.rmtree,
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_an_export_with_a_fault_is_refused_and_nothing_is_written(
    tmp_path: Path, kept: Memory, opened: Opener, kind: str
) -> None:
    folder = kept.export(tmp_path / "export")
    BROKEN[kind](folder)
    copy = opened(tmp_path / "copy.db", embedder="hashing")
    copy.remember("here before")
    before = dump(copy)
    with pytest.raises((ArchiveError, InvalidInput)) as refused:
        copy.import_(folder)

    assert refused.value.remedy
    assert dump(copy) == before
    assert copy.doctor().healthy


def entry_lines(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        lines = [json.loads(line) for line in (folder / "entries.jsonl").read_bytes().splitlines()]
        change(lines[-1])
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / "entries.jsonl").write_text(text, encoding="utf-8")

    return edit


def changed(**changes: Any) -> Callable[[Path], object]:
    return entry_lines(lambda line: line.update(changes))


FORGED: dict[str, Callable[[Path], object]] = {
    "no json": edited("entries.jsonl", lambda content: content + b"{]\n"),
    "a list": edited("entries.jsonl", lambda content: content + b"[]\n"),
    "a blank line": edited("entries.jsonl", lambda content: content + b"\n"),
    "a field missing": entry_lines(lambda line: line.pop("kind")),
    "an id that is none": changed(id="*"),
    "a text that is none": changed(text=5),
    "an empty text": changed(text=""),
    "a kind that is none": changed(kind="note"),
    "a visibility that is none": changed(visibility="everyone"),
    "a decay class that is none": changed(decay_class="never"),
    "a trust that is none": changed(trust="root"),
    "a naive time": changed(recorded_at="2024-05-07T12:00:00"),
    "no time": changed(recorded_at=None),
    "a scope for everyone": changed(scope={"tenant": "*", "space": "default", "user": "me"}),
    "another tenant": changed(scope={"tenant": "other", "space": "default", "user": "me"}),
    "another users private entry": changed(
        visibility="private", scope={"tenant": "local", "space": "default", "user": "bob"}
    ),
    "a source of another shape": changed(source={"password": "x"}),
    "a position of letters": changed(source={"position": "x"}),
    "sources that are no ids": changed(source_ids=["x"]),
    "sources that are a text": changed(source_ids="x"),
    "a confidence of letters": changed(confidence="x"),
    "a mask count of letters": changed(masked="x"),
    "a precision that is none": changed(happened_at={"at": "2024-05-07T12:00:00Z", "precision": "week"}),
    "an event of no entry": edited(
        "events.jsonl",
        lambda content: content.replace(
            json.loads(content.splitlines()[0])["entry_id"].encode(), b"018f52ec-c600-7000-8000-000000000000"
        ),
    ),
    "an event of no kind": edited("events.jsonl", lambda content: content.replace(b'"retired"', b'"exploded"')),
    "a vector of another length": edited(
        "vectors.jsonl", lambda content: content.replace(b'"values": ["', b'"values": ["AAAA', 1)
    ),
    "a vector without scales": edited(
        "vectors.jsonl", lambda content: content.replace(b'"scales": [', b'"scales": [], "x": [')
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORGED)
def test_an_export_that_was_forged_and_signed_is_refused_and_nothing_is_written(
    tmp_path: Path, kept: Memory, opened: Opener, kind: str
) -> None:
    folder = kept.export(tmp_path / "export")
    FORGED[kind](folder)
    sign(folder)
    copy = opened(tmp_path / "copy.db", embedder="hashing")
    copy.remember("here before")
    before = dump(copy)
    with pytest.raises(TruerecallError) as refused:
        copy.import_(folder)

    assert refused.value.remedy
    assert dump(copy) == before
    assert copy.remember("and after")[0].status == "stored"
    assert copy.doctor().healthy


@pytest.mark.parametrize("names", [{"tenant": "other"}, {"space": "other"}])
def test_an_export_of_another_scope_is_refused(
    tmp_path: Path, kept: Memory, opened: Opener, names: dict[str, str]
) -> None:
    folder = kept.export(tmp_path / "export")
    other = opened(tmp_path / "copy.db", embedder="hashing", **names)
    with pytest.raises(ArchiveError, match="export is of tenant"):
        other.import_(folder)

    assert other.counts().entries == 0


def test_an_export_with_anothers_private_entries_is_refused_as_a_whole(
    tmp_path: Path, kept: Memory, opened: Opener
) -> None:
    folder = kept.export(tmp_path / "export")
    bob = opened(tmp_path / "copy.db", embedder="hashing", user="bob")
    with pytest.raises(ArchiveError):
        bob.import_(folder)

    assert bob.counts().entries == 0


def test_an_entry_that_is_here_otherwise_is_not_overwritten(
    tmp_path: Path, kept: Memory, opened: Opener
) -> None:
    folder = kept.export(tmp_path / "export")
    copy = opened(tmp_path / "copy.db", embedder="hashing")
    copy.import_(folder)
    changed(text="rewritten")(folder)
    sign(folder)
    before = dump(copy)
    with pytest.raises(ArchiveError, match="otherwise"):
        copy.import_(folder)

    assert dump(copy) == before


def test_an_id_that_another_scope_has_is_not_told_apart_and_not_taken(
    tmp_path: Path, kept: Memory, opened: Opener
) -> None:
    folder = kept.export(tmp_path / "export")
    target = tmp_path / "copy.db"
    opened(target, embedder="hashing").import_(folder)
    for path in (folder / "entries.jsonl", folder / "manifest.json"):
        text = path.read_text(encoding="utf-8").replace('"tenant": "local"', '"tenant": "other"')
        path.write_text(text, encoding="utf-8")
    sign(folder)
    other = opened(target, embedder="hashing", tenant="other")
    with pytest.raises(ArchiveError):
        other.import_(folder)

    assert other.counts().entries == 0


def test_a_folder_that_is_not_empty_is_not_written_into(tmp_path: Path, kept: Memory) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "diary.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for target in (tmp_path / "full", tmp_path / "file"):
        with pytest.raises(ArchiveError, match="not empty"):
            kept.export(target)

    assert contents(tmp_path / "full") == {"diary.txt": b"mine"}
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_an_empty_folder_may_be_the_target_also_as_the_present_one(
    tmp_path: Path, kept: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "b")
    kept.export(tmp_path / "a")
    kept.export(".")

    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_missing_parents_of_the_target_are_made(tmp_path: Path, kept: Memory) -> None:
    assert sorted(contents(kept.export(tmp_path / "x" / "y" / "export"))) == sorted(FILES)


@pytest.mark.parametrize("kilobytes", [4, 8, 16, 20, 24, 28, 32, 36, 40, 48, 64])
def test_an_export_is_whole_or_not_there_however_small_the_disk(
    tmp_path: Path, tmpfs: Mounter, kept: Memory, kilobytes: int
) -> None:
    place = tmpfs(f"{kilobytes}k")
    try:
        kept.export(place / "export")
    except ArchiveError as refused:
        assert "cannot be written" in str(refused)
        assert list(place.iterdir()) == []
    else:
        assert contents(place / "export") == contents(kept.export(tmp_path / "roomy"))
        assert [path.name for path in place.iterdir()] == ["export"]
    assert kilobytes > 16 or list(place.iterdir()) == []
    assert kept.doctor().healthy


def test_what_a_killed_export_left_is_not_taken_for_one_and_not_in_the_way(
    tmp_path: Path, kept: Memory, opened: Opener
) -> None:
    whole = kept.export(tmp_path / "whole")
    draft = tmp_path / ".export.part"
    draft.mkdir()
    (draft / "entries.jsonl").write_bytes((whole / "entries.jsonl").read_bytes()[:100])

    with pytest.raises(ArchiveError):
        opened(tmp_path / "copy.db", embedder="hashing").import_(draft)
    assert contents(kept.export(tmp_path / "export")) == contents(whole)
    assert not draft.exists()


def test_an_empty_memory_can_be_exported_and_imported(tmp_path: Path, opened: Opener) -> None:
    folder = opened().export(tmp_path / "export")
    brought = opened(tmp_path / "copy.db").import_(folder)

    assert (brought.entries, brought.events, brought.known) == (0, 0, 0)


def test_what_was_purged_comes_back_only_by_an_import_that_says_so(
    tmp_path: Path, kept: Memory, opened: Opener
) -> None:
    folder = kept.export(tmp_path / "export")
    (weir,) = [entry for entry in kept.list() if entry.text == "the weir is closed"]
    assert kept.purge(weir.id).exports == (os.fspath(folder),)
    brought = kept.import_(folder)

    assert brought.entries == 1
    assert "the weir is closed" in texts(kept.recall("weir"))


def test_what_superseded_an_entry_may_have_been_purged_before_the_export(
    opened: Opener, clock: ManualClock, tmp_path: Path
) -> None:
    memory = opened()
    (old,) = memory.remember("the heron came back")
    clock.advance(timedelta(hours=1))
    memory.purge(str(memory.correct(str(old.id), "the stork came back").id))
    memory.export(tmp_path / "export")

    with Memory.open(tmp_path / "other.db", embedder="none", clock=clock) as other:
        assert (other.import_(tmp_path / "export").entries, other.recall("heron").hits) == (1, ())
        other.export(tmp_path / "again")

    assert (tmp_path / "again" / "events.jsonl").read_bytes() == (
        tmp_path / "export" / "events.jsonl"
    ).read_bytes()


def test_a_folder_that_looks_like_a_draft_but_is_not_ours_stays(opened: Opener, tmp_path: Path) -> None:
    memory = opened()
    memory.remember("the heron came back")
    mine = tmp_path / ".export.part" / "thesis.txt"
    mine.parent.mkdir()
    mine.write_text("precious", encoding="utf-8")

    with pytest.raises(ArchiveError, match="not empty"):
        memory.export(tmp_path / "export")

    assert mine.read_text(encoding="utf-8") == "precious"


def test_an_export_is_known_to_a_later_purge_even_if_it_failed(opened: Opener, tmp_path: Path) -> None:
    memory = opened()
    (result,) = memory.remember("the heron came back")
    (tmp_path / ".export.part").write_text("in the way", encoding="utf-8")
    with pytest.raises(ArchiveError):
        memory.export(tmp_path / "export")

    assert memory.purge(str(result.id)).exports == (str(tmp_path / "export"),)
