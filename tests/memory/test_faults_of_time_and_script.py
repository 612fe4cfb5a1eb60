"""Days that are no 24 hours, years that are no day, and names in every script, through every verb."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from seen_by import ALL_ON, recalls
from whole_store import Opener, damage, dump, texts

from truerecall import Draft, EventTime, Filter, ManualClock, Memory, Statement
from truerecall.core.config import StoreSettings
from truerecall.errors import InvalidInput, InvalidTime, NotFound, TruerecallError
from truerecall.models.scripted import ScriptedChat

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
NAIVE = NOON.replace(tzinfo=None)
NAMES = (
    "東京", "田中さん", "สมชาย", "ปู", "سارة", "יעל", "👩\u200d👩\u200d👧\u200d👦", "🏳\ufe0f\u200d🌈", "🇵🇹",
    "👍🏽", "Jose\u0301", "Zoe\u0308\u0301",
    "रानी", "நிலா", "Ⓐda", "ﬁona", "İstanbul", "Ọlá", "a\u200db", "\u200fمريم", "각시",
)  # fmt: skip
BROKEN = ("\x00", "a\x00b", "\ud800", "x\udfffy")


def at(zone: str, *local: int) -> datetime:
    return datetime(*local, tzinfo=ZoneInfo(zone)).astimezone(UTC)  # type: ignore[misc, arg-type]


def living_in(opened: Opener, zone: str, now: datetime) -> tuple[Memory, ManualClock]:
    recall = replace(ALL_ON.recall, zone=zone)
    clock = ManualClock(now)
    return opened(settings=replace(ALL_ON, recall=recall, store=StoreSettings(zone=zone)), clock=clock), clock


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", (2024, 5, 7), 24),
        ("Europe/Berlin", (2024, 4, 1), 23),
        ("Europe/Berlin", (2024, 10, 28), 25),
        ("America/New_York", (2024, 3, 11), 23),
        ("America/New_York", (2024, 11, 4), 25),
        ("Asia/Kathmandu", (2024, 5, 7), 24),
        ("Pacific/Apia", (2012, 1, 1), 24),
    ],
)
def test_yesterday_at_half_past_midnight_and_asked_a_minute_to_midnight_is_the_day_there(
    opened: Opener, zone: str, day: tuple[int, int, int], hours: int
) -> None:
    memory, clock = living_in(opened, zone, at(zone, *day, 0, 30))
    memory.remember("Mara sold the mill yesterday.")
    clock.advance(at(zone, *day, 23, 59) - clock())
    recalled = memory.recall("What did Mara sell yesterday?", time="hard")

    assert texts(recalled) == ["Mara sold the mill yesterday."]
    understood = recalled.trace.understood
    assert understood is not None and understood.start is not None and understood.end is not None
    start, end = map(datetime.fromisoformat, (understood.start, understood.end))
    assert (end, end - start) == (at(zone, *day), timedelta(hours=hours))
    clock.advance(timedelta(minutes=2))
    assert memory.recall("What did Mara sell yesterday?", time="hard").hits == ()


def test_a_day_that_never_was_is_no_day(opened: Opener) -> None:
    memory, _ = living_in(opened, "Pacific/Apia", at("Pacific/Apia", 2011, 12, 31, 0, 30))
    memory.remember("Mara sold the mill yesterday.")

    assert memory.recall("What did Mara sell yesterday?").trace.understood is not None
    assert memory.recall("What did Mara sell on 29 December 2011?", time="hard").hits == ()


def test_a_year_alone_is_no_day_of_it(opened: Opener) -> None:
    memory = opened(settings=ALL_ON)
    for thing, when in (("mill", "2023"), ("boat", "2023-01-01"), ("car", "2023-07-01")):
        memory.remember(f"Mara sold the {thing}.", happened_at=when)

    def found(when: str) -> set[str]:
        return {text[14:-1] for text in texts(memory.recall(f"What did Mara sell {when}?", time="hard"))}

    assert found("in 2023") == {"mill", "boat", "car"}
    assert (found("on 1 January 2023"), found("in July 2023")) == ({"mill", "boat"}, {"mill", "car"})
    assert (found("in March 2023"), found("in 2022")) == ({"mill"}, set())
    near = memory.recall("What did Mara sell in March 2023?").hits
    assert {hit.entry.text[14:-1]: hit.factors.range for hit in near if hit.factors}["mill"] == 1.0
    assert next(hit.entry.text for hit in near if "time" in hit.lanes) == "Mara sold the mill."
    assert "# 2023\n" in memory.recall("Mara sold").text


def test_a_fact_of_a_year_gives_way_to_one_of_a_later_day_of_it_whatever_came_first(
    opened: Opener, clock: ManualClock
) -> None:
    for order in (("2023", "2023-06-01"), ("2023-06-01", "2023")):
        memory = opened(":memory:", settings=ALL_ON)
        for when in order:
            clock.advance(timedelta(hours=1))
            says = Statement("Mara", "lives_in", f"Town {when}")
            memory.remember(Draft(when, kind="fact", statement=says, happened_at=EventTime.parse(when)))
        kept = memory.facts(current=False)
        assert len(kept) == 2 and len(memory.facts()) == 1
        assert all(fact.reason for fact in kept if fact.status != "current")


NAIVE_CALLS: dict[str, Callable[[Memory], object]] = {
    "facts valid_at": lambda memory: memory.facts(valid_at=NAIVE),
    "facts known_at": lambda memory: memory.facts(known_at=NAIVE),
    "recall valid_at": lambda memory: memory.recall("x", valid_at=NAIVE),
    "at": lambda memory: memory.at(NAIVE),
    "remember happened_at": lambda memory: memory.remember("x", happened_at=NAIVE),
    "remember valid_from": lambda memory: memory.remember("x", valid_from=NAIVE),
    "remember valid_to": lambda memory: memory.remember("x", valid_to=NAIVE),
    "draft recorded_at": lambda memory: Draft("x", recorded_at=NAIVE),
}


@pytest.mark.parametrize("verb", NAIVE_CALLS)
def test_a_time_without_its_zone_is_refused(memory: Memory, verb: str) -> None:
    with pytest.raises(InvalidTime, match="time zone"):
        NAIVE_CALLS[verb](memory)
    assert memory.list() == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_any_script_goes_through_every_verb(tmp_path: Path, opened: Opener, name: str) -> None:
    memory = opened(settings=ALL_ON, embedder="hashing")
    says = Statement(name, "lives_in", name)
    (stated,) = memory.remember(Draft(f"{name} lives in {name}.", kind="fact", statement=says))
    (told,) = memory.remember(f"I met {name} yesterday. {name}, also known as {name}2, left.")
    memory.link(str(stated.id), str(told.id))

    assert [(one.subject, one.object) for one in memory.facts(name) if one.derived] == [(name, name)]
    recalled = memory.recall(name)
    assert stated.id in [hit.id for hit in recalled.hits]
    chat = ScriptedChat([f"{name} lives in {name} [{str(stated.id)[-8:]}]."])
    assert memory.ask(f"Where does {name} live?", chat=chat, learn=False).citations == (stated.id,)
    memory.feedback(recalled, response=f"It is {name}.", cited=[str(stated.id)])
    assert "used" in [event.kind for event in memory.history(str(stated.id)).events]
    if any(character.isalnum() for character in name):
        memory.set_profile("preference", name, f"I prefer {name}.")
        assert [row.text for row in memory.profile()] == [f"I prefer {name}."]
    copy = opened(tmp_path / "copy.db", settings=ALL_ON, embedder="hashing")
    copy.import_(memory.export(tmp_path / "out"))
    assert (dump(copy), recalls(copy, [name])) == (dump(memory), recalls(memory, [name]))
    assert memory.doctor().healthy


@pytest.mark.parametrize(("one", "other"), [("रानी", "राना"), ("ปี", "ปู"), ("நா", "நி"), ("が", "か")])
def test_words_that_differ_in_a_vowel_or_a_sound_mark_are_two(memory: Memory, one: str, other: str) -> None:
    for word in (one, other):
        memory.set_profile("preference", word, f"I like {word}.")
        memory.remember(Draft(word, kind="fact", statement=Statement(word, word, "Lisbon")))

    assert len(memory.profile()) == 2
    assert [(fact.subject, fact.entry_id) for fact in memory.facts(one)] == [
        (one, fact.entry_id) for fact in memory.facts() if fact.subject == one
    ]


@pytest.mark.parametrize("broken", BROKEN)
def test_nul_and_halves_of_pairs_are_stored_refused_or_answered_in_our_words(
    tmp_path: Path, opened: Opener, broken: str
) -> None:
    memory = opened(settings=ALL_ON, embedder="hashing")
    (kept,) = memory.remember("Mara lives in Lisbon.")
    says = Statement(f"a{broken}", f"p{broken}", f"o{broken}")
    (stated,) = memory.remember(Draft("t", kind="fact", statement=says))
    assert stated.status == "stored" and len(memory.facts()) == 2
    assert memory.set_profile("preference", f"k{broken}", f"t{broken}").status == "stored"
    memory.facts(broken, broken)
    memory.feedback(memory.recall("Mara"), response=broken, cited=[broken])
    answer = ScriptedChat([f"Mara{broken} lives in Lisbon [{str(kept.id)[-8:]}]."])
    assert memory.ask(f"Where does Mara live?{broken}", chat=answer).citations == (kept.id,)
    for refused in (
        lambda: memory.get(broken * 8),
        lambda: memory.link(broken * 8, str(kept.id)),
        lambda: memory.forget(broken),
        lambda: memory.profile(broken),  # type: ignore[arg-type]  # the point of the test
        lambda: living_in(opened, broken, NOON),
    ):
        with pytest.raises((InvalidInput, NotFound, TruerecallError)):
            refused()
    memory.export(tmp_path / "out")
    assert memory.doctor().healthy


@pytest.mark.parametrize("version", [1, 4])
def test_an_old_store_opens_with_everything_on_and_keeps_everything(
    tmp_path: Path, opened: Opener, version: int
) -> None:
    shutil.copy(FIXTURES / f"store_schema_{version}.db", tmp_path / "old.db")
    (tmp_path / "old.db").chmod(0o600)
    scope: dict[str, Any] = {"user": "ada", "embedder": "hashing"}
    now = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    memory = opened(tmp_path / "old.db", settings=ALL_ON, clock=now, **scope)
    plain = opened(tmp_path / "old.db", clock=now, **scope)

    listed = memory.list(Filter(ended=True, newest=1000))
    assert listed and dump(memory) == dump(plain)
    assert memory.recall(listed[0].text.split()[0]).hits
    memory.remember(Draft("x", kind="fact", statement=Statement("Mara", "lives_in", "Lisbon")))
    assert "Lisbon" in [fact.object for fact in memory.facts("Mara")]
    assert memory.doctor().healthy


@pytest.mark.parametrize("table", ["mention", "triple", "alias", "similar", "entity"])
def test_each_derived_table_is_made_anew(store: Path, opened: Opener, table: str) -> None:
    memory = opened(settings=ALL_ON)
    memory.remember(["Katharina moved to Lisbon.", "Katarina, known as Kat, met Katharina.", "Kat wrote."])
    memory.remember(Draft("x", kind="fact", statement=Statement("Kat", "lives_in", "Porto")))
    seen = [recalls(memory, ["Where is Katharina?", "Kat"]), memory.facts(current=False)]
    damage(store, "PRAGMA foreign_keys = OFF", f"DELETE FROM {table}")
    found = memory.doctor(repair=True)

    assert found.healthy
    assert [recalls(memory, ["Where is Katharina?", "Kat"]), memory.facts(current=False)] == seen


@pytest.mark.parametrize(
    "change",
    ["UPDATE similar SET weight = 0.9", "INSERT INTO similar SELECT min(id), max(id), 0.7 FROM entity"],
)
def test_a_likeness_that_is_none_is_found_and_mended(store: Path, opened: Opener, change: str) -> None:
    memory = opened(settings=ALL_ON)
    memory.remember(["Katharina met Zoe.", "Katarina met Bob."])
    damage(store, change)

    assert not memory.doctor().healthy
    assert memory.doctor(repair=True).healthy
