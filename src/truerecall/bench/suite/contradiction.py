"""Contradictions: two values of one predicate, by three ways in; the right one is believed, and both can be seen."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from truerecall.bench.claims.grounds import Fixture, folder
from truerecall.bench.suite.manifest import Part, Tally
from truerecall.core.clock import ManualClock
from truerecall.core.config import ChatSettings, Settings
from truerecall.core.entry import Draft, Entry, Source, Statement, Trust
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter
from truerecall.models.scripted import Rule, ScriptedChat

_REFLECTING = Settings(chat=ChatSettings(model="openai:none", reflect=True))

_TEMPLATES: tuple[tuple[str, str, str, str], ...] = (
    ("{name}", "lives_in", "{town}", "{other}"),
    ("{name}", "works_at", "the {place}", "the {thing} shop"),
    ("{name}", "age", "34", "35"),
    ("{name}", "spouse", "{second}", "{third}"),
    ("{name}", "favourite_colour", "green", "blue"),
    ("{name}", "favourite_town", "{town}", "{other}"),
    ("the {thing}", "owner", "{second}", "{third}"),
    ("the {thing}", "version", "1.4.0", "1.5.0"),
    ("the {thing}", "default", "port 8080", "port 9090"),
    ("the dog of {name}", "named", "Rex", "Bello"),
)
"""Subject, a predicate that holds one value at a time, the value that is told first, and the other."""

_TRUSTS = {
    "equal trust, later": (Trust.LEARNED, Trust.LEARNED),
    "lower trust, later": (Trust.SYSTEM, Trust.LEARNED),
    "higher trust, later": (Trust.LEARNED, Trust.SYSTEM),
}
"""Of the first and of the second: the second is believed but where it is trusted less."""


@dataclass(frozen=True, slots=True)
class _Case:
    made: Fixture
    clock: ManualClock
    memory: Memory
    second: Draft


def contradiction(seeds: tuple[int, ...]) -> Part:
    """Every template by every way, at every order of trust."""
    right = Tally(
        "right one believed", "Of two, the one of higher trust is current, of equal trust the later.", "all"
    )
    visible = Tally("both to be seen", "Both are there, the ended one too.", "all")
    told = Tally(
        "status and reason",
        "Of the one that is not believed, what ended it, when and why can be read.",
        "all",
    )
    for seed in seeds:
        for template in _TEMPLATES:
            for way, write in _WAYS.items():
                for order, trusts in _TRUSTS.items():
                    trial = f"{template[1]}, {way}, {order}, seed {seed}"
                    entries, memory = _after(Fixture(seed), template, trusts, write)
                    with memory:
                        _count((right, visible, told), memory, entries, trusts, trial)
    tallies = (right, visible, told)
    return Part(
        name="contradiction", templates=len(_TEMPLATES), figures=[tally.figure() for tally in tallies]
    )


def _count(
    tallies: tuple[Tally, Tally, Tally],
    memory: Memory,
    entries: list[Entry],
    trusts: tuple[Trust, Trust],
    trial: str,
) -> None:
    right, visible, told = tallies
    visible.add(len(entries) == 2, trial)
    current = [entry.ended_at is None for entry in entries]
    right.add(current == ([True, False] if trusts[1] < trusts[0] else [False, True]), trial)
    ended = [entry for entry in entries if entry.ended_at is not None]
    endings = [event for entry in ended for event in memory.history(entry.id).events if event.kind != "proof"]
    told.add(any(event.other_id and event.detail for event in endings), trial)


def _after(
    made: Fixture,
    template: tuple[str, str, str, str],
    trusts: tuple[Trust, Trust],
    write: Callable[[_Case], None],
) -> tuple[list[Entry], Memory]:
    """A memory that was told both, and the entries that say so, the first first."""
    names = {
        "name": made.person, "second": made.person, "third": made.person, "town": made.town, "other": made.town,
        "thing": made.thing, "place": made.place,
    }  # fmt: skip
    subject, predicate, one, two = (part.format(**names) for part in template)
    drafts = [
        Draft(
            f"{subject}: {predicate.replace('_', ' ')} {value}.",
            kind="fact",
            trust=trust,
            statement=Statement(subject, predicate, value),
        )
        for value, trust in zip((one, two), trusts, strict=True)
    ]
    clock = made.clock()
    memory = made.open(_REFLECTING, clock=clock)
    memory.remember(drafts[0])
    clock.advance(timedelta(days=1))
    write(_Case(made, clock, memory, drafts[1]))
    said = {draft.text: number for number, draft in enumerate(drafts)}
    entries = [entry for entry in memory.list(Filter(ended=True, newest=1000)) if entry.text in said]
    return sorted(entries, key=lambda entry: said[entry.text]), memory


def _remembered(case: _Case) -> None:
    case.memory.remember(case.second)


def _imported(case: _Case) -> None:
    """Another memory of the same space was told the other value."""
    with folder() as place, case.made.open(Settings(), clock=case.clock, seed=case.made.seed + 1000) as other:
        other.remember(case.second)
        case.memory.import_(other.export(place / "export"))


def _reflected(case: _Case) -> None:
    """A model concludes the other value from what was said."""
    statement = case.second.statement
    if statement is None:
        return
    source = [Source(session="talk", position=number) for number in range(3)]
    texts = ("It came up at lunch.", "Somebody asked again.", "Then it was settled.")
    case.memory.remember(
        [Draft(text, trust=case.second.trust, source=one) for text, one in zip(texts, source, strict=True)]
    )
    fact = {
        "subject": statement.subject,
        "predicate": statement.predicate,
        "object": statement.object,
        "text": case.second.text,
        "sources": ["@"],
    }
    reply = json.dumps({"observations": [], "facts": [fact], "causes": []}).replace("@", r"\1")
    rule = Rule(re.compile(r"\[([0-9a-f]{8}) \w+\] It came up"), reply)
    case.memory.reflect(chat=ScriptedChat([], rules=[rule, Rule(re.compile("."), "{}")]))


_WAYS: Mapping[str, Callable[[_Case], None]] = {
    "remember": _remembered,
    "import": _imported,
    "reflect": _reflected,
}
