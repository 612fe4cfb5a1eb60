"""The memory with the embedder that it takes by itself where the [local] extra is installed."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from truerecall import Memory, Recall, Settings
from truerecall.core.config import StoreSettings
from truerecall.errors import ModelError
from truerecall.models import registry
from truerecall.models.local import LocalEmbedder
from truerecall.models.protocols import ModelIdentity

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not registry.installed(), reason="the local model is not installed"),
]
Opener = Callable[..., Memory]

PETS = "We picked up a spaniel puppy on Saturday."
ASKED = "which animals does this family own"  # no word of PETS
FILLER = "The old harbour was quiet and boats were counted until rain came over from the north. "
NEEDLE = "Afterwards our veterinarian vaccinated the spaniel."
NEEDLE_ASKED = "dog doctor gave an injection"


class Counting:
    """The local model, and every call that it gets."""

    def __init__(self, model: LocalEmbedder) -> None:
        self._model = model
        self.calls: list[tuple[str, object]] = []

    @property
    def identity(self) -> ModelIdentity:
        return self._model.identity

    def chunks(self, text: str) -> list[str]:
        self.calls.append(("chunks", text))
        return self._model.chunks(text)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(("embed", list(texts)))
        return self._model.embed(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.calls.append(("embed_query", text))
        return self._model.embed_query(text)


class Failing(Counting):
    """The local model, but that it fails on a text with a certain word."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if any("puppy" in text for text in texts):
            raise ModelError("the model ran out of memory", remedy="Try again.")
        return super().embed(texts)


def best_by_meaning(recalled: Recall) -> str:
    """The text of the vector lane's first row."""
    (first,) = [hit for hit in recalled.hits if "vector" in hit.lanes and hit.lanes["vector"].rank == 1]
    assert re.fullmatch(r"cosine 0\.\d{3}", first.lanes["vector"].reason)
    return first.entry.text


def exported(memory: Memory, folder: Path) -> tuple[dict[str, object], list[dict[str, object]]]:
    """The manifest of an export, and its vectors, one record an entry."""
    memory.export(folder)
    lines = (folder / "vectors.jsonl").read_text(encoding="utf-8").splitlines()
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return manifest, [json.loads(line) for line in lines]


def test_a_memory_opened_by_its_path_alone_has_the_local_model_and_its_store_knows_it(
    store: Path, tmp_path: Path
) -> None:
    with Memory.open(store) as memory:
        memory.remember("tea")
        (embedding,) = [f for f in memory.doctor().findings if f.check == "embedding"]
        manifest, vectors = exported(memory, tmp_path / "export")

    runtime = manifest["model"].pop("runtime")  # type: ignore[attr-defined]
    assert manifest["model"] == {
        "name": "local:all-MiniLM-L6-v2-int8",
        "dimension": 384,
        "weights": "d15461d36c35e3d1a74e42b64d5653aa0cf960a73e84ad24bf5e84f19053a470",
    }
    assert re.fullmatch(r"onnxruntime 1\.28\.\d+", runtime)
    assert (
        embedding.detail
        == "1 of 1 entries have a vector of local:all-MiniLM-L6-v2-int8; 1 have token vectors"
    )
    assert len(vectors) == 1


def test_what_was_remembered_without_a_model_is_found_by_meaning_once_the_doctor_embedded_it(
    opened: Opener, pets: list[str], model: LocalEmbedder
) -> None:
    opened(embedder="none").remember(pets)
    memory = opened(embedder=model)
    before = memory.recall(ASKED)

    repaired = memory.doctor(repair=True)
    found = memory.recall(ASKED)

    assert (before.hits, before.degradations) == (
        (),
        ("vector lane: no entry has a vector yet (`truerecall doctor --repair` embeds them)",),
    )
    assert (repaired.repaired, repaired.healthy) == (("embedded 7 entries",), True)
    assert found.hits[0].entry.text == PETS
    assert list(found.hits[0].lanes) == ["vector"]
    assert found.degradations == ()


def test_a_needle_at_the_end_of_20_000_characters_is_found_by_meaning(
    opened: Opener, tmp_path: Path, model: LocalEmbedder
) -> None:
    long = (FILLER * 240)[: 20_000 - len(NEEDLE)] + NEEDLE
    others = [FILLER * count for count in (1, 30, 240)]
    memory = opened(embedder=model)
    memory.remember([others[0], long, *others[1:]])

    found = memory.recall(NEEDLE_ASKED)
    _, vectors = exported(memory, tmp_path / "export")

    assert len(long) == 20_000
    assert best_by_meaning(found) == long
    expected = float(
        np.max(model.embed(model.chunks(long)) @ model.embed_query(NEEDLE_ASKED))
    )  # of the best piece, as far as int8 keeps it
    (nearest,) = [hit for hit in found.hits if hit.lanes["vector"].rank == 1]
    assert nearest.lanes["vector"].score == pytest.approx(expected, abs=0.01)
    pieces = [len(model.chunks(text)) for text in (others[0], long, *others[1:])]
    assert [record["chunks"] for record in vectors] == pieces
    assert [len(record["values"]) for record in vectors] == pieces  # type: ignore[arg-type]
    assert pieces[1] > 15


def test_of_a_text_beyond_the_most_pieces_the_store_keeps_how_many_it_has(
    opened: Opener, tmp_path: Path, model: LocalEmbedder
) -> None:
    memory = opened(embedder=model, settings=Settings(store=StoreSettings(most_chunks=2)))
    long = FILLER * 100 + NEEDLE
    memory.remember([long, "tea"])
    _, vectors = exported(memory, tmp_path / "export")

    kept = [(record["chunks"], len(record["values"])) for record in vectors]  # type: ignore[arg-type]
    assert kept == [(len(model.chunks(long)), 2), (1, 1)]
    assert memory.recall("veterinarian").hits[0].lanes["lexical"].rank == 1


def test_recall_calls_the_embedder_once_and_asks_nothing_else_of_it(
    opened: Opener, pets: list[str], model: LocalEmbedder
) -> None:
    counting = Counting(model)
    memory = opened(embedder=counting)
    memory.remember(pets)
    counting.calls.clear()

    found = memory.recall(ASKED, limit=3)
    assert (found.text, found.trace.as_json()) != ("", "")
    assert counting.calls == [("embed_query", ASKED)]

    counting.calls.clear()
    memory.recall(" ")
    memory.list()
    assert counting.calls == []


def test_a_store_without_vectors_costs_recall_no_call_but_that_for_the_query(
    opened: Opener, model: LocalEmbedder
) -> None:
    counting = Counting(model)
    opened(embedder="none").remember(PETS)
    opened(embedder=counting).recall(ASKED)
    assert counting.calls == [("embed_query", ASKED)]


def test_a_text_on_which_the_model_fails_is_stored_and_embedded_later(
    opened: Opener, pets: list[str], model: LocalEmbedder
) -> None:
    failing = opened(embedder=Failing(model))
    results = failing.remember(pets)
    found = failing.recall("puppy")

    assert [result.status for result in results] == ["stored"] * 3 + ["pending vector"] + ["stored"] * 3
    assert results[3].reason == "the model ran out of memory"
    assert found.hits[0].entry.id == results[3].id
    assert found.degradations == ("vector lane: 1 entries have no vector yet",)
    assert failing.doctor(repair=True).repaired == ("the embedder failed on 1 entries",)
    assert not failing.doctor().healthy

    memory = opened(embedder=model)
    # The other six had no token vectors: the embedder that failed gives none.
    assert memory.doctor(repair=True).repaired == ("embedded 7 entries",)
    assert memory.doctor().healthy
    assert best_by_meaning(memory.recall(ASKED)) == PETS
    assert memory.recall(ASKED).degradations == ()


def test_a_correction_is_found_by_its_own_meaning_and_not_by_the_old_one(
    opened: Opener, pets: list[str], model: LocalEmbedder
) -> None:
    memory = opened(embedder=model)
    ids = {result.id: text for result, text in zip(memory.remember(pets), pets, strict=True)}
    (old,) = [entry_id for entry_id, text in ids.items() if text == PETS]
    assert old is not None

    memory.correct(old, "They decided to buy a motorcycle.")

    assert best_by_meaning(memory.recall("two-wheeled vehicles")) == "They decided to buy a motorcycle."
    assert PETS not in [hit.entry.text for hit in memory.recall(ASKED).hits]
