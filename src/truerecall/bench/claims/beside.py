"""Claims about what stands beside the entries: while what goes by it is off, it changes no byte of a recall."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import BY_TEXT, Fixture
from truerecall.bench.claims.lived_in import LivedIn
from truerecall.bench.claims.switches import SHOWN, seen
from truerecall.core.config import Settings, WriteSettings
from truerecall.memory.recall.recalled import Recall


def _used(settings: Settings, seed: int) -> Value:
    """A memory with causes and feedback beside its entries, against one without, in which they could be seen."""
    with_them, without = (LivedIn(Fixture(seed), Settings(), used=used) for used in (True, False))
    return _compared(with_them, without, settings)


def _extracted(settings: Settings, seed: int) -> Value:
    """A memory whose texts were searched for names, dates and statements, against one whose were not."""
    bare = Settings(write=WriteSettings(extract=False))
    found, unsearched = (LivedIn(Fixture(seed), given, used=False) for given in (Settings(), bare))
    return _compared(found, unsearched, settings)


def _compared(one: LivedIn, other: LivedIn, settings: Settings) -> Value:
    """Under these settings: whether every recall of both gives the same bytes."""
    with one.memory, other.memory:
        found = []
        for lived in (one, other):
            lived.memory.settings = settings
            found.append([seen(lived.memory.recall(query)) for query in lived.queries])
    return "identical" if found[0] == found[1] else "moved"


def _all_on(original: Callable[..., Recall]) -> Callable[..., Recall]:
    def recall(store: Any, scope: Any, request: Any, means: Any) -> Recall:
        return original(store, scope, request, replace(means, settings=SHOWN))

    return recall


CLAIMS = tuple(
    Claim(
        name=name,
        sentence=sentence,
        measures="traces and blocks against a memory without it",
        scenario=scenario,
        switch=switch,
        arms=(
            Arm("off", "identical", BY_TEXT, "those that go by texts"),
            Arm("on", "moved", SHOWN, "all of them"),
        ),
        breaks=(Break("What is off is run all the same.", "memory.memory", "recall", _all_on),),
        seeds=(1, 2),
    )
    for name, sentence, scenario, switch in (
        (
            "events-beside",
            "Causes and feedback that were recorded change no byte of recall while nothing goes by them.",
            _used,
            "lanes, factors",
        ),
        (
            "names-beside",
            "Names, dates and statements that were taken out of texts change no byte while nothing goes by them.",
            _extracted,
            "lanes, factors",
        ),
    )
)
