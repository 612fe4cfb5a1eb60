"""What a recall returns, in which order, and what it says about it."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import ENTRY, Opener, texts, traced

from truerecall import Draft, EventTime, ManualClock, Memory, Settings, Source, Trust
from truerecall.core.config import FactorWeights, LaneWeights, RecallSettings
from truerecall.errors import InvalidInput
from truerecall.memory.recall.dedup import duplicates
from truerecall.memory.recall.lanes.ranking import LaneRanking, Search
from truerecall.memory.recall.lanes.table import LANES
from truerecall.memory.recall.trace import append_trace
from truerecall.models.scripted import ScriptedEmbedder

DIARY = [
    "The heron came back to the weir.",
    "Ana repaired the weir in April.",
    "The mill was sold to a brewer.",
    "We counted nine herons at dawn.",
    "A brewer needs soft water.",
    "Soft water comes from the hills.",
]


def keep_diary(memory: Memory, clock: ManualClock) -> None:
    for number, text in enumerate(DIARY):
        memory.remember(text, session="s1", position=number, happened_at=clock())
        clock.advance(timedelta(days=1))


@pytest.fixture
def diary(opened: Opener, clock: ManualClock) -> Memory:
    memory = opened(embedder="hashing")
    keep_diary(memory, clock)
    return memory


def test_rarer_words_count_for_more(memory: Memory, clock: ManualClock) -> None:
    keep_diary(memory, clock)

    assert set(texts(memory.recall("the brewer"))[:2]) == {
        "A brewer needs soft water.",
        "The mill was sold to a brewer.",
    }
    assert texts(memory.recall("april herons brewer water"))[0] == "A brewer needs soft water."


def test_a_hit_says_why_it_is_there(diary: Memory) -> None:
    (hit,) = [hit for hit in diary.recall("herons at the weir").hits if hit.lanes["vector"].rank == 1]

    assert set(hit.lanes["lexical"].reason.split()) == {"herons", "weir"}
    assert hit.lanes["vector"].reason.startswith("cosine 0.")
    assert hit.why.startswith("lexical #1 (")
    assert ", vector #1 (cosine 0." in hit.why
    assert hit.score == hit.base


def test_the_golden_values_of_the_fusion_come_out_of_the_pipeline(opened: Opener) -> None:
    embedder = ScriptedEmbedder({"heron": [1, 0], "a grey bird": [1, 0], "query": [1, 0]}, default=[0, 1])
    settings = Settings(lanes=LaneWeights(lexical=1.0, window=0.0, session=0.0, vector=1.5))
    memory = opened(embedder=embedder, settings=settings)
    memory.remember(["a grey bird", "the query word"])
    first, second = memory.recall("query").hits

    assert (first.entry.text, second.entry.text) == ("the query word", "a grey bird")
    assert first.fused == pytest.approx((1.0 + 1.5 * 61 / 62) / 2.5)
    assert second.fused == pytest.approx(0.60)


@pytest.mark.parametrize(
    "weights", [FactorWeights(recency=1.0), FactorWeights(temporal=1.0), FactorWeights(trust=1.0)]
)
def test_a_factor_moves_the_order_only_when_it_is_on(
    opened: Opener, clock: ManualClock, weights: FactorWeights
) -> None:
    memory = opened()
    memory.remember(Draft("heron old", happened_at=EventTime.parse("2001")))
    clock.advance(timedelta(days=400))
    memory.remember(Draft("heron new heron", trust=Trust.SYSTEM, happened_at=EventTime(clock())))
    off = memory.recall("heron old")
    on = opened(settings=Settings(factors=weights)).recall("heron old")

    assert texts(off) == ["heron old", "heron new heron"]
    assert {
        name for hit in off.hits for name in hit.why.split() if name in ("recency", "temporal", "trust")
    } == set()
    assert on.hits[1].score != on.hits[1].base or on.hits[0].score != on.hits[0].base


def test_with_every_factor_at_0_recall_is_byte_for_byte_the_plain_one(
    opened: Opener, clock: ManualClock
) -> None:
    keep_diary(opened(embedder="hashing"), clock)
    plain = opened(embedder="hashing")
    zero = opened(embedder="hashing", settings=Settings(factors=FactorWeights(0.0, 0.0, 0.0)))
    clock.advance(timedelta(days=3000))
    a, b = plain.recall("heron weir water"), zero.recall("heron weir water")

    assert traced(a) == traced(b)
    assert a.text == b.text
    assert all(hit.score == hit.base for hit in a.hits)


def test_a_lane_of_weight_0_is_as_good_as_absent(opened: Opener, clock: ManualClock) -> None:
    embedder = ScriptedEmbedder({}, default=[1, 0])
    keep_diary(opened(embedder=embedder), clock)
    asked = len(embedder.calls)
    off = opened(embedder=embedder, settings=Settings(lanes=LaneWeights(vector=0.0))).recall("heron")

    assert [lane.name for lane in off.trace.lanes] == ["lexical", "window", "session"]
    assert off.degradations == ()
    assert len(embedder.calls) == asked
    without = opened().recall("heron")
    assert [(h.entry.id, h.fused) for h in without.hits] == [(h.entry.id, h.fused) for h in off.hits]


def test_with_every_lane_off_nothing_is_found_and_nothing_breaks(opened: Opener, clock: ManualClock) -> None:
    memory = opened(settings=Settings(lanes=LaneWeights(0.0, 0.0, 0.0, 0.0)))
    keep_diary(memory, clock)

    assert memory.recall("heron").hits == ()


def test_without_an_embedder_recall_says_so(memory: Memory) -> None:
    memory.remember("The heron came back.")
    recalled = memory.recall("heron")

    assert texts(recalled) == ["The heron came back."]
    (degradation,) = recalled.degradations
    assert degradation.startswith("vector lane: no embedder is open")


def test_an_embedder_that_fails_on_the_query_leaves_the_lexical_lane(opened: Opener) -> None:
    memory = opened(embedder=ScriptedEmbedder({}, default=[1, 0], fails_on=["heron"]))
    memory.remember("The heron came back.")
    recalled = memory.recall("heron")

    assert texts(recalled) == ["The heron came back."]
    assert recalled.hits[0].lanes.keys() == {"lexical", "window"}
    assert "told to fail" in recalled.degradations[0]


def test_entries_without_a_vector_are_counted(opened: Opener) -> None:
    opened().remember(["old heron", "old weir"])
    memory = opened(embedder="hashing")
    assert "no entry has a vector" in memory.recall("heron").degradations[0]
    memory.remember("new heron")

    assert memory.recall("heron").degradations == ("vector lane: 2 entries have no vector yet",)


def test_two_runs_give_the_same_bytes(tmp_path: Path, opened: Opener) -> None:
    runs = []
    for number in range(2):
        clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
        memory = opened(tmp_path / f"run{number}.db", clock=clock, seed=5, embedder="hashing")
        keep_diary(memory, clock)
        runs.append([(traced(r), r.text) for r in map(memory.recall, ("heron", "water weir", "", "brewer"))])

    assert runs[0] == runs[1]


def test_a_reopened_memory_recalls_the_same(store: Path, opened: Opener, clock: ManualClock) -> None:
    memory = opened(embedder="hashing")
    keep_diary(memory, clock)
    warm = traced(memory.recall("heron water"))

    assert traced(memory.recall("heron water")) == warm
    assert traced(opened(embedder="hashing").recall("heron water")) == warm


@pytest.mark.parametrize("embedder", ["none", "hashing"])
@settings(max_examples=25)
@given(order=st.permutations(["private", "shared", "shared", "private"]))
def test_private_and_shared_rows_are_found_in_whatever_order_they_came(
    embedder: str, order: list[Any]
) -> None:
    words = ["alpha", "beta", "gamma", "delta"]
    with Memory.open(":memory:", embedder=embedder, seed=1) as memory:
        for word, visibility in zip(words, order, strict=True):
            memory.remember(f"word {word}", visibility=visibility)
        for word in words:
            assert texts(memory.recall(word))[0] == f"word {word}"
        assert sorted(texts(memory.recall("word"))) == [f"word {word}" for word in sorted(words)]


def test_rows_written_by_another_process_show_at_the_next_recall(opened: Opener, clock: ManualClock) -> None:
    reader, writer = opened(embedder="hashing"), opened(embedder="hashing")
    writer.remember("first heron")
    assert texts(reader.recall("heron")) == ["first heron"]
    (second,) = writer.remember("second heron")
    assert len(reader.recall("heron").hits) == 2
    clock.advance(timedelta(seconds=1))
    writer.forget(str(second.id))
    assert texts(reader.recall("heron")) == ["first heron"]
    writer.purge(str(second.id))
    writer.remember("third heron")

    assert sorted(texts(reader.recall("heron"))) == ["first heron", "third heron"]


# limits, budgets, and what is refused


def test_the_limit_and_the_budget_are_kept_and_what_they_cut_is_in_the_trace(memory: Memory) -> None:
    memory.remember([f"heron number {number}" for number in range(30)])
    recalled = memory.recall("heron", limit=4, budget=60)

    assert len(recalled.hits) == 4
    assert recalled.block.tokens <= 60
    reasons = [dropped.reason for dropped in recalled.trace.dropped]
    assert reasons.count("limit") == 26
    assert reasons.count("budget") == len(recalled.block.left_out) > 0
    assert {*recalled.block.ids, *recalled.block.left_out} == {hit.entry.id for hit in recalled.hits}


def test_the_settings_limit_is_the_default(opened: Opener) -> None:
    memory = opened(settings=Settings(recall=RecallSettings(limit=2)))
    memory.remember([f"heron number {number}" for number in range(5)])

    assert len(memory.recall("heron").hits) == 2


def test_more_hits_than_a_hundred_can_be_asked_for(memory: Memory) -> None:
    memory.remember([f"heron number {number}" for number in range(300)])

    assert len(memory.recall("heron", limit=250).hits) == 250


@pytest.mark.parametrize("value", [0, -1, 1.5, "5", True, [], {"$gt": 0}])
@pytest.mark.parametrize("name", ["limit", "budget"])
def test_an_impossible_limit_is_refused(memory: Memory, name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=name):
        memory.recall("x", **{name: value})


@pytest.mark.parametrize("query", [None, 5, b"heron", ["heron"], {"$regex": ".*"}])
def test_a_query_is_a_string(memory: Memory, query: Any) -> None:
    with pytest.raises(InvalidInput):
        memory.recall(query)


def test_a_word_that_a_lane_does_not_know_is_refused_and_not_swallowed(memory: Memory) -> None:
    with pytest.raises(TypeError):
        memory.recall("x", top_k=5)  # type: ignore[call-arg]


# trust


def test_external_entries_are_recalled_only_when_they_are_named(memory: Memory) -> None:
    memory.remember(["heron said by the user", Draft("heron on a web page", trust=Trust.EXTERNAL)])

    assert texts(memory.recall("heron")) == ["heron said by the user"]
    assert texts(memory.recall("heron", trust=["external"])) == ["heron on a web page"]
    assert len(memory.recall("heron", trust=list(Trust)).hits) == 2


def test_no_tier_means_none_and_not_all(memory: Memory) -> None:
    memory.remember("heron said by the user", pinned=True)

    assert memory.recall("heron", trust=()).hits == ()


@pytest.mark.parametrize("trust", ["external", "", [""], ["*"], [None], [{"$ne": 1}], ["learned", "all"]])
def test_an_unknown_tier_is_refused(memory: Memory, trust: Any) -> None:
    if trust == "":
        assert memory.recall("x", trust=trust).hits == ()
    else:
        with pytest.raises(InvalidInput):
            memory.recall("x", trust=trust)


@pytest.mark.parametrize("embedder", ["none", "hashing"])
def test_external_entries_change_nothing_of_a_default_recall(
    tmp_path: Path, opened: Opener, embedder: str
) -> None:
    runs = []
    for poisoned in (False, True):
        clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
        path = tmp_path / f"poisoned{poisoned}.db"
        memory = opened(path, clock=clock, seed=5, embedder=embedder)
        stranger = opened(path, clock=clock, seed=6, embedder=embedder)
        keep_diary(memory, clock)
        if poisoned:
            stranger.remember(
                [Draft(f"heron heron {n}", trust=Trust.EXTERNAL, pinned=n == 0) for n in range(40)]
            )
            stranger.remember(
                [Draft(text, trust=Trust.EXTERNAL, source=Source(session="web")) for text in DIARY]
            )
        recalled = [memory.recall(query) for query in ("heron", "weir water", "brewer")]
        runs.append([(traced(r), r.text, [hit.lanes for hit in r.hits]) for r in recalled])

    assert runs[0] == runs[1]


def test_a_lane_that_forgets_the_trust_condition_cannot_leak(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaking(search: Search) -> LaneRanking:
        everything = tuple(range(len(search.view.rowids)))
        return LaneRanking(everything, (1.0,) * len(everything), len(everything))

    monkeypatch.setitem(LANES, "vector", leaking)
    memory.remember(["heron said by the user", Draft("heron on a web page", trust=Trust.EXTERNAL)])
    recalled = memory.recall("heron")

    assert texts(recalled) == ["heron said by the user"]
    assert [dropped.reason for dropped in recalled.trace.dropped] == ["trust"]


# validity


def test_validity_is_half_open(memory: Memory) -> None:
    start, end = datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 2, 1, tzinfo=UTC)
    memory.remember("heron in January", valid_from=start, valid_to=end)
    just = timedelta(microseconds=1)

    assert [
        bool(memory.recall("heron", valid_at=when).hits) for when in (start - just, start, end - just, end)
    ] == [
        False,
        True,
        True,
        False,
    ]
    assert memory.recall("heron").hits == ()


def test_a_fact_that_ended_at_an_instant_is_not_valid_at_it(memory: Memory, clock: ManualClock) -> None:
    (result,) = memory.remember("heron on the roof")
    ended = clock.advance(timedelta(hours=1))
    memory.forget(str(result.id))

    assert memory.recall("heron").hits == ()
    assert memory.recall("heron", valid_at=ended).hits == ()
    assert texts(memory.recall("heron", valid_at=ended - timedelta(microseconds=1))) == ["heron on the roof"]


def test_a_correction_takes_the_place_from_its_instant_on(memory: Memory, clock: ManualClock) -> None:
    (old,) = memory.remember("The meeting is on Monday.")
    changed = clock.advance(timedelta(hours=1))
    new = memory.correct(str(old.id), "The meeting is on Tuesday.")

    assert texts(memory.recall("meeting")) == ["The meeting is on Tuesday."]
    assert texts(memory.recall("meeting", valid_at=changed - timedelta(microseconds=1))) == [
        "The meeting is on Monday."
    ]
    assert memory.get(str(old.id)).ended_at == changed
    (event,) = memory.history(str(old.id)).events
    assert (event.kind, event.at, event.other_id) == ("superseded", changed, new.id)


def test_a_correction_of_what_begins_later_begins_later(memory: Memory) -> None:
    start = datetime(2025, 1, 1, tzinfo=UTC)
    (old,) = memory.remember("moves to Oslo", valid_from=start)
    memory.correct(str(old.id), "moves to Bergen")

    assert memory.recall("moves").hits == ()
    assert texts(memory.recall("moves", valid_at=start)) == ["moves to Bergen"]


def test_what_has_ended_cannot_be_corrected(memory: Memory, clock: ManualClock) -> None:
    (old,) = memory.remember("The meeting is on Monday.")
    memory.forget(str(old.id))

    with pytest.raises(InvalidInput, match="ended already"):
        memory.correct(str(old.id), "The meeting is on Tuesday.")
    assert memory.recall("meeting").hits == ()


def test_a_refused_correction_leaves_the_entry_open(memory: Memory) -> None:
    (old,) = memory.remember("The meeting is on Monday.")

    assert memory.correct(str(old.id), "  ").status == "refused"
    assert texts(memory.recall("meeting")) == ["The meeting is on Monday."]


def test_a_correction_keeps_what_was_known_of_the_entry(memory: Memory, clock: ManualClock) -> None:
    (old,) = memory.remember(
        Draft(
            "The meeting is on Monday.",
            trust=Trust.EXTERNAL,
            visibility="private",
            source=Source(speaker="ada", session="s1", position=3),
            happened_at=EventTime.parse("2024-05"),
            pinned=True,
        )
    )
    clock.advance(timedelta(hours=1))
    before = memory.get(str(old.id))
    after = memory.get(str(memory.correct(str(old.id), "The meeting is on Tuesday.").id))

    assert after == replace(
        before, id=after.id, text=after.text, ended_at=None, recorded_at=clock(), valid_from=clock()
    )


def test_two_corrections_at_once_do_not_both_live(opened: Opener, clock: ManualClock) -> None:
    other = opened()
    (old,) = other.remember("lives in Rome")
    calls: list[int] = []

    def overtaken() -> datetime:
        calls.append(1)
        if len(calls) == 2:  # 1: opening the store; 2: correct(), which has just looked the entry up
            other.correct(str(old.id), "lives in Paris")
        return clock()

    memory = opened(clock=overtaken)
    with pytest.raises(InvalidInput):
        memory.correct(str(old.id), "lives in Oslo")
    assert [entry.text for entry in memory.list()] == ["lives in Paris"]


# dedup and pins


def test_of_equal_texts_the_newest_stays_in_its_own_place(memory: Memory, clock: ManualClock) -> None:
    for session in ("a", "b", "c"):
        memory.remember("The heron  came back.", session=session)
        clock.advance(timedelta(hours=1))
    memory.remember("the HERON came back.", session="d")
    memory.remember("The heron left.")
    recalled = memory.recall("heron came")

    assert [(hit.entry.text, hit.entry.source.session) for hit in recalled.hits] == [
        ("the HERON came back.", "d"),
        ("The heron left.", None),
    ]
    (newest, _) = recalled.hits
    assert [(d.reason, d.kept) for d in recalled.trace.dropped] == [("duplicate", newest.entry.id)] * 3


def test_the_same_words_of_two_speakers_are_two_things(memory: Memory) -> None:
    memory.remember("I saw the heron.", speaker="ada", session="a")
    memory.remember("I saw the heron.", speaker="bob", session="b")

    assert len(memory.recall("heron").hits) == 2


def test_two_facts_of_the_same_sources_are_one_thing(memory: Memory, clock: ManualClock) -> None:
    a, b = memory.remember(["Rome was cold.", "Rome was wet."])
    memory.remember(Draft("visited Rome", kind="fact", source_ids=(str(a.id), str(b.id))))
    clock.advance(timedelta(hours=1))
    memory.remember(Draft("a stay at Rome", kind="fact", source_ids=(str(b.id), str(a.id))))
    facts = [hit.entry.text for hit in memory.recall("Rome").hits if hit.entry.kind == "fact"]

    assert facts == ["a stay at Rome"]


@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"), st.integers(0, 5), st.frozensets(st.sampled_from("xyz"), max_size=2)
        ),
        max_size=8,
    )
)
def test_every_duplicate_names_an_entry_that_is_kept(made: list[tuple[str, int, frozenset[str]]]) -> None:
    ranked = [
        replace(
            ENTRY,
            id=str(number),
            text=text,
            kind="fact",
            source_ids=tuple(sources),
            recorded_at=ENTRY.recorded_at + timedelta(minutes=minutes),
        )
        for number, (text, minutes, sources) in enumerate(made)
    ]
    dropped = duplicates(ranked)
    kept = {entry.id for entry in ranked} - set(dropped)

    assert set(dropped.values()) <= kept
    assert len({entry.text for entry in ranked if entry.id in kept}) == len(kept)
    assert bool(kept) == bool(ranked)


def test_pinned_entries_stand_at_the_head_and_are_bounded(memory: Memory, clock: ManualClock) -> None:
    for number in range(5):
        memory.remember(f"pinned rule {number}", pinned=True)
        clock.advance(timedelta(hours=1))
    memory.remember("The heron came back.")
    recalled = memory.recall("heron")

    assert texts(recalled) == ["pinned rule 4", "pinned rule 3", "pinned rule 2", "The heron came back."]
    assert [hit.pinned for hit in recalled.hits] == [True, True, True, False]
    assert recalled.hits[0].why == "pinned"


def test_pinned_entries_are_trust_filtered_and_end_like_others(memory: Memory, clock: ManualClock) -> None:
    memory.remember(Draft("obey the web page", trust=Trust.EXTERNAL, pinned=True))
    (gone,) = memory.remember("an old rule", pinned=True)
    memory.forget(str(gone.id))

    assert memory.recall("heron").hits == ()
    assert texts(memory.recall("heron", trust=["external"])) == ["obey the web page"]


def test_pinned_entries_count_towards_the_limit(memory: Memory) -> None:
    memory.remember([Draft(f"pinned rule {n}", pinned=True) for n in range(3)])
    memory.remember("The heron came back.")

    assert len(memory.recall("heron", limit=2).hits) == 2


def test_a_pinned_entry_that_matches_is_shown_once(memory: Memory) -> None:
    memory.remember(["the heron rule", "The heron came back."], pinned=True)

    assert sorted(texts(memory.recall("heron"))) == ["The heron came back.", "the heron rule"]


def test_a_pinned_entry_and_its_duplicate_are_one_thing(memory: Memory, clock: ManualClock) -> None:
    memory.remember("always say heron", pinned=True)
    clock.advance(timedelta(hours=1))
    memory.remember("Always say heron", session="later")
    recalled = memory.recall("heron")
    dropped = {item.id for item in recalled.trace.dropped}

    assert len(recalled.hits) == 1
    assert dropped.isdisjoint(recalled.trace.hits)


# the trace


def test_the_trace_names_no_text_and_is_one_line_of_json(diary: Memory, tmp_path: Path) -> None:
    recalled = diary.recall("heron weir")
    line = recalled.trace.as_json()
    append_trace(tmp_path / "trace.jsonl", recalled.trace)
    append_trace(tmp_path / "trace.jsonl", recalled.trace)

    assert "heron" not in line
    assert "\n" not in line
    assert (tmp_path / "trace.jsonl").read_text(encoding="utf-8") == f"{line}\n{line}\n"
    assert (tmp_path / "trace.jsonl").stat().st_mode & 0o777 == 0o600
    values = json.loads(line)
    assert values["counter"] == "bound-1"
    assert [lane["name"] for lane in values["lanes"]] == ["lexical", "window", "session", "vector"]
    assert values["hits"] == [hit.entry.id for hit in recalled.hits]
    scores = [item["score"] for item in values["scored"]]
    assert scores == sorted(scores, reverse=True)


def test_every_candidate_is_a_hit_or_was_dropped_for_a_reason(diary: Memory) -> None:
    trace = diary.recall("heron weir water", limit=2).trace
    dropped = {item.id for item in trace.dropped if item.reason != "budget"}

    assert {item.id for item in trace.scored} == dropped | set(trace.hits)


def test_equals_are_ranked_by_session_and_position_in_whatever_order_they_arrived(
    opened: Opener, tmp_path: Path
) -> None:
    # More equals than a lane gives: the cut must not go by arrival either.
    drafts = [
        Draft(f"heron {number}", source=Source(session=f"s{number % 3}", position=number))
        for number in range(460)
    ]
    rankings = []
    alone = Settings(recall=RecallSettings(rerank=0), lanes=LaneWeights(window=0.0, session=0.0))
    for place, order in enumerate((drafts, drafts[::-1], drafts[::2] + drafts[1::2])):
        memory = opened(tmp_path / f"{place}.db", settings=alone)
        memory.remember(order)
        rankings.append([hit.entry.text for hit in memory.recall("heron", limit=20).hits])

    expected = sorted(drafts, key=lambda draft: (draft.source.session, draft.source.position))[:20]
    assert rankings == [[draft.text for draft in expected]] * 3
