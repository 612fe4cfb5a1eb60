"""No text is embedded twice by one model, and nobody can see from a figure that a vector was looked up."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from test_run_folder import timeless
from tiny import CLOCK, conversation, dataset, options, run

from truerecall.bench.embedding import CachedEmbedder, CachedTokenEmbedder
from truerecall.bench.embedding import cached as behind
from truerecall.bench.estimate import Estimate, estimate
from truerecall.bench.progress import Progress, Watch
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.run import ChunkHead
from truerecall.bench.systems.protocol import Answer, Census, Item, Setting, Tuning
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.bench.vectors import VectorFile
from truerecall.core.entry import Scope
from truerecall.errors import ModelError, RunError
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.protocols import ModelIdentity, TokenEmbedder, token_identity
from truerecall.models.quantised import Int8Rows


class Counting(HashingEmbedder):
    """Knows what it was asked to compute, and takes a second of its clock for each letter."""

    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.computed: list[str] = []
        self.clock = 0.0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.computed += texts
        self.clock += sum(map(len, texts))
        return super().embed(texts)


class WithTokens(Counting):
    """A token vector for each letter of a text: of some texts none."""

    token_identity = ModelIdentity("letters", 8, "made", "")

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[Int8Rows]]:
        made = [np.random.default_rng(len(text)).normal(size=(len(text), 8)) for text in texts]
        return self.embed(texts), [Int8Rows.of(rows.astype(np.float32)) for rows in made]

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        return np.eye(8, dtype=np.float32)[: len(text)]


@pytest.fixture
def file(tmp_path: Path) -> Iterator[VectorFile]:
    opened = VectorFile(tmp_path / "vectors.db")
    yield opened
    opened.close()


def cached(inner: Counting, file: VectorFile) -> CachedEmbedder:
    return behind(inner, file, lambda: inner.clock)


TEXTS = [
    "The boat is called Juniper.",
    "Rain again all day.",
    "The boat is called Juniper.",
    "\ud800 \0 ",
    "",
]
LONG = " ".join(f"word{number}" for number in range(700))


def test_vectors_are_the_same_bytes_computed_or_looked_up(file: VectorFile) -> None:
    wanted = HashingEmbedder(64).embed(TEXTS)
    first, second = Counting(), Counting()
    cold, warm = cached(first, file).embed(TEXTS), cached(second, file).embed(TEXTS)

    assert cold.tobytes() == warm.tobytes() == wanted.tobytes()
    assert (cold.dtype, cold.shape) == (warm.dtype, warm.shape) == (wanted.dtype, wanted.shape)
    assert (first.computed, second.computed) == ([TEXTS[0], TEXTS[1], TEXTS[3], TEXTS[4]], [])
    assert cached(first, file).embed([]).shape == (0, 64)


def test_the_identity_and_the_query_are_those_of_the_embedder_behind(file: VectorFile) -> None:
    inner = Counting()
    embedder = cached(inner, file)

    assert embedder.identity == inner.identity
    assert embedder.embed_query("boat").tobytes() == inner.embed_query("boat").tobytes()


def test_token_vectors_are_the_same_computed_or_looked_up(file: VectorFile) -> None:
    def made(embedder: CachedEmbedder | WithTokens) -> list[bytes]:
        assert isinstance(embedder, TokenEmbedder)
        vectors, tokens = embedder.embed_with_tokens(TEXTS)
        assert [(own.values.shape, own.scales.dtype) for own in tokens] == [
            ((len(text), 8), np.dtype(np.float32)) for text in TEXTS
        ]
        return [vectors.tobytes(), *(own.values.tobytes() + own.scales.tobytes() for own in tokens)]

    first, second = WithTokens(), WithTokens()
    wanted = made(WithTokens())

    assert made(cached(first, file)) == made(cached(second, file)) == wanted
    assert (len(first.computed), second.computed) == (4, [])
    assert cached(second, file).embed(TEXTS).tobytes() == wanted[0]
    assert second.computed == []


def test_only_an_embedder_with_token_vectors_gives_them_through_the_cache(file: VectorFile) -> None:
    plain, matching = cached(Counting(), file), cached(WithTokens(), file)
    plain.embed(TEXTS)

    assert [token_identity(plain), token_identity(matching)] == [None, WithTokens.token_identity]
    assert isinstance(matching, CachedTokenEmbedder)
    assert matching.query_tokens("ab").tolist() == np.eye(8)[:2].tolist()
    # What was kept of the same model without token vectors does not do.
    assert [len(own.scales) for own in matching.embed_with_tokens(TEXTS)[1]] == [len(text) for text in TEXTS]


@given(st.text(max_size=40).map(lambda bit: f"{bit} {LONG} {bit}") | st.text())
def test_pieces_are_the_same_cut_or_looked_up(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = VectorFile(Path(folder) / "vectors.db")
        wanted = HashingEmbedder(64).chunks(text)
        embedder = cached(Counting(), file)
        assert embedder.chunks(text) == wanted
        embedder.embed(wanted)
        assert embedder.chunks(text) == cached(Counting(), file).chunks(text) == wanted
        file.close()


def test_another_model_never_gets_the_vectors_of_the_first(file: VectorFile) -> None:
    cached(Counting(64), file).embed(TEXTS)
    other = Counting(128)

    assert cached(other, file).embed(TEXTS).tobytes() == HashingEmbedder(128).embed(TEXTS).tobytes()
    assert len(other.computed) == 4


@pytest.mark.parametrize(
    "damage",
    [
        "update kept set value = substr(value, 1, length(value) - 1)",
        "update kept set value = zeroblob(length(value))",
        "update kept set value = x''",
        "update kept set key = (select max(key) from kept) where rowid = (select min(rowid) from kept)",
        "delete from kept where kind = 'pieces'",
    ],
)
def test_what_is_damaged_is_computed_anew_and_mended(damage: str, tmp_path: Path, file: VectorFile) -> None:
    def embedded(inner: Counting) -> NDArray[np.float32]:
        embedder = cached(inner, file)
        return embedder.embed([piece for text in (*TEXTS, LONG) for piece in embedder.chunks(text)])

    wanted = embedded(Counting())
    db = sqlite3.connect(tmp_path / "vectors.db")
    with db:
        db.execute(damage.replace("update ", "update or replace "))
    db.close()
    mending, after = Counting(), Counting()

    assert embedded(mending).tobytes() == wanted.tobytes()
    assert embedded(after).tobytes() == wanted.tobytes()
    assert after.computed == []
    assert bool(mending.computed) == ("pieces" not in damage)


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    db = sqlite3.connect(foreign)
    with db:
        db.execute("create table mine (a)")
    db.close()
    before = foreign.read_bytes()
    (tmp_path / "text.db").write_text("no database at all " * 99, encoding="utf-8")

    with pytest.raises(RunError, match="is not a cache of vectors"):
        VectorFile(foreign)
    with pytest.raises(RunError, match="cannot be used: file is not a database"):
        VectorFile(tmp_path / "text.db")
    assert foreign.read_bytes() == before


WORKER = """
import os, signal, sys
from pathlib import Path
from truerecall.bench.embedding import CachedEmbedder
from truerecall.bench.vectors import VectorFile
from truerecall.models.hashing import HashingEmbedder

embedder = CachedEmbedder(HashingEmbedder(64), VectorFile(Path({path!r})), lambda: 0.0)
for number in range({texts}):
    embedder.embed([f"text {{number}} of many"])
    if number == {dies_at}:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def worker(path: Path, texts: int, dies_at: int = -1) -> "subprocess.Popen[bytes]":
    program = WORKER.format(path=str(path), texts=texts, dies_at=dies_at)
    return subprocess.Popen([sys.executable, "-c", program])


def test_a_killed_process_leaves_what_it_had_computed(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    assert worker(path, 50, dies_at=29).wait(timeout=60) == -signal.SIGKILL
    inner, texts = Counting(), [f"text {number} of many" for number in range(50)]
    file = VectorFile(path)

    assert cached(inner, file).embed(texts).tobytes() == HashingEmbedder(64).embed(texts).tobytes()
    assert inner.computed == texts[30:]
    file.close()


def test_two_processes_fill_one_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    workers = [worker(path, 200), worker(path, 200)]
    assert [one.wait(timeout=60) for one in workers] == [0, 0]
    inner, texts = Counting(), [f"text {number} of many" for number in range(200)]
    file = VectorFile(path)

    assert cached(inner, file).embed(texts).tobytes() == HashingEmbedder(64).embed(texts).tobytes()
    assert inner.computed == []
    file.close()


class Uncached:
    """The memory with its embedder where the harness cannot reach it."""

    name = "truerecall"
    reusable = True

    def __init__(self, embedder: HashingEmbedder) -> None:
        self._system = Truerecall(embedder)

    @property
    def configuration(self) -> Mapping[str, Setting]:
        return self._system.configuration

    @property
    def tuning(self) -> Tuning:
        return self._system.tuning

    def open(self, folder: Path, scope: Scope) -> None:
        self._system.open(folder, scope)

    def ingest(self, items: Sequence[Item]) -> list[str | None]:
        return self._system.ingest(items)

    def recall(self, question: str, date: "object", k: int, budgets: Sequence[int]) -> Answer:
        return self._system.recall(question, date, k, budgets)  # type: ignore[arg-type]  # passed on

    def delete(self, handles: Sequence[str]) -> None:
        self._system.delete(handles)

    def census(self) -> Census:
        return self._system.census()

    def close(self) -> None:
        self._system.close()


def test_a_run_has_the_same_figures_without_the_cache_with_it_and_from_it(tmp_path: Path) -> None:
    kept, first, second = tmp_path / "kept", Counting(), Counting()
    without = run(tmp_path / "without", [Uncached(HashingEmbedder(64))])
    cold = run(tmp_path / "cold", [Truerecall(first)], cache=kept)
    warm = run(tmp_path / "warm", [Truerecall(second)], cache=kept)

    assert timeless(cold.model_dump()) == timeless(warm.model_dump()) == timeless(without.model_dump())
    assert (len(first.computed), second.computed) == (18, [])  # nine of them for the estimate
    assert [path.name for path in kept.iterdir()] == ["vectors.db"]
    assert not (tmp_path / "cold" / "vectors.db").exists()


def test_an_ingestion_says_how_many_of_its_vectors_were_looked_up(tmp_path: Path) -> None:
    def looked_up(name: str) -> int:
        run(tmp_path, [Truerecall(Counting())], [dataset(conversation("one"))], name=name)
        (chunk,) = (tmp_path / name / "chunks").iterdir()
        shutil.rmtree(tmp_path / "cache")
        return ChunkHead.model_validate_json(chunk.read_text(encoding="utf-8").split("\n")[0]).vectors_cached

    assert looked_up("first") == 0
    assert looked_up("again") == 9


def test_the_embedder_is_as_it_was_when_the_run_is_over(tmp_path: Path) -> None:
    system = Truerecall(inner := Counting())
    run(tmp_path, [system])

    assert system.embedder is inner


def test_the_estimate_comes_from_a_sample_of_what_waits(file: VectorFile) -> None:
    inner = Counting()
    embedder = cached(inner, file)
    texts = [f"text number {number:03}" for number in range(400)]
    embedder.embed([piece for text in texts[:80] for piece in embedder.chunks(text)])
    inner.computed = []
    told = estimate(embedder, [*texts, *texts])

    # 320 of the 400 texts wait; 64 of them are the sample; a text of 15 letters takes 15 seconds.
    assert told == Estimate(texts=400, waiting=320, characters=4800.0, pace=320 / 4800, seconds=4800.0)
    assert inner.computed == texts[80::5]
    assert estimate(embedder, texts[:80]) == Estimate(80, 0, 0.0, 0.0, 0.0)
    assert embedder.waiting(texts) == texts[80:]


class Failing(Counting):
    """Cannot embed any text."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise ModelError("it is down", remedy="Try later.")


def test_a_model_that_fails_on_the_sample_ends_no_run(file: VectorFile) -> None:
    assert estimate(cached(Failing(), file), ["one", "two"]) == Estimate(2, 2, 0.0, 0.0, 0.0)


def test_a_run_tells_its_estimate_before_anything_else(tmp_path: Path) -> None:
    told: list[Progress] = []
    systems = [Truerecall(Counting()), Truerecall(Counting(), name="again")]
    run_retrieval([dataset()], systems, options(tmp_path), CLOCK, told.append, lambda: 0.0)

    # The second system has the same model: it waits for nothing more.
    assert [(p.stage, p.system) for p in told[:2]] == [("estimate", "truerecall"), ("estimate", "again")]
    assert [p.estimate for p in told[:2]] == [Estimate(9, 9, 282.0, 0.0, 0.0), Estimate(0, 0, 0.0, 0.0, 0.0)]


def test_time_left_counts_embedding_by_what_waits_and_the_rest_by_questions(file: VectorFile) -> None:
    inner = Counting()
    embedder = cached(inner, file)
    told: list[Progress] = []
    clock = [0.0]
    watch = Watch(told.append, lambda: inner.clock + clock[0], 10, [embedder])
    embedder.on_computed = watch.again
    embedder.compute(["x" * 10])
    watch.estimated(100, Estimate(texts=9, waiting=9, characters=100.0, pace=1.0, seconds=100.0), "d", "s")
    watch.tell("ingest", "d", "s", "c")
    embedder.embed(["x" * 40])
    assert told[-2:] == [
        Progress("ingest", 0, 10, 100.0, "d", "s", "c"),
        Progress("ingest", 0, 10, 60.0, "d", "s", "c"),
    ]
    clock[0] += 5
    watch.asked("d", "s", "c")

    # 60 letters wait, a second each; nine questions wait, five seconds each.
    assert told[-1] == Progress("recall", 1, 10, 60.0 + 45.0, "d", "s", "c")
