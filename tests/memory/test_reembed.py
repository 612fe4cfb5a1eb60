"""A store goes over to another model in steps: broken off it goes on, and no vectors of two models are ever mixed."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from whole_store import Opener, count, texts

from truerecall import Memory
from truerecall.errors import InvalidInput, ModelMismatch
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.scripted import ScriptedEmbedder

SAID = [f"heron {number} came back" for number in range(700)]
OLD, NEW = HashingEmbedder(32), HashingEmbedder(64)
MODELS = "SELECT count(*) FROM model"


class Interrupted(HashingEmbedder):
    """Is interrupted when it is asked for one text more than it may embed."""

    def __init__(self, allowed: int, signal_: int | None = None) -> None:
        super().__init__(64)
        self._left = allowed
        self._signal = signal_

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._left -= len(texts)
        if self._left < 0:
            if self._signal is not None:
                os.kill(os.getpid(), self._signal)
            raise KeyboardInterrupt
        return super().embed(texts)


class Counted(HashingEmbedder):
    """Counts the texts that it embeds."""

    embedded = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += len(texts)
        return super().embed(texts)


def note(memory: Memory) -> str:
    (lane,) = [lane for lane in memory.recall("heron 5").trace.lanes if lane.name == "vector"]
    return lane.note


@pytest.fixture
def filled(store: Path, opened: Opener) -> Memory:
    memory = opened(embedder=OLD)
    memory.remember(SAID)
    return memory


def test_a_store_goes_over_to_another_model(store: Path, opened: Opener, filled: Memory) -> None:
    filled.close()
    memory = opened()
    told: list[tuple[int, int]] = []
    done = memory.reembed(NEW, progress=lambda *progress: told.append(progress))

    assert (done.embedded, done.failed, done.dropped) == (700, 0, 700)
    assert (told[-1], told == sorted(told), len(told) > 5) == ((700, 700), True, True)
    assert (note(memory), memory.counts().embedded, count(store, MODELS)) == ("", 700, 1)
    assert memory.doctor().healthy
    fresh = opened(":memory:", embedder=NEW, seed=1)
    fresh.remember(SAID)
    later = opened(embedder=NEW)
    for query in ("heron 5", "heron 699"):
        wanted = texts(fresh.recall(query))
        assert [texts(one.recall(query)) for one in (memory, later)] == [wanted, wanted]
    with pytest.raises(ModelMismatch):
        opened(embedder=OLD)


def test_broken_off_it_goes_on_where_it_was(store: Path, opened: Opener, filled: Memory) -> None:
    with pytest.raises(KeyboardInterrupt):
        opened().reembed(Interrupted(300))
    rest = Counted(64)

    assert opened(embedder=NEW).counts().embedded == 256
    assert note(opened(embedder=NEW)) == "444 entries have no vector yet"
    assert texts(opened(embedder=NEW).recall("heron 650 came back"))
    done = opened().reembed(rest)

    assert (done.embedded, done.dropped, rest.embedded) == (444, 700, 444)
    assert (note(opened(embedder=NEW)), count(store, MODELS)) == ("", 1)


def test_meanwhile_the_old_model_may_be_open_and_write(store: Path, opened: Opener, filled: Memory) -> None:
    with pytest.raises(KeyboardInterrupt):
        opened().reembed(Interrupted(300))

    assert note(opened(embedder=OLD)) == note(filled) == ""
    assert filled.remember("one more heron")[0].status == "stored"
    with pytest.raises(ModelMismatch, match="reembed --embedder hashing:128"):
        opened(embedder=HashingEmbedder(128))
    done = opened().reembed(NEW)

    assert (done.embedded, done.dropped) == (445, 701)
    assert note(filled) == "no entry has a vector yet (`truerecall doctor --repair` embeds them)"
    with pytest.raises(ModelMismatch):
        filled.remember("and another")
    assert len(texts(filled.recall("heron"))) == 10


def test_a_killed_run_goes_on(store: Path, opened: Opener, filled: Memory) -> None:
    filled.close()
    program = (
        f"import sys; sys.path[:0] = [{os.fspath(Path(__file__).parent)!r}]\n"
        "from test_reembed import Interrupted\n"
        "from truerecall import Memory\n"
        f"Memory.open({os.fspath(store)!r}, embedder='none').reembed(Interrupted(400, {int(signal.SIGKILL)}))\n"
    )
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    rest = Counted(64)
    between = opened(embedder=rest)
    assert (between.counts().embedded, note(between)) == (256, "444 entries have no vector yet")

    done = between.reembed()

    assert (done.embedded, done.dropped, rest.embedded) == (444, 700, 444)
    assert between.doctor().healthy


def test_a_model_that_is_down_costs_no_vector_of_the_old_one(opened: Opener, filled: Memory) -> None:
    down = ScriptedEmbedder({"x": [1, 0]})
    done = opened().reembed(down)

    assert (done.embedded, done.failed, done.dropped) == (0, 700, 0)
    assert (note(filled), note(opened(embedder=OLD))) == ("", "")
    assert opened(embedder=OLD).reembed().dropped == 0


def test_a_text_on_which_it_fails_keeps_no_other_from_its_vector(
    store: Path, opened: Opener, filled: Memory
) -> None:
    vectors = {text: [1.0, number / 100] for number, text in enumerate(SAID)}
    done = opened().reembed(ScriptedEmbedder(vectors, fails_on=SAID[100:102]))

    assert (done.embedded, done.failed, done.dropped) == (698, 2, 700)
    assert opened().reembed(ScriptedEmbedder(vectors)).embedded == 2


def test_an_aim_can_be_changed_halfway(store: Path, opened: Opener, filled: Memory) -> None:
    with pytest.raises(KeyboardInterrupt):
        opened().reembed(Interrupted(300))
    third = HashingEmbedder(16)
    done = opened().reembed(third)

    assert (done.embedded, count(store, MODELS)) == (700, 1)
    with pytest.raises(ModelMismatch):
        opened(embedder=NEW)
    assert opened(embedder=third).doctor().healthy


def test_a_recall_that_began_with_the_old_model_takes_no_vector_of_the_new_one(opened: Opener) -> None:
    class MovesOn(HashingEmbedder):
        """Goes over to another model of its size in the middle of a query."""

        def embed_query(self, text: str) -> NDArray[np.float32]:
            return super().embed_query(text)

    memory = opened(embedder=OLD)
    memory.remember(SAID[:3])
    memory.reembed(NEW)
    memory._embedder = MovesOn(32)  # what a thread that began before would still hold

    assert note(memory) == "the memory is going over to another embedder"
    assert texts(memory.recall("heron 1"))


def test_without_a_model_there_is_nothing_to_do(opened: Opener) -> None:
    with pytest.raises(InvalidInput, match="no embedder"):
        opened().reembed()


def test_progress_is_told_for_what_is_remembered_and_imported(tmp_path: Path, opened: Opener) -> None:
    memory = opened(embedder=NEW)
    told: list[tuple[int, int]] = []
    memory.remember([f"{text} {n}" for n in range(2) for text in SAID], progress=lambda *p: told.append(p))
    folder = memory.export(tmp_path / "export")
    imported: list[tuple[int, int]] = []
    opened(tmp_path / "copy.db", embedder=OLD).import_(folder, progress=lambda *p: imported.append(p))

    for seen in (told, imported):
        assert (seen == sorted(seen), seen[-1], len(seen) > 10) == (True, (1400, 1400), True)
