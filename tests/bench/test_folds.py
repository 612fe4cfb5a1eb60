"""A history is ranked with the weights that were fitted without it, known by its texts; another one is refused."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tiny import ASKED, conversation, dataset, run, session

from truerecall.bench.datasets.records import Conversation
from truerecall.bench.history import History, prepare
from truerecall.bench.packing import SCOPE
from truerecall.bench.systems.folds import fingerprint, load_folds
from truerecall.bench.systems.protocol import Tuning
from truerecall.bench.systems.table import create
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.errors import InvalidSettings
from truerecall.memory.recall.evidence.weights import Weights, shipped_weights

HONEY = ("Honey.", "The honey came from the hills beyond the mill.", "More honey, please.")


def other() -> Conversation:
    """Another history than that of ``conversation``, with one session more."""
    made = conversation("other")
    return Conversation(made.id, (*made.sessions, session("goldD", 3, HONEY)), made.questions)


def history(made: Conversation) -> History:
    return prepare(made, "turn")


def texts(made: Conversation) -> list[str]:
    return [item.text for item in history(made).items]


def fold(made: Conversation, length: float) -> dict[str, Any]:
    chosen = {name: {"length": length} for name in ("words", "meaning", "tokens")}
    return {
        "history": fingerprint(texts(made)),
        "weights": {**chosen, "fitted_on": "tiny dev", "configurations": 7},
    }


def written(path: Path, folds: Sequence[dict[str, Any]]) -> Path:
    path.write_text(json.dumps({"folds": folds}), encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Long texts first in the one history, short ones first in the other."""
    return written(tmp_path / "folds.json", [fold(conversation("one"), 1.0), fold(other(), -1.0)])


def system(file: Path) -> Truerecall:
    return Truerecall(None, folds=load_folds(file))


def lengths(made: Conversation, system: Truerecall, handles: Sequence[str | None]) -> list[int]:
    """The words of the first three texts that are recalled."""
    by_handle = dict(zip(handles, texts(made), strict=True))
    answer = system.recall("Kim Robin", ASKED, 3, ())
    return [len(by_handle[handle].split()) for handle in answer.handles]


def test_each_history_is_ranked_with_the_weights_of_its_own_fold(tmp_path: Path, file: Path) -> None:
    found = {}
    for made in (conversation("one"), other()):
        folder = tmp_path / made.id
        folder.mkdir()
        one = system(file)
        one.open(folder, SCOPE)
        handles = one.ingest(history(made).items)
        found[made.id] = lengths(made, one, handles)
        one.close()

    assert found == {"gold-one": [6, 6, 5], "gold-other": [1, 3, 4]}


def test_a_store_that_was_filled_before_chooses_its_fold_too(tmp_path: Path, file: Path) -> None:
    filler = Truerecall(None)
    filler.open(tmp_path, SCOPE)
    handles = filler.ingest(history(other()).items)
    shipped = lengths(other(), filler, handles)
    filler.close()
    again = system(file)
    again.open(tmp_path, SCOPE)

    assert shipped != [1, 3, 4]
    assert lengths(other(), again, handles) == [1, 3, 4]
    again.close()


def test_a_history_without_a_fold_is_refused(tmp_path: Path) -> None:
    one = system(written(tmp_path / "folds.json", [fold(conversation("one"), 1.0)]))
    one.open(tmp_path, SCOPE)

    with pytest.raises(InvalidSettings, match="the folds hold no weights for this history") as refused:
        one.ingest(history(other()).items)
    assert refused.value.where == f"history {fingerprint(texts(other()))[:12]}…"
    assert "benchmarks/fit.py" in refused.value.remedy
    one.close()
    with pytest.raises(InvalidSettings, match="no weights for this history"):
        one.open(tmp_path, SCOPE)
    one.close()


def test_a_history_is_known_by_its_texts_in_any_order_and_by_nothing_less() -> None:
    assert fingerprint(["a", "b", "b"]) == fingerprint(["b", "a", "b"])
    assert len({fingerprint(made) for made in (["a", "b"], ["a", "b", "b"], ["ab"], ["a"], [])}) == 5


def test_a_run_declares_that_its_weights_are_out_of_fold(tmp_path: Path, file: Path) -> None:
    data = [dataset(conversation("one"), other())]
    shipped, folded = (
        run(tmp_path, [chosen], data, name=name).datasets[0].systems[0]
        for name, chosen in (("first", Truerecall(None)), ("second", system(file)))
    )

    assert folded.tuning == Tuning("out-of-fold", folds=2, configurations=7, tuned_on="tiny dev")
    assert shipped.tuning == Tuning(
        "in-sample", 0, shipped_weights().configurations, shipped_weights().fitted_on
    )
    assert folded.configuration["evidence"] == load_folds(file).sha256
    assert shipped.configuration["evidence"] == shipped_weights().sha256
    # The second run found its stores in the cache: the folds are recall's, not ingestion's.
    assert len(list((tmp_path / "cache").glob("*/store"))) == 2


def test_the_system_takes_a_file_of_folds_as_an_option(file: Path) -> None:
    chosen = create("truerecall", {"embedder": "none", "folds": str(file)})

    assert isinstance(chosen, Truerecall)
    assert chosen.tuning == Tuning("out-of-fold", folds=2, configurations=7, tuned_on="tiny dev")


def test_the_folds_of_a_file_are_weights_by_history(file: Path) -> None:
    folds = load_folds(file)
    long = {"length": 1.0}

    assert len(folds.weights) == 2
    assert folds.without(fingerprint(texts(conversation("one")))) == Weights(long, long, long, "tiny dev", 7)


NO_FOLDS = "this is no file of folds"
BAD = {
    "not JSON": (b"folds", NO_FOLDS),
    "not UTF-8": (b"\xff\xfe", NO_FOLDS),
    "nested without end": (b"[" * 100_000, NO_FOLDS),
    "a list": (b"[]", NO_FOLDS),
    "without folds": (b"{}", NO_FOLDS),
    "folds of text": (b'{"folds": ["one"]}', NO_FOLDS),
    "without a history": (b'{"folds": [{"weights": {}}]}', NO_FOLDS),
    "empty": (b'{"folds": []}', "there is no fold in it"),
    "without weights": (b'{"folds": [{"history": "a", "weights": {}}]}', NO_FOLDS),
    "not a number": (
        b'{"folds": [{"history": "a", "weights": {"words": {"asks": NaN}, "meaning": {}, "tokens": {}}}]}',
        NO_FOLDS,
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_holds_no_folds_is_refused(tmp_path: Path, kind: str) -> None:
    content, problem = BAD[kind]
    (tmp_path / "folds.json").write_bytes(content)

    with pytest.raises(InvalidSettings, match=problem):
        load_folds(tmp_path / "folds.json")


@pytest.mark.parametrize("name", ["absent.json", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidSettings, match="the folds cannot be read"):
        load_folds(tmp_path / name)
