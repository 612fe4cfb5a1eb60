"""The second pass as a whole: off is off, nobody's rows leak through it, and any query is legal."""

from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lane_hits import FOUR, gave, lanes
from whole_store import Opener, traced

from truerecall import Draft, ManualClock, Memory, Settings, Source, Trust
from truerecall.core.config import NO_FACTORS, FactorWeights, LaneWeights, RecallSettings
from truerecall.core.entry import EventTime, Statement
from truerecall.memory.recall.lanes.ranking import LaneRanking
from truerecall.memory.recall.lanes.seeded import Seeded
from truerecall.memory.recall.lanes.table import SEEDED

QUERIES = [
    "Where does Roswitha live?",
    "What happened at the weir last month?",
    "what does quentin prefer",
    "weir",
    "yesterday",
    "東京",
    "",
]
EVERYTHING = Settings(
    lanes=LaneWeights(entity=1.0, time=1.0, cause=1.0, graph=1.0),
    factors=FactorWeights(0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.3),
    recall=RecallSettings(diversity=0.7, intent_boost=1.5, min_score=0.01, synonyms=True),
)


def keep(memory: Memory, clock: ManualClock) -> None:
    """A little of everything: turns with names and dates, facts, links, private and external entries."""
    told = [
        ("I live in Lisbon since April.", "Roswitha"),
        ("The weir at Castle Combe broke yesterday.", "Quentin"),
        ("I prefer tea, says Roswitha.", "Quentin"),
        ("東京で田中さんに会った。", "田中"),
        ("Rain fell on the weir.", "Ottilie"),
    ]
    ids = []
    for place, (text, speaker) in enumerate(told):
        source = Source(speaker, session="s", position=place)
        ids.append(memory.remember(Draft(text, source=source, happened_at=EventTime(clock())))[0].id)
        clock.advance(timedelta(days=4))
    for says in (Statement("Roswitha", "knows", "Quentin"), Statement("Quentin", "owns", "Castle Combe")):
        text = f"{says.subject} {says.predicate} {says.object}"
        ids.append(memory.remember(Draft(text, kind="fact", statement=says))[0].id)
    memory.link(str(ids[4]), str(ids[1]), 0.8)


def secrets(memory: Memory) -> None:
    """What names, states and links the same as ``keep`` does."""
    (first, second, *_) = memory.remember(
        [
            Draft(
                "Roswitha hid at the weir.", visibility="private", happened_at=EventTime.parse("2024-05-06")
            ),
            Draft("Quentin, also known as Ottilie, knew.", visibility="private"),
            Draft(
                "Roswitha lives in Faro",
                kind="fact",
                statement=Statement("Roswitha", "lives_in", "Faro"),
                trust=Trust.SYSTEM,
                visibility="private",
            ),
        ]
    )
    memory.link(str(first.id), str(second.id))


def told(memory: Memory, query: str) -> list[Any]:
    """All that a recall shows, but ids."""
    recalled = memory.recall(query)
    return [
        [(hit.entry.text, hit.fused, hit.score, hit.why) for hit in recalled.hits],
        [(lane.name, lane.candidates, lane.found, lane.note) for lane in recalled.lanes],
    ]


@pytest.mark.parametrize("lane", FOUR)
def test_a_lane_of_weight_0_does_not_run(opened: Opener, lane: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened().remember("Roswitha saw the weir")

    def run(seeded: Seeded) -> LaneRanking:
        raise AssertionError("it ran")

    monkeypatch.setitem(SEEDED, lane, run)
    others = lanes(*(name for name in FOUR if name != lane))

    assert lane not in [trace.name for trace in opened(settings=others).recall("weir").lanes]
    with pytest.raises(AssertionError, match="it ran"):
        opened(settings=lanes(lane)).recall("weir")


@pytest.mark.parametrize("part", ["lanes", "factors", "recall"])
def test_every_switch_at_its_off_value_gives_the_bytes_of_a_plain_recall(
    opened: Opener, clock: ManualClock, part: str
) -> None:
    off: dict[str, dict[str, Any]] = {
        "lanes": dict.fromkeys(FOUR, 0.0),
        "factors": {item.name: 0.0 for item in fields(FactorWeights)},
        "recall": {"intent_boost": 1.0, "diversity": 1.0, "min_score": 0.0, "synonyms": False},
    }
    writer = opened(embedder="hashing")
    keep(writer, clock)
    bare = Settings(factors=NO_FACTORS)
    plain = opened(embedder="hashing", settings=bare)
    for name, value in off[part].items():
        record = replace(getattr(bare, part), **{name: value})
        switched = opened(embedder="hashing", settings=replace(bare, **{part: record}))
        for query in QUERIES:
            a, b = plain.recall(query), switched.recall(query)
            assert traced(a) == traced(b)
            assert a.text == b.text


def test_what_only_serves_a_lane_that_is_off_changes_nothing(opened: Opener, clock: ManualClock) -> None:
    keep(opened(embedder="hashing"), clock)
    plain = opened(embedder="hashing", settings=Settings(factors=NO_FACTORS))
    unused = RecallSettings(intent_boost=3.0, time_window=1.0, zone="Asia/Tokyo")
    served = opened(embedder="hashing", settings=Settings(recall=unused, factors=NO_FACTORS))

    for query in QUERIES:
        assert traced(plain.recall(query)) == traced(served.recall(query))


@pytest.mark.parametrize("lane", FOUR)
@pytest.mark.parametrize("other", ["user", "tenant", "space"])
def test_what_others_keep_changes_nothing_of_what_a_lane_gives(
    opened: Opener, clock: ManualClock, tmp_path: Path, lane: str, other: str
) -> None:
    begun = clock.now
    keep(opened(settings=lanes(lane)), clock)
    secrets(opened(**{other: "somebody else"}))
    ended, clock.now = clock.now, begun
    alone = opened(tmp_path / "alone.db", settings=lanes(lane))
    keep(alone, clock)
    assert clock.now == ended
    beside = opened(settings=lanes(lane))

    for query in QUERIES:
        assert told(beside, query) == told(alone, query)
    assert any(gave(beside.recall(query), lane) for query in QUERIES)


def test_the_owner_of_private_rows_finds_them_through_every_lane(opened: Opener, clock: ManualClock) -> None:
    keep(opened(), clock)
    secrets(opened(user="somebody else"))
    texts = {
        lane: {
            text
            for query in QUERIES
            for text, _, _ in gave(opened(user="somebody else", settings=lanes(lane)).recall(query), lane)
        }
        for lane in FOUR
    }

    assert "Roswitha hid at the weir." in texts["entity"]
    assert "Roswitha hid at the weir." in texts["time"]
    assert "Quentin, also known as Ottilie, knew." in texts["cause"]
    assert "Roswitha lives in Faro" in texts["graph"]


def test_with_everything_on_two_recalls_give_the_same_bytes(
    opened: Opener, clock: ManualClock, tmp_path: Path
) -> None:
    begun, traces = clock.now, []
    for name in ("one.db", "two.db"):
        clock.now = begun
        with Memory.open(
            tmp_path / name, embedder="hashing", clock=clock, seed=5, settings=EVERYTHING
        ) as memory:
            keep(memory, clock)
            traces += [[traced(memory.recall(query)) for query in QUERIES] for _ in range(2)]

    assert traces[0] == traces[1] == traces[2] == traces[3]


@pytest.mark.parametrize(
    ("speaker", "query"),
    [
        ("田中", "田中は何を食べた？"),
        ("김민준", "김민준은 무엇을 먹었나"),
        ("สมชาย", "สมชายกินอะไร"),
        ("سارة", "ماذا أكلت سارة؟"),
        ("Ελένη", "τι έφαγε η ελένη"),
        ("🚲", "where is 🚲"),
    ],
)
def test_names_of_any_script_are_found_through_every_lane(opened: Opener, speaker: str, query: str) -> None:
    memory = opened(settings=lanes(*FOUR))
    first, second = memory.remember(
        [
            Draft("x y z", source=Source(speaker), happened_at=EventTime.parse("2024-05-06")),
            Draft("p q r", happened_at=EventTime.parse("2024-05-06")),
        ]
    )
    memory.remember(Draft("s t", kind="fact", statement=Statement(speaker, "likes", "Tea")))
    memory.link(str(first.id), str(second.id))
    recalled = memory.recall(query)

    assert "x y z" in [text for text, _, _ in gave(recalled, "entity")]
    assert "p q r" in [text for text, _, _ in gave(recalled, "time")]
    assert gave(recalled, "cause") == [("p q r", 1.0, "effect of a first hit, 1.00 sure")]
    assert gave(recalled, "graph") == [("s t", 0.5, f"{speaker} likes Tea")]


@pytest.fixture(scope="module")
def full() -> Iterator[Memory]:
    """A memory with everything on."""
    clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
    with Memory.open(":memory:", embedder="none", clock=clock, seed=3, settings=EVERYTHING) as memory:
        keep(memory, clock)
        yield memory


@settings(max_examples=100)
@given(
    query=st.text(max_size=60)
    | st.text("Roswitha Quentin\"'*-:/()weir東京🚲\x00\ud800 2023 last", max_size=60)
)
def test_any_query_is_legal_with_everything_on(full: Memory, query: str) -> None:
    recalled = full.recall(query)

    assert len(recalled.hits) <= 7
    assert recalled.trace.as_json()
