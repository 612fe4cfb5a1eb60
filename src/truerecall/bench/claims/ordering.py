"""Claims about factors and stages: golden values of the formulas, and what they move."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import WORDS_ONLY, Fixture, rank, stored
from truerecall.core.config import REFERENCE, Settings
from truerecall.core.entry import DecayClass, Draft
from truerecall.models.scripted import ScriptedEmbedder

_FADED = (0.5534545198841266, 0.9945726783223208)
"""F at weight 1: of an episodic entry of 90 days with base 1, and of a semantic one of a day with base 0.5."""


def _diversity(settings: Settings, seed: int) -> Value:
    """Three texts that score 61/61, 61/62 and 61/63; the second is like the first, the third like neither."""
    made = Fixture(seed)
    one, two, three = made.thing, made.thing, made.thing
    first, second, third = (
        f"{one} {two} {three}",
        f"{one} {two} {made.person}",
        f"{one} {made.person} {made.town}",
    )
    model = ScriptedEmbedder({first: [1, 0.02, 0, 0], second: [1, 0, 0, 0], third: [0, 1, 0, 0]})
    with made.open(settings, embedder=model) as memory:
        ids = stored(memory, first, second, third)
        found = memory.recall(f"{one} {two} {three}")
        return [rank(found, entry_id) for entry_id in ids]


def _faded(settings: Settings, seed: int) -> Value:
    """F of an old episodic entry that is found by all lanes, and of a fresh semantic one that half of them find."""
    old = _factor(seed, settings, "episodic", 90, ())
    both = replace(settings, lanes=replace(settings.lanes, vector=settings.lanes.lexical))
    fresh = _factor(seed, both, "semantic", 1, (True,))
    gap = None if old is None or fresh is None else round(fresh - old, 3)
    return {"old": _rounded(old), "fresh": _rounded(fresh), "gap": gap}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 12)


def _factor(
    seed: int, settings: Settings, kind: DecayClass, days: int, half: tuple[bool, ...]
) -> float | None:
    """F of the one entry with the words; ``half`` has another, without them, found by the vector lane alone."""
    made = Fixture(seed)
    thing = made.thing
    text, query, other = f"The {thing} is {made.deed}.", f"{thing}?", "Something else."
    model = ScriptedEmbedder({query: [1, 0], other: [1, 0]}, fails_on=[text]) if half else "none"
    clock = made.clock()
    with made.open(settings, clock=clock, embedder=model) as memory:
        memory.remember([Draft(text, decay_class=kind), *(Draft(other) for _ in half)])
        clock.advance(timedelta(days=days))
        (hit,) = [hit for hit in memory.recall(query).hits if hit.entry.text == text]
        return hit.factors.by_name().get("forget")


def _footprint(settings: Settings, seed: int) -> Value:
    """Five entries learned over two years: fading ranks, and removes none."""
    made = Fixture(seed)
    thing, clock = made.thing, made.clock()
    with made.open(settings, clock=clock) as memory:
        for _ in range(5):
            stored(memory, f"{made.person} {made.deed} the {thing}.")
            clock.advance(timedelta(days=150))
        found = memory.recall(thing)
        return {"entries": memory.counts().entries, "ended": memory.counts().ended, "hits": len(found.hits)}


def _useful(settings: Settings, seed: int) -> Value:
    """Two equal texts: one was cited where a time was asked for, the other where a liking was."""
    made = Fixture(seed)
    thing = made.thing
    when, what = f"When was the {thing} there?", f"Which {thing} do they like?"
    with made.open(settings) as memory:
        ids = stored(memory, f"The {thing} stood in {made.town}.", f"The {thing} stood in {made.town}.")
        for query, cited in ((when, ids[0]), (what, ids[1])):
            memory.feedback(memory.recall(query), cited=[cited])
        found = {"temporal": memory.recall(when), "preference": memory.recall(what)}
        return {intent: [rank(recalled, i) for i in ids] for intent, recalled in found.items()}


def _diverse(value: float) -> Settings:
    return replace(WORDS_ONLY, recall=replace(WORDS_ONLY.recall, diversity=value))


def _weighted(name: str, value: float) -> Settings:
    return replace(WORDS_ONLY, factors=replace(WORDS_ONLY.factors, **{name: value}))


def _at_weight(weight: float) -> Value:
    old, fresh = (1 + weight * (fade - 1) for fade in _FADED)
    return {"old": round(old, 12), "fresh": round(fresh, 12), "gap": round(fresh - old, 3)}


def _drops_the_faded(original: Any) -> Any:
    def trusted(ranked: Any, trust: Any) -> Any:
        kept, dropped = original(ranked, trust)
        return [hit for hit in kept if (hit.factors.by_name().get("forget") or 1.0) > 0.9], dropped

    return trusted


_F, _U = REFERENCE.factors.forget, REFERENCE.factors.usefulness

CLAIMS = (
    Claim(
        name="diversity-golden",
        sentence="Of three hits the third, which is like neither other, comes second; at 1 the order is as it was.",
        measures="ranks of the three",
        scenario=_diversity,
        switch="recall.diversity",
        arms=(
            Arm("off", [1, 2, 3], _diverse(1.0), 1.0),
            Arm("on", [1, 3, 2], _diverse(0.7), 0.7),
            Arm("at 0.5", [1, 3, 2], _diverse(0.5), 0.5),
            Arm("at 0.3", [1, 3, 2], _diverse(0.3), 0.3),
        ),
        breaks=(
            Break(
                "Nothing is like anything.",
                "memory.recall.diversify",
                "diversified",
                lambda original: lambda scores, *rest: list(range(len(scores))),
            ),
        ),
    ),
    Claim(
        name="decay-golden",
        sentence="An old episodic entry fades to .553, a fresh semantic one to .995.",
        measures="the factor F",
        scenario=_faded,
        switch="factors.forget",
        arms=(
            Arm("off", {"old": None, "fresh": None, "gap": None}, _weighted("forget", 0.0), 0.0),
            Arm("on", _at_weight(1.0), _weighted("forget", 1.0), 1.0),
            Arm("reference", _at_weight(_F), _weighted("forget", _F), _F),
        ),
        breaks=(
            Break(
                "Every kind fades alike.",
                "memory.recall.score",
                "_BETA",
                lambda original: dict.fromkeys(original, 1.0),
            ),
            Break(
                "Importance does not slow it.",
                "memory.recall.score",
                "_clamp",
                lambda original: lambda value: 0.0,
            ),
        ),
    ),
    Claim(
        name="forgetting-keeps",
        sentence="Fading ranks and removes nothing: five entries stay five, and all are found.",
        measures="entries, hits",
        scenario=_footprint,
        switch="factors.forget",
        arms=tuple(
            Arm(name, {"entries": 5, "ended": 0, "hits": 5}, _weighted("forget", value), value)
            for name, value in (("off", 0.0), ("on", 2.0), ("reference", _F))
        ),
        breaks=(Break("What has faded is left out.", "memory.recall.pipeline", "trusted", _drops_the_faded),),
    ),
    Claim(
        name="usefulness",
        sentence="What was cited for a kind of question is first for that kind, and second for another.",
        measures="ranks of two equal texts by intent",
        scenario=_useful,
        switch="factors.usefulness",
        arms=(
            Arm("off", {"temporal": [1, 2], "preference": [1, 2]}, _weighted("usefulness", 0.0), 0.0),
            Arm("on", {"temporal": [1, 2], "preference": [2, 1]}, _weighted("usefulness", 1.0), 1.0),
            Arm("reference", {"temporal": [1, 2], "preference": [2, 1]}, _weighted("usefulness", _U), _U),
        ),
        breaks=(
            Break(
                "Feedback is not read.",
                "memory.store.links",
                "Links.usefulness",
                lambda original: lambda self, places: {},
            ),
            Break(
                "A citation counts for nothing.",
                "memory.feedback",
                "outcomes",
                lambda original: lambda entries, *rest: [(entry.id, "ignored") for entry in entries],
            ),
        ),
    ),
)
