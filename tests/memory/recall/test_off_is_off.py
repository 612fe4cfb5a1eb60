"""With every further switch at its off value, recall gives the bytes that it gave before there were any.

``recalls_without_switches.json`` was written by ``write_golden`` below with the code as it stood before the first of
them. It holds, of each query, the beginning of the sha256 of its trace and of its block. Ids stand in them as numbers
of turns, and milliseconds not at all.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from whole_store import traced

from truerecall import Draft, EventTime, ManualClock, Memory, Settings, Source, Trust
from truerecall.bench.datasets.generator import generate_locomo
from truerecall.core.config import NO_FACTORS

GOLDEN = Path(__file__).with_name("recalls_without_switches.json")
OFF = Settings(factors=NO_FACTORS)
"""As shipped, with what came later off."""
OTHERS = [
    "昨日、母は東京で寿司を食べた。",
    "ฉันย้ายไปกรุงเทพเมื่อปีที่แล้ว",
    "انتقلت سارة إلى القاهرة",
    "The 🚲 was stolen 😢",
    "kubectl rollout restart deploy/api && git push origin main",
]
QUERIES = [
    "",
    "?!",
    "東京",
    "กรุงเทพ",
    "القاهرة",
    "🚲",
    "kubectl rollout",
    'AND OR NOT "quoted" -x: y*',
    "What happened last week?",
    "What do I prefer?",
    "How many times, and when, in 2023?",
]


def conversations() -> list[Any]:
    return generate_locomo(11, conversations=2, sessions=6, turns=12, questions=26)


def queries() -> list[str]:
    return [*QUERIES, *(asked["question"] for talk in conversations() for asked in talk["qa"])]


def keep(memory: Memory, clock: ManualClock) -> list[str]:
    """Fill a memory; returns the ids of its entries in the order of writing."""
    drafts = []
    for number, talk in enumerate(conversations()):
        told = talk["conversation"]
        for session in range(1, 7):
            day = datetime(2023, 1, 1, 9, tzinfo=UTC) + timedelta(days=19 * session + 7 * number)
            drafts += [
                Draft(
                    turn["text"],
                    source=Source(turn["speaker"], session=f"{number}.{session}", position=place),
                    happened_at=EventTime(day + timedelta(minutes=place)),
                    trust=Trust.EXTERNAL if place == 7 else Trust.LEARNED,
                    visibility="private" if place == 5 else "shared",
                    pinned=(number, session, place) == (1, 3, 2),
                )
                for place, turn in enumerate(told[f"session_{session}"])
            ]
    drafts += [Draft(text, happened_at=EventTime.parse("2023-05")) for text in OTHERS]
    drafts += [drafts[3], Draft("Ana sold the mill.", kind="fact"), Draft(drafts[4].text)]
    ids = []
    for draft in drafts:
        ids.append(str(memory.remember(draft)[0].id))
        clock.advance(timedelta(hours=5))
    return ids


def digests(memory: Memory, ids: Sequence[str], scores: bool) -> dict[str, str]:
    """Of each query, the digests of its trace and its block."""
    number = {entry_id: str(place) for place, entry_id in reversed([*enumerate(ids)])}
    short = {entry_id[-8:]: place for entry_id, place in number.items()}
    found = {}
    for query in queries():
        recalled = memory.recall(query, limit=7, budget=400)
        trace = re.sub("[0-9a-f]{32}", lambda match: number.get(match[0], match[0]), traced(recalled))
        if not scores:  # sums of single precision differ from machine to machine
            trace = re.sub(r'("score": )[-0-9.e]+', r"\1", trace)
        block = re.sub(r"(?m)^\[([0-9a-f]{8})", lambda match: f"[{short[match[1]]}", recalled.text)
        found[query] = " ".join(hashlib.sha256(text.encode()).hexdigest()[:12] for text in (trace, block))
    return found


def write_golden(folder: Path) -> None:
    """Write the file anew; only with a build whose bytes are to be kept."""
    kept = {}
    for embedder in ("none", "hashing"):
        clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
        with Memory.open(
            folder / f"{embedder}.db", embedder=embedder, clock=clock, seed=1, settings=OFF
        ) as memory:
            kept[embedder] = digests(memory, keep(memory, clock), embedder == "none")
    GOLDEN.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


@pytest.fixture(params=["none", "hashing"])
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Memory, list[str], str]]:
    clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
    path = tmp_path / "m.db"
    with Memory.open(path, embedder=request.param, clock=clock, seed=1, settings=OFF) as memory:
        yield memory, keep(memory, clock), request.param


def test_recall_gives_the_bytes_of_a_build_without_the_switches(
    filled: tuple[Memory, list[str], str],
) -> None:
    memory, ids, embedder = filled
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))[embedder]

    assert digests(memory, ids, scores=embedder == "none") == golden
