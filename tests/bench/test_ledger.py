"""The ledger of releases: a file each, added once, never overwritten, and never of what is no release."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tiny import CLOCK, run

from truerecall import __version__
from truerecall.bench.ledger import Release, ReleaseLedger, ledger_text, release_of
from truerecall.bench.manifest import RetrievalManifest
from truerecall.bench.run import read_manifest
from truerecall.bench.systems.bm25 import Bm25
from truerecall.core.clock import ManualClock
from truerecall.errors import RunError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILE = "2024-05-07-0123456789ab.json"


def of(manifest: RetrievalManifest, **changes: Any) -> RetrievalManifest:
    """The manifest of a clean checkout, or of what is said."""
    made = {"commit": COMMIT, "dirty": False, **changes}
    return manifest.model_copy(update={"provenance": manifest.provenance.model_copy(update=made)})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ledger")
    run(out, [Bm25()])
    return out / "trial"


@pytest.fixture(scope="module")
def manifest(finished: Path) -> RetrievalManifest:
    return of(read_manifest(finished))


def release(finished: Path, manifest: RetrievalManifest, label: str = "", clock: Any = CLOCK) -> Release:
    return release_of([(finished, manifest)], [], clock, label)


def test_a_release_is_a_file_of_its_day_and_commit(
    tmp_path: Path, finished: Path, manifest: RetrievalManifest
) -> None:
    ledger = ReleaseLedger(tmp_path / "ledger")
    added = release(finished, manifest)
    path = ledger.add(added)

    assert path == tmp_path / "ledger" / FILE
    assert ledger.releases() == [(FILE, added)]
    assert [(one.figure, one.value, one.n) for one in added.figures] == [
        ("turn:any@5", 1.0, 8), ("session:fractional@1", 0.875, 8), ("session:fractional@5", 1.0, 8),
        ("session:mrr", 1.0, 8),
    ]  # fmt: skip


def test_nothing_in_the_ledger_is_overwritten(
    tmp_path: Path, finished: Path, manifest: RetrievalManifest
) -> None:
    ledger = ReleaseLedger(tmp_path)
    before = ledger.add(release(finished, manifest)).read_bytes()

    with pytest.raises(RunError, match="nothing in it is overwritten"):
        ledger.add(release(finished, manifest, label="once more"))
    assert (tmp_path / FILE).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_commit_that_is_in_it_is_not_added_on_another_day(
    tmp_path: Path, finished: Path, manifest: RetrievalManifest
) -> None:
    ledger = ReleaseLedger(tmp_path)
    ledger.add(release(finished, manifest))
    tomorrow = ManualClock(datetime(2024, 5, 8, tzinfo=UTC))

    with pytest.raises(RunError, match=FILE):
        ledger.add(release(finished, manifest, clock=tomorrow))


def test_whoever_comes_second_at_the_same_time_overwrites_nothing(
    tmp_path: Path, finished: Path, manifest: RetrievalManifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ReleaseLedger(tmp_path)
    before = ledger.add(release(finished, manifest)).read_bytes()
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter(()))

    with pytest.raises(RunError, match="nothing in it is overwritten"):
        ledger.add(release(finished, manifest))
    assert (tmp_path / FILE).read_bytes() == before


def test_a_disk_that_fails_leaves_no_half_of_a_release(
    tmp_path: Path, finished: Path, manifest: RetrievalManifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="No space left"):
            ReleaseLedger(tmp_path).add(release(finished, manifest))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"dirty": True}, "no commit holds"), ({"dirty": None}, "no commit holds")],
)
def test_code_that_no_commit_holds_needs_a_label(
    finished: Path, manifest: RetrievalManifest, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(RunError, match=words):
        release(finished, of(manifest, **changes))
    labelled = release(finished, of(manifest, **changes), label="a trial")
    assert (labelled.dirty, labelled.label) == (True, "a trial")


def test_a_label_is_one_line_and_holds_no_secret(finished: Path, manifest: RetrievalManifest) -> None:
    key = "sk-proj-" + "Qw7eRt2yUi9oPa4sDf6gHj1kLz3x"
    labelled = release(finished, manifest, label=f"a\n  trial with {key}")
    assert labelled.label.startswith("a trial with ")
    assert key not in labelled.label


def test_a_wiring_proof_needs_a_label(finished: Path, manifest: RetrievalManifest) -> None:
    proof = manifest.model_copy(update={"wiring_proof": True})

    with pytest.raises(RunError, match="a wiring proof"):
        release(finished, proof)
    assert release(finished, proof, label="made data").wiring_proof


@pytest.mark.parametrize(
    ("commit", "words"),
    [
        (None, "of no commit"),
        ("", "of no commit"),
        ("../../elsewhere", "that is none"),
        ("*", "that is none"),
    ],
)
def test_a_run_of_no_commit_is_refused(
    finished: Path, manifest: RetrievalManifest, commit: str | None, words: str
) -> None:
    with pytest.raises(RunError, match=words):
        release(finished, of(manifest, commit=commit), label="any")


def test_runs_of_two_commits_are_no_release(finished: Path, manifest: RetrievalManifest) -> None:
    with pytest.raises(RunError, match="several commits: 0123456789ab, ffffffffffff"):
        release_of([(finished, manifest), (finished, of(manifest, commit="f" * 40))], [], CLOCK)
    with pytest.raises(RunError, match="no run is named"):
        release_of([], [], CLOCK)


@pytest.mark.parametrize("text", ["", "{}", '{"kind": "release"'])
def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")

    with pytest.raises(RunError, match="not whole") as refused:
        ReleaseLedger(tmp_path).releases()
    assert refused.value.where == FILE


def test_a_file_under_another_name_is_refused(
    tmp_path: Path, finished: Path, manifest: RetrievalManifest
) -> None:
    ledger = ReleaseLedger(tmp_path)
    ledger.add(release(finished, manifest)).rename(tmp_path / "2020-01-01-0123456789ab.json")

    with pytest.raises(RunError, match="called otherwise"):
        ledger.releases()


def test_the_list_says_what_a_row_is(tmp_path: Path, finished: Path, manifest: RetrievalManifest) -> None:
    ledger = ReleaseLedger(tmp_path)
    assert ledger_text(ledger.releases()) == "no release is in the ledger"
    ledger.add(release(finished, manifest, label="first"))
    lines = ledger_text(ledger.releases()).splitlines()

    assert lines[0].split() == ["2024-05-07-0123456789ab", "truerecall", __version__, "first"]
    assert len(lines) == 5
