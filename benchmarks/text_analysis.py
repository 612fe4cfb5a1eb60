"""What folding, pairs and masking cost, in processor time; ``--write`` keeps it as a manifest.

Large texts are made here, so that growth shows: every one is ten million characters or bytes.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from truerecall.bench.measured import Column, Figures, FiguresRow, FiguresTable, making, record_json
from truerecall.core.clock import system_clock
from truerecall.memory import analysis
from truerecall.memory.write.mask import mask

RECORD = Path(__file__).resolve().parent / "manifests" / "text-analysis.json"
SIZE = 10_000_000
REPEATS = 5
MANY = 20_000
"""Calls that are timed together where one is too short."""

# ruff: noqa: RUF001  (other scripts are the point)
ENGLISH = "Where did we have lunch after the walk along the harbour last Sunday, and who paid for it? "
HAN = "我们一起去公园散步然后在湖边吃了午饭"
RUSSIAN = "Вчера\u0301 мы с другом ходи\u0301ли в новый рестора\u0301н, ещё раз. "
THAI_MARKS = ("\u0e38", "\u0e48", "\u0e39", "\u0e3a")
"""Marks of three combining classes: a long run of them out of order is what normalising sorts."""
QUESTIONS = ("Where did we have lunch after the walk along the harbour?", "我们在哪里吃了午饭")
TURN = "I did! It's a bit crooked, but I'm really proud of it. The teacher says we'll glaze them next week."


def filled(piece: str) -> str:
    """Ten million characters of a piece."""
    return (piece * (SIZE // len(piece) + 1))[:SIZE]


def large() -> Iterator[tuple[str, Callable[[], object]]]:
    """Name and call of what is timed on ten million characters."""
    chance = random.Random(7)
    marks = "".join(chance.choices(THAI_MARKS, k=SIZE))
    for name, text in (
        ("ASCII", filled(ENGLISH)), ("Han", filled(HAN)), ("Cyrillic with marks", filled(RUSSIAN)),
        ("Thai marks out of order (the quadratic case)", marks),
    ):  # fmt: skip
        yield f"fold: {name}", partial(analysis.fold, text)
    text = filled(HAN)
    yield "segment: Han", partial(analysis.segment, text)
    for piece in ("a", "eyJ", "-----BEGIN", 'password="'):
        text = filled(piece)
        yield f"mask: {piece} over and over", partial(mask, text)


def small() -> Iterator[tuple[str, Callable[[], object]]]:
    """Name and call of what is timed by the thousand."""
    english, chinese = QUESTIONS
    yield "words of an English question", partial(analysis.words, english)
    yield "pairs of a Chinese question", partial(analysis.bigrams, chinese)
    yield "mask: a turn without a secret", partial(mask, TURN)


def processor_seconds(call: Callable[[], object], times: int) -> float:
    """Median over the repeats of the processor time of one call."""
    call()
    taken = []
    for _ in range(REPEATS):
        start = time.process_time()
        for _ in range(times):
            call()
        taken.append((time.process_time() - start) / times)
    return median(taken)


def measure() -> Figures:
    """Everything, in the order of the page."""
    machine = making(system_clock, "benchmarks/text_analysis.py --write", ())
    texts = [FiguresRow(name=name, figures=[round(processor_seconds(call, 1), 4)]) for name, call in large()]
    calls = [
        FiguresRow(name=name, figures=[round(processor_seconds(call, MANY) * 1e6, 2)])
        for name, call in small()
    ]
    return Figures(
        method=f"Processor time, medians of {REPEATS} repeats after one that warms up.",
        tables=[
            FiguresTable(
                caption="Ten million characters",
                rows_are="what",
                columns=[Column(name="seconds", places=3)],
                rows=texts,
            ),
            FiguresTable(
                caption="One turn or question",
                rows_are="what",
                columns=[Column(name="microseconds", places=1)],
                rows=calls,
            ),
        ],
        making=machine,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write benchmarks/manifests/{RECORD.name}")
    options = parser.parse_args(arguments)
    made = measure()
    for table in made.tables:
        for row in table.rows:
            print(f"{row.name}: {row.figures[0]} {table.columns[0].name}")
    if options.write:
        RECORD.write_text(record_json(made), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
