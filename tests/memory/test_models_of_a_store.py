"""Vectors of two models are never mixed: not of two names, and not of two sets of weights of one size."""

from pathlib import Path

import pytest
from whole_store import Opener, texts

from truerecall import Memory, Settings
from truerecall.core.config import StoreSettings
from truerecall.errors import ModelMismatch, TruerecallError
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.scripted import ScriptedEmbedder


@pytest.fixture
def embedded(opened: Opener) -> None:
    opened(embedder=ScriptedEmbedder({"heron": [1, 0]}, default=[0, 1])).remember(["heron", "weir"])


OTHERS = {
    "another model": HashingEmbedder(),
    "another dimension": ScriptedEmbedder({"heron": [1, 0, 0]}, default=[0, 1, 0]),
    "the same dimension with other weights": ScriptedEmbedder({"heron": [0, 1]}, default=[1, 0]),
    "the same weights under another name": ScriptedEmbedder(
        {"heron": [1, 0]}, default=[0, 1], name="scripted:b"
    ),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_a_store_refuses_another_models_vectors(opened: Opener, embedded: None, kind: str) -> None:
    with pytest.raises(ModelMismatch, match="scripted:embedder") as refused:
        opened(embedder=OTHERS[kind])

    assert f"truerecall reembed --embedder {OTHERS[kind].identity.name}" in refused.value.remedy
    same = opened(embedder=ScriptedEmbedder({"heron": [1, 0]}, default=[0, 1]))
    assert same.counts().embedded == 2


def test_two_models_that_open_an_empty_store_at_once_do_not_both_write(opened: Opener) -> None:
    first, second = opened(embedder=HashingEmbedder(64)), opened(embedder=HashingEmbedder(128))
    first.remember("heron")

    with pytest.raises(ModelMismatch):
        second.remember("weir")

    assert texts(opened().recall("heron weir")) == ["heron"]


def test_two_sizes_of_one_embedder_are_two_models(opened: Opener) -> None:
    opened(embedder=HashingEmbedder(64)).remember("heron")
    with pytest.raises(ModelMismatch):
        opened(embedder=HashingEmbedder(128))


def test_a_refused_store_can_be_opened_at_once_by_the_right_model(opened: Opener, embedded: None) -> None:
    with pytest.raises(ModelMismatch):
        opened(embedder="hashing")
    memory = opened(embedder=ScriptedEmbedder({"heron": [1, 0]}, default=[0, 1]))

    assert memory.remember("mill")[0].status == "stored"
    assert memory.counts().embedded == 3


def test_a_store_with_vectors_can_be_used_without_a_model(opened: Opener, embedded: None) -> None:
    memory = opened()

    assert texts(memory.recall("heron")) == ["heron"]
    assert memory.counts().embedded is None
    assert memory.remember("mill")[0].status == "stored"


def test_a_store_without_vectors_takes_any_model(opened: Opener) -> None:
    opened().remember("heron")

    assert opened(embedder="hashing").remember("weir")[0].status == "stored"


def test_the_number_of_pieces_that_get_a_vector_is_bounded_and_the_rest_is_found_by_its_words(
    opened: Opener,
) -> None:
    memory = opened(embedder="hashing", settings=Settings(store=StoreSettings(most_chunks=2)))
    memory.remember(" ".join(f"filler{number}" for number in range(2000)) + " zanzibar")

    assert memory.doctor().healthy
    assert memory.recall("zanzibar").hits[0].lanes["lexical"].rank == 1


def test_an_unknown_embedder_is_named(store: Path) -> None:
    for name in ("", "abacus", "hashing:7", "*"):
        with pytest.raises(TruerecallError, match="Use one of"):
            Memory.open(store, embedder=name)
    assert not store.exists()
