"""Claims about the lanes: each brings up a text that none of the others would."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import WORDS_ONLY, Fixture, rank, stored, texts
from truerecall.bench.claims.switches import seen
from truerecall.core.config import REFERENCE, Settings
from truerecall.core.entry import Draft, EventTime, Statement, Trust
from truerecall.memory.memory import Memory
from truerecall.models.scripted import ScriptedEmbedder


def _distract(made: Fixture, memory: Memory) -> None:
    stored(memory, *(f"{made.person} {made.deed} something in the {made.place}." for _ in range(4)))


def _graph(settings: Settings, seed: int) -> Value:
    """A document two statements away from what the first hit names, without a word of the query."""
    made = Fixture(seed)
    ann, town, linked = made.person, made.town, "The lease runs out."
    with made.open(settings) as memory:
        _distract(made, memory)
        memory.remember(
            [
                Draft(f"{ann} works at Veltra.", kind="fact", statement=Statement(ann, "works_at", "Veltra")),
                Draft("It changed hands.", kind="fact", statement=Statement("Veltra", "part_of", "Norda")),
                Draft(linked, kind="fact", statement=Statement("Norda", "located_in", town)),
            ]
        )
        return texts(memory.recall(f"Where does {ann} work?")).count(linked)


def _entity(settings: Settings, seed: int) -> Value:
    """A text about somebody whom only the first hit names."""
    made = Fixture(seed)
    ann, bob, thing = made.person, made.person, made.thing
    linked = f"Since spring {bob} repairs clocks."
    with made.open(settings) as memory:
        _distract(made, memory)
        stored(memory, f"On Monday {ann} showed the {thing} to {bob}.", linked)
        return texts(memory.recall(f"Was the {thing} shown?")).count(linked)


def _time(settings: Settings, seed: int) -> Value:
    """A text of the month that the query names, without a word of it."""
    made = Fixture(seed)
    with made.open(settings) as memory:
        _distract(made, memory)
        linked = f"{made.person} opened a shop."
        stored(memory, linked, happened_at=EventTime.parse("2019-05-12"))
        return texts(memory.recall("What went on in May 2019?")).count(linked)


def _cause(settings: Settings, seed: int) -> Value:
    """What led to the first hit, without a word of the query."""
    made = Fixture(seed)
    linked = "A storm came up at night."
    with made.open(settings) as memory:
        _distract(made, memory)
        thing = made.thing
        led, to = stored(memory, linked, f"The {thing} fell over.")
        memory.link(led, to, 0.8)
        return texts(memory.recall(f"Why did the {thing} fall?")).count(linked)


def _talk(made: Fixture, memory: Memory, *said: str) -> None:
    _distract(made, memory)
    memory.remember([{"role": "user", "content": text} for text in said], session="talk")


def _window(settings: Settings, seed: int) -> Value:
    """An answer beside its question, without a word of it."""
    made = Fixture(seed)
    thing, linked = made.thing, "Up in the loft, I believe."
    with made.open(settings) as memory:
        _talk(made, memory, f"Has anybody seen the {thing}?", linked)
        return texts(memory.recall(thing)).count(linked)


def _session(settings: Settings, seed: int) -> Value:
    """A turn of the same conversation, three turns away."""
    made = Fixture(seed)
    thing, linked = made.thing, "It all ended well."
    with made.open(settings) as memory:
        _talk(made, memory, f"The {thing} was the topic.", "Really?", "Certainly.", linked)
        return texts(memory.recall(thing)).count(linked)


def _vector(settings: Settings, seed: int) -> Value:
    """A text of the same meaning in other words, as the embedder's vectors say."""
    made = Fixture(seed)
    linked = f"{made.person} felt ill."
    query = f"sickness of {made.person}"
    model = ScriptedEmbedder({query: [1, 0], linked: [1, 0.1]}, default=[0, 1])
    with made.open(settings, embedder=model) as memory:
        stored(memory, linked)
        return texts(memory.recall(query)).count(linked)


def _intent(settings: Settings, seed: int) -> Value:
    """Two texts, one first by its words and one first by its time: the rank of the latter where a time is asked for."""
    made = Fixture(seed)
    ann, thing = made.person, made.thing
    with made.open(settings) as memory:
        _distract(made, memory)
        stored(
            memory,
            f"{ann} cleaned the {thing}.",
            happened_at=EventTime.parse("2019-06-03"),
            trust=Trust.SYSTEM,
        )
        (timely,) = stored(memory, f"The {thing} went missing.", happened_at=EventTime.parse("2019-05-12"))
        return rank(memory.recall(f"What became of the {thing} that {ann} cleaned in May 2019?"), timely)


def _range(settings: Settings, seed: int) -> Value:
    """Of the hits, the share that happened in the month that is asked for: softly, and with the hard filter."""
    made = Fixture(seed)
    thing = made.thing
    with made.open(settings) as memory:
        for day in ("2019-05-02", "2019-05-30", "2019-04-30", "2020-05-12"):
            stored(memory, f"{made.person} {made.deed} the {thing}.", happened_at=EventTime.parse(day))
        asked, unparsed = f"What about the {thing} in May 2019?", f"What about the {thing} in Mayhem?"
        return {
            "soft": _precision(memory, asked, "soft"),
            "hard": _precision(memory, asked, "hard"),
            "same where no time is understood": seen(memory.recall(unparsed, time="hard"))
            == seen(memory.recall(unparsed)),
        }


def _precision(memory: Memory, query: str, mode: Any) -> float | None:
    hits = memory.recall(query, time=mode).hits
    within = [str(hit.entry.happened_at).startswith("2019-05") for hit in hits]
    return sum(within) / len(within) if within else None


def _ranged(settings: Settings, seed: int) -> Value:
    """Two equal texts, the first learned outside the month that is asked for: the rank of the one inside."""
    made = Fixture(seed)
    thing = made.thing
    clock = made.clock()
    with made.open(settings, clock=clock) as memory:
        (inside,) = stored(
            memory, f"{made.person} saw the {thing}.", happened_at=EventTime.parse("2019-05-12")
        )
        clock.advance(timedelta(days=1))
        outside = stored(memory, f"{made.person} had the {thing}.", happened_at=EventTime.parse("2023-05-12"))
        found = memory.recall(f"Where was the {thing} in May 2019?")
        return [rank(found, inside), rank(found, outside[0])]


def _lane(name: str, value: float) -> Settings:
    """The lexical lane and this one, in their fused order."""
    return replace(WORDS_ONLY, lanes=replace(WORDS_ONLY.lanes, **{name: value}))


def _boosted(value: float) -> Settings:
    settings = _lane("time", REFERENCE.lanes.time)
    return replace(settings, recall=replace(settings.recall, intent_boost=value))


def _prior(value: float) -> Settings:
    return replace(WORDS_ONLY, factors=replace(WORDS_ONLY.factors, range=value))


def _surfaces(name: str, sentence: str, scenario: Any, *breaks: Break, table: str = "SEEDED") -> Claim:
    """A text that only this lane can find: one where it is on, none where it is off."""
    reference: float = getattr(REFERENCE.lanes, name)
    gone = Break(f"There is no {name} lane.", "memory.recall.lanes.running", table, _without(name))
    return Claim(
        name=f"{name}-lane",
        sentence=sentence,
        measures="how often the linked text is among the hits",
        scenario=scenario,
        switch=f"lanes.{name}",
        arms=(
            Arm("off", 0, _lane(name, 0.0), 0.0),
            Arm("on", 1, _lane(name, 0.5), 0.5),
            Arm("reference", int(reference > 0), _lane(name, reference), reference),
        ),
        breaks=(gone, *breaks),
    )


def _without(name: str) -> Any:
    def instead(table: Mapping[str, Any]) -> dict[str, Any]:
        return {lane: run for lane, run in table.items() if lane != name}

    return instead


def _near(original: Any) -> Any:
    return lambda *given: [replace(signals, distance=0.0) for signals in original(*given)]


def _never_hard(original: Any) -> Any:
    return lambda self, scope, when, trust, during=None: original(self, scope, when, trust)


CLAIMS = (
    _surfaces(
        "window",
        "The window lane surfaces an answer that stands beside its question.",
        _window,
        table="LANES",
    ),
    _surfaces(
        "session", "The session lane surfaces what else the conversation holds.", _session, table="LANES"
    ),
    _surfaces("vector", "The vector lane surfaces the same meaning in other words.", _vector, table="LANES"),
    _surfaces(
        "graph",
        "The graph lane surfaces a document that statements lead to.",
        _graph,
        Break("It goes one step only.", "memory.recall.lanes.graph", "DEPTH", lambda original: 1),
    ),
    _surfaces(
        "entity",
        "The entity lane surfaces a text about somebody whom the first hit names.",
        _entity,
        Break(
            "No row is found by a name.",
            "memory.store.links",
            "Links.mentioning",
            lambda original: lambda self, keys, most: {},
        ),
    ),
    _surfaces(
        "time",
        "The time lane surfaces a text of the time that the query names.",
        _time,
        Break(
            "No time is read in a query.",
            "memory.recall.query",
            "time_span",
            lambda original: lambda *given: None,
        ),
    ),
    _surfaces(
        "cause",
        "The cause lane surfaces what led to the first hit.",
        _cause,
        Break(
            "No link is read.", "memory.store.links", "Links.causes", lambda original: lambda self, places: []
        ),
    ),
    Claim(
        name="intent-reweight",
        sentence="Where a time is asked for, the time lane counts for more: what is first by its time comes first.",
        measures="rank of the text of that time",
        scenario=_intent,
        switch="recall.intent_boost",
        arms=(
            Arm("off", 2, _boosted(1.0), 1.0),
            Arm("on", 1, _boosted(1.2), 1.2),
            Arm("reference", 1, _boosted(REFERENCE.recall.intent_boost), REFERENCE.recall.intent_boost),
        ),
        breaks=(
            Break("No intent counts.", "memory.recall.lanes.running", "_BOOSTED", lambda original: {}),
            Break(
                "Every query is factual.",
                "memory.recall.query",
                "intent_of",
                lambda original: lambda text: "factual",
            ),
        ),
    ),
    Claim(
        name="time-range",
        sentence="On request only what happened in the time that is asked for is recalled; what names none is as ever.",
        measures="precision of the hits",
        scenario=_range,
        arms=(Arm("on", {"soft": 0.5, "hard": 1.0, "same where no time is understood": True}, WORDS_ONLY),),
        breaks=(
            Break("The view keeps to no time.", "memory.store.sqlite", "SqliteStore.view", _never_hard),
            Break(
                "No time is read in a query.",
                "memory.recall.query",
                "time_span",
                lambda original: lambda *given: None,
            ),
        ),
    ),
    Claim(
        name="time-prior",
        sentence="What lies outside the time that is asked for sinks below its equal inside, and is not dropped.",
        measures="ranks inside, outside",
        scenario=_ranged,
        switch="factors.range",
        arms=(Arm("off", [2, 1], _prior(0.0), 0.0), Arm("on", [1, 2], _prior(0.5), 0.5)),
        breaks=(Break("The distance is always none.", "memory.recall.pipeline", "signals_of", _near),),
    ),
)
