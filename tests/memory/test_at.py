"""The memory as it stood before an instant is, row for row, one that only ever received what came before it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from whole_store import Opener, dump, rows, texts, traced

from truerecall import (
    Draft,
    Event,
    EventTime,
    Filter,
    ManualClock,
    Memory,
    Scope,
    Settings,
    Statement,
    Trust,
)
from truerecall.core.clock import to_micros
from truerecall.core.config import FactorWeights
from truerecall.core.ids import IdSource
from truerecall.errors import InvalidInput, StoreReadOnly
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.models.hashing import HashingEmbedder

START = datetime(2024, 5, 7, 12, tzinfo=UTC)
WORDS = ["heron", "weir", "mill", "brewer"]


@dataclass(frozen=True)
class Step:
    """One operation; ``pick`` chooses the entry that it is about among those that there are."""

    verb: str
    wait: int
    """Seconds since the step before."""
    pick: int


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(
            ["remember", "again", "private", "replay", "derive", "correct", "forget", "state", "link", "use"]
        ),
        st.integers(1, 40),
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=9,
)


def replayed_at(step: Step) -> datetime:
    return START + timedelta(seconds=step.pick * 11)


def empty(clock: ManualClock) -> Memory:
    """A memory whose ids depend on the time alone, so that a step that is left out changes no other's id."""
    embedder, settings = HashingEmbedder(), Settings()
    store = SqliteStore.open(":memory:", settings.store, clock, embedder.identity)
    ids = IdSource(clock, lambda count: to_micros(clock()) % (1 << count))
    return Memory(store, Scope("local", "default", "me"), embedder, settings, clock, ids)


def run(script: list[Step], before: datetime | None) -> Memory:
    """A memory that received every step, or only those whose time is before an instant."""
    clock = ManualClock(START)
    memory = empty(clock)
    for number, step in enumerate(script):
        _do(memory, number, step, clock.advance(timedelta(seconds=step.wait)), before)
    return memory


def _do(memory: Memory, number: int, step: Step, now: datetime, before: datetime | None) -> None:
    word = WORDS[step.pick % 4]
    skipped = before is not None and (replayed_at(step) if step.verb == "replay" else now) >= before
    if step.verb in ("correct", "forget"):
        alive = [e.id for e in reversed(memory.list(Filter(newest=1000))) if e.recorded_at <= now]
        if skipped or not alive:
            return
        target = alive[step.pick % len(alive)]
        if step.verb == "forget":
            memory.forget(target)
        else:
            memory.correct(target, f"{word} corrected {number}")
        return
    if skipped:
        return
    if step.verb in ("link", "use"):
        _tie(memory, step, now)
    elif step.verb == "state":
        says = Statement("Mara", "lives_in", WORDS[step.pick % 3])
        since = None if step.pick < 3 else START - timedelta(days=step.pick)
        trust = Trust.SYSTEM if step.pick == 7 else Trust.LEARNED
        memory.remember(
            Draft(f"{word} stated {number}", kind="fact", statement=says, valid_from=since, trust=trust)
        )
    elif step.verb == "derive":
        known = sorted(memory.list(Filter(ended=True, newest=1000)), key=lambda entry: entry.id)
        # What is derived from a replayed entry gets its time, not the step's: that has a test of its own.
        sources = tuple(entry.id for entry in known if entry.recorded_at < now and not entry.replayed)[:2]
        memory.remember(
            Draft(f"{word} derived {number}", kind="fact", source_ids=sources, trust=Trust.SYSTEM)
        )
    elif step.verb == "replay":
        memory.remember(
            Draft(
                f"{word} replayed {number}",
                recorded_at=replayed_at(step),
                happened_at=EventTime(START, "day"),
            )
        )
    elif step.verb == "again":
        memory.remember(f"{word} said again")
    else:
        memory.remember(f"{word} {number}", visibility="private" if step.verb == "private" else "shared")


def _tie(memory: Memory, step: Step, now: datetime) -> None:
    """Link the first two entries, or say that the first was used."""
    entries = sorted(memory.list(Filter(ended=True, newest=1000)), key=lambda entry: entry.id)
    known = [entry.id for entry in entries if entry.recorded_at < now and not entry.replayed]
    if step.verb == "link" and len(known) > 1:
        memory.link(known[0], known[1], 0.5)
    if step.verb == "use" and known:
        used = Event(memory._ids(), now, "used", known[0], detail="factual")
        memory._store.record(memory.scope, [used])


@hypothesis_settings(max_examples=80)
@given(script=steps, cut=st.integers(0, 9), later=st.sampled_from([0, 1, 500_000]))
@example([Step("remember", 1, 0), Step("forget", 1, 0), Step("remember", 1, 0), Step("correct", 1, 0)], 1, 0)
@example([Step("replay", 1, 5), Step("remember", 1, 1), Step("forget", 20, 0), Step("replay", 40, 0)], 2, 1)
@example([Step("state", 1, 0), Step("state", 1, 1), Step("state", 1, 7), Step("state", 1, 5)], 2, 0)
@example([Step("state", 1, 4), Step("remember", 1, 1), Step("link", 1, 0), Step("use", 1, 0)], 3, 0)
@example([Step("remember", 1, 0), Step("derive", 1, 1), Step("private", 1, 2), Step("again", 1, 3)], 3, 0)
def test_the_cut_is_row_for_row_a_store_that_never_received_the_rest(
    script: list[Step], cut: int, later: int
) -> None:
    times = [START]
    for step in script:
        times.append(times[-1] + timedelta(seconds=step.wait))
    instant = times[cut % len(times)] + timedelta(microseconds=later)
    with run(script, None) as whole, whole.at(instant) as found, run(script, instant) as wanted:
        wanted._clock.now = instant  # type: ignore[attr-defined]  # the test's own clock, set to the cut's time
        assert dump(found) == dump(wanted)
        assert found.counts() == wanted.counts()
        assert [entry.id for entry in found.list()] == [entry.id for entry in wanted.list()]
        for query in (*WORDS, "corrected", "said again", ""):
            assert traced(found.recall(query)) == traced(wanted.recall(query))
            assert found.recall(query).text == wanted.recall(query).text
        assert found.doctor().healthy


def test_what_is_derived_from_replayed_history_belongs_to_the_latest_time_of_its_sources(
    opened: Opener, clock: ManualClock
) -> None:
    memory = opened()
    first, second = (
        memory.remember(Draft(text, recorded_at=datetime(year, 1, 1, tzinfo=UTC)))[0].id
        for text, year in (("the weir broke", 2019), ("the mill stood still", 2021))
    )
    (fact,) = memory.remember(Draft("a flood", kind="fact", source_ids=(str(first), str(second))))

    assert memory.get(str(fact.id)).recorded_at == datetime(2021, 1, 1, tzinfo=UTC)
    assert memory.get(str(fact.id)).replayed
    assert texts(memory.at(datetime(2020, 6, 1, tzinfo=UTC)).recall("weir mill flood")) == ["the weir broke"]


def test_nothing_derived_is_recorded_before_its_sources(opened: Opener) -> None:
    memory = opened()
    (source,) = memory.remember(Draft("the weir broke", recorded_at=datetime(2021, 1, 1, tzinfo=UTC)))
    early = datetime(2019, 1, 1, tzinfo=UTC)
    (fact,) = memory.remember(Draft("a flood", kind="fact", source_ids=(str(source.id),), recorded_at=early))

    assert memory.get(str(fact.id)).recorded_at == datetime(2021, 1, 1, tzinfo=UTC)


@pytest.fixture
def told(opened: Opener, clock: ManualClock) -> Memory:
    """Noon: Rome. One o'clock: Paris. Two o'clock: forgotten."""
    memory = opened(embedder="hashing")
    (rome,) = memory.remember("lives in Rome")
    clock.advance(timedelta(hours=1))
    paris = memory.correct(str(rome.id), "lives in Paris")
    clock.advance(timedelta(hours=1))
    memory.forget(str(paris.id))
    clock.advance(timedelta(hours=1))
    return memory


@pytest.mark.parametrize(
    ("hours", "wanted"),
    [(-1, []), (0, []), (0.5, ["lives in Rome"]), (1, ["lives in Rome"]), (1.5, ["lives in Paris"]),
     (2, ["lives in Paris"]), (2.5, []), (1000, [])],
)  # fmt: skip
def test_what_happened_at_the_instant_itself_is_not_in_the_cut(
    told: Memory, hours: float, wanted: list[str]
) -> None:
    with told.at(START + timedelta(hours=hours)) as cut:
        assert texts(cut.recall("lives")) == wanted


def test_later_closings_are_open_again(told: Memory) -> None:
    with told.at(START + timedelta(hours=1.5)) as cut:
        (paris,) = cut.list()
        rome = next(entry for entry in cut.list(Filter(ended=True)) if entry.id != paris.id)

        assert (paris.text, paris.ended_at) == ("lives in Paris", None)
        assert (rome.text, rome.ended_at) == ("lives in Rome", START + timedelta(hours=1))


def test_the_present_is_not_changed_by_looking_back(told: Memory) -> None:
    before = dump(told)
    with told.at(START + timedelta(hours=0.5)) as cut:
        assert rows(cut) != []

    assert dump(told) == before


def test_the_past_cannot_be_written_to(told: Memory, tmp_path: Path) -> None:
    with told.at(START + timedelta(hours=0.5)) as cut:
        (rome,) = cut.list()
        exported = cut.export(tmp_path / "export")
        for write in (
            lambda: cut.remember("x"),
            lambda: cut.correct(rome.id, "x"),
            lambda: cut.forget(rome.id),
            lambda: cut.purge(rome.id),
            lambda: cut.import_(exported),
        ):
            with pytest.raises(StoreReadOnly, match="as it stood"):
                write()
        assert texts(cut.recall("lives")) == ["lives in Rome"]


def test_a_cut_in_a_file_opens_as_a_memory_of_its_own(told: Memory, opened: Opener, tmp_path: Path) -> None:
    told.at(START + timedelta(hours=0.5), tmp_path / "cut.db").close()
    copy = opened(tmp_path / "cut.db", embedder="hashing")

    assert texts(copy.recall("lives")) == ["lives in Rome"]
    assert copy.remember("a new heron")[0].status == "stored"
    assert (tmp_path / "cut.db").stat().st_mode & 0o777 == 0o600


def test_a_cut_never_overwrites_a_file(told: Memory, tmp_path: Path, store: Path) -> None:
    for path in (store, tmp_path):
        with pytest.raises(InvalidInput, match="new file"):
            told.at(START, path)


def test_a_cut_of_a_cut_is_a_cut(told: Memory) -> None:
    with told.at(START + timedelta(hours=1.5)) as late, late.at(START + timedelta(hours=0.5)) as early:
        assert texts(early.recall("lives")) == ["lives in Rome"]


def test_an_entry_that_was_forgotten_before_it_was_learned_is_cut_like_others(
    opened: Opener, clock: ManualClock
) -> None:
    memory = opened()
    (later,) = memory.remember(Draft("of the year 2030", recorded_at=datetime(2030, 1, 1, tzinfo=UTC)))
    memory.forget(str(later.id))

    with memory.at(datetime(2025, 1, 1, tzinfo=UTC)) as cut:
        assert cut.list(Filter(ended=True)) == ()
    with memory.at(datetime(2031, 1, 1, tzinfo=UTC)) as cut:
        assert [entry.ended_at for entry in cut.list(Filter(ended=True))] == [clock()]


def test_a_clock_that_stepped_back_does_not_break_the_cut(opened: Opener, clock: ManualClock) -> None:
    memory = opened()
    (entry,) = memory.remember("learned at noon")
    clock.advance(timedelta(hours=-2))
    memory.forget(str(entry.id))

    with memory.at(START - timedelta(hours=1)) as cut:
        assert cut.list(Filter(ended=True)) == ()


def test_factors_of_a_cut_are_those_of_its_instant(opened: Opener, clock: ManualClock) -> None:
    memory = opened(settings=Settings(factors=FactorWeights(recency=1.0)))
    memory.remember("the heron came back")
    with memory.at(START + timedelta(days=1)) as cut:
        clock.advance(timedelta(days=100))
        assert cut.recall("heron").hits[0].factors.recency == 1.0
        assert memory.recall("heron").hits[0].factors.recency == pytest.approx(0.5 + 1 / 101)
