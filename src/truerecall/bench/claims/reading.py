"""Claims about who reads what: tenants, users, trust, through every way in."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from datetime import datetime
from itertools import product
from typing import Any

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import EVERY_TRUST, LANES_OFF, Fixture, folder, stored
from truerecall.core.config import REFERENCE, LaneWeights, RecallSettings, Settings
from truerecall.core.entry import Draft, Scope, Source, Statement, Trust
from truerecall.errors import NotFound
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.memory.store.view import View

_READERS = tuple(product(("acme", "umbrella"), ("notes", "code"), ("ada", "bo")))
"""Tenant, space and user."""
_LANES = tuple(field.name for field in fields(LaneWeights))
_TOGETHER = "all of them"
_EVERYBODYS = "A reader gets everybody's rows."


def _crowded(made: Fixture, settings: Settings, path: Any) -> list[Memory]:
    """One file, eight readers: each wrote the same two texts, one shared and one private."""
    said = f"{made.person} lives in {made.town} because of the {made.thing}."
    memories = []
    for number, (tenant, space, user) in enumerate(_READERS):
        memory = made.open(
            settings,
            path,
            tenant=tenant,
            space=space,
            user=user,
            embedder="hashing",
            seed=made.seed * 100 + number,
        )
        source = Source(speaker=user, session=f"{tenant} {space} {user}", position=0)
        memory.remember(
            [
                Draft(said, source=source, visibility="shared"),
                Draft(f"{said} Quietly.", source=replace(source, position=1), visibility="private"),
            ]
        )
        memories.append(memory)
    return memories


def _may_see(scope: Scope, entry: Any) -> bool:
    place = (entry.scope.tenant, entry.scope.space) == (scope.tenant, scope.space)
    return place and (entry.visibility == "shared" or entry.scope.user == scope.user)


def _through_lanes(settings: Settings, seed: int) -> Value:
    """Hits that a reader may not see, by the lane that is on beside the lexical one."""
    made = Fixture(seed)
    foreign: dict[str, Value] = {}
    own = 0
    with folder() as place:
        memories = _crowded(made, settings, place / "m.db")
        query = memories[0].list()[0].text
        for lane in (*_LANES, _TOGETHER):
            hits = []
            for memory in memories:
                memory.settings = _one_lane(settings, lane)
                found = memory.recall(query, limit=100, trust=EVERY_TRUST).hits
                hits += [_may_see(memory.scope, hit.entry) for hit in found]
            foreign[lane] = hits.count(False)
            own = hits.count(True)
        for memory in memories:
            memory.close()
    return {"own": own, "foreign": foreign}


def _one_lane(settings: Settings, lane: str) -> Settings:
    if lane == _TOGETHER:
        lanes = replace(settings.lanes, **dict.fromkeys(_LANES, 1.0))
    else:
        lanes = replace(LANES_OFF, **{"lexical": 1.0, lane: 1.0})
    return replace(settings, lanes=lanes)


def _through_writes(settings: Settings, seed: int) -> Value:
    """Another scope's equal text is no duplicate; another scope's source cannot be named."""
    made = Fixture(seed)
    said = f"{made.person} {made.deed} the {made.thing}."
    draft = Draft(said, source=Source(session="s", position=0))
    statuses, derived = [], []
    with folder() as place:
        origin = None
        for number, (tenant, space, user) in enumerate(_READERS):
            whose = {"tenant": tenant, "space": space, "user": user, "seed": made.seed * 100 + number}
            with made.open(settings, place / "m.db", **whose) as memory:
                (result,) = memory.remember(replace(draft, visibility="private"))
                statuses.append(result.status)
                origin = origin or str(result.id)
                (made_of,) = memory.remember(Draft(f"{said} Truly.", kind="fact", source_ids=(origin,)))
                derived.append(made_of.status)
    return {"statuses": statuses, "derived from the first's": derived}


def _through_ids(settings: Settings, seed: int) -> Value:
    """Each verb that takes an id, given those of what the reader may not see."""
    made = Fixture(seed)
    refused = tried = 0
    with folder() as place:
        memories = _crowded(made, settings, place / "m.db")
        everyones = {entry.id: entry for memory in memories for entry in memory.list()}
        verbs = [_verbs(memory) for memory in memories]
        for memory, own in zip(memories, verbs, strict=True):
            for entry_id, entry in everyones.items():
                if _may_see(memory.scope, entry):
                    continue
                for verb in own:
                    for name in (entry_id, entry_id[-12:]):
                        tried += 1
                        try:
                            verb(name)
                        except NotFound:
                            refused += 1
        alive = sum(len(memory.list(Filter(newest=100))) for memory in memories)
        for memory in memories:
            memory.close()
    return {"tried": tried, "refused": refused, "rows that all see": alive}


def _verbs(memory: Memory) -> tuple[Callable[[str], object], ...]:
    """All that take the id of an entry."""
    own = memory.list()[0].id
    return (
        memory.get,
        memory.history,
        memory.forget,
        memory.purge,
        lambda name: memory.correct(name, "Taken over."),
        lambda name: memory.link(name, own),
        lambda name: memory.link(own, name),
    )


def _through_facts(settings: Settings, seed: int) -> Value:
    """Statements that a reader sees, of those that all eight made of one person, and that any ended."""
    made = Fixture(seed)
    name, seen = made.person, []
    with folder() as place:
        memories = []
        for number, (tenant, space, user) in enumerate(_READERS):
            whose = {"tenant": tenant, "space": space, "user": user, "seed": made.seed * 100 + number}
            memory = made.open(settings, place / "m.db", **whose)
            says = Statement(name, "lives_in", f"{tenant} {space} {user}")
            memory.remember(Draft(f"{name} moved.", kind="fact", statement=says, visibility="private"))
            memories.append(memory)
        for memory in memories:
            told = memory.facts(name, current=False)
            seen.append([view.object == " ".join(_whose(memory)) for view in told])
            seen[-1].append(all(view.status == "current" for view in told))
            memory.close()
    return seen


def _whose(memory: Memory) -> tuple[str, str, str]:
    return memory.scope.tenant, memory.scope.space, memory.scope.user


def _through_exports(settings: Settings, seed: int) -> Value:
    made = Fixture(seed)
    foreign = rows = 0
    with folder() as place:
        memories = _crowded(made, settings, place / "m.db")
        for number, memory in enumerate(memories):
            out = memory.export(place / str(number))
            text = (out / "entries.jsonl").read_text(encoding="utf-8")
            rows += len(text.splitlines())
            theirs = [other for other in memories if other.scope != memory.scope]
            ids = {entry.id for other in theirs for entry in other.list()} - {e.id for e in memory.list()}
            foreign += sum(entry_id in text for entry_id in ids)
        for memory in memories:
            memory.close()
    return {"rows": rows, "foreign": foreign}


def _trust(settings: Settings, seed: int) -> Value:
    """Texts of each tier that answer a query, by the tiers that are asked for."""
    made = Fixture(seed)
    thing = made.thing
    with made.open(settings, embedder="hashing") as memory:
        for tier in Trust:
            stored(memory, f"The {thing} was {made.deed} in {made.town}.", trust=tier)
        default, every = memory.recall(thing), memory.recall(thing, trust=EVERY_TRUST)
        return {
            "by default": sorted(hit.entry.trust.label for hit in default.hits),
            "candidates by default": len(default.candidates),
            "in the block": default.text.count(" external]"),
            "where it is asked for": sorted(hit.entry.trust.label for hit in every.hits),
        }


class _Leaky(SqliteStore):
    """A store whose view forgets to ask for trust."""

    @contextlib.contextmanager
    def view(self, scope: Scope, when: datetime, trust: Any, *rest: Any, **named: Any) -> Iterator[View]:
        with super().view(scope, when, EVERY_TRUST, *rest, **named) as view:
            yield view


def _second_net(settings: Settings, seed: int) -> Value:
    """A recall over a view that lets every tier through: what is recalled all the same."""
    made = Fixture(seed)
    thing = made.thing
    with made.open(settings) as memory:
        for tier in Trust:
            stored(memory, f"The {thing} was {made.deed} in {made.town}.", trust=tier)
        memory._store.__class__ = _Leaky
        recalled = memory.recall(thing)
        dropped = [one.reason for one in recalled.trace.dropped]
        return {"candidates": len(recalled.candidates), "hits": len(recalled.hits), "dropped": dropped}


def _trust_of_derived(settings: Settings, seed: int) -> Value:
    made = Fixture(seed)
    with made.open(settings) as memory:
        ids = [stored(memory, f"{made.person} {made.deed} it.", trust=tier)[0] for tier in Trust]
        derived = [
            memory.remember(Draft(f"Of {i}.", kind="fact", trust=Trust.SYSTEM, source_ids=tuple(ids[i:])))[0]
            for i in range(len(ids))
        ]
        return [memory.get(str(result.id)).trust.label for result in derived]


def _everybodys(original: Any) -> Any:
    return lambda db, scope: [row[0] for row in db.execute("SELECT id FROM partition ORDER BY id")]


def _all_rows(original: Any) -> Any:
    return lambda number: (0, 2**63 - 1)


def _any_tier(original: Any) -> Any:
    def recall(store: Any, scope: Any, request: Any, means: Any) -> Any:
        return original(store, scope, replace(request, trust=EVERY_TRUST), means)

    return recall


def _all_allowed(original: Any) -> Any:
    def view(self: Any, scope: Any, when: Any, trust: Any, *rest: Any, **named: Any) -> Any:
        return original(self, scope, when, EVERY_TRUST, *rest, **named)

    return view


def _as_it_says(original: Any) -> Any:
    def entry_of(draft: Any, *rest: Any, **named: Any) -> Any:
        made = original(draft, *rest, **named)
        return replace(made, entry=replace(made.entry, trust=draft.trust))

    return entry_of


CLAIMS = (
    Claim(
        name="tenancy-lanes",
        sentence="No lane brings a reader anything of another tenant, another space or another user's own.",
        measures="own hits, foreign hits by lane",
        scenario=_through_lanes,
        arms=(
            Arm("on", {"own": 24, "foreign": dict.fromkeys((*_LANES, _TOGETHER), 0)}),
            Arm(
                "reference",
                {"own": 24, "foreign": dict.fromkeys((*_LANES, _TOGETHER), 0)},
                replace(REFERENCE, recall=RecallSettings(rerank=0)),
            ),
        ),
        breaks=(Break(_EVERYBODYS, "memory.store.sqlite", "readable_partitions", _everybodys),),
        seeds=(1, 2),
    ),
    Claim(
        name="tenancy-writes",
        sentence="An equal text of another scope is no duplicate, and nothing can be derived from what is not seen.",
        measures="statuses of eight scopes",
        scenario=_through_writes,
        arms=(
            Arm(
                "on",
                {
                    "statuses": ["stored"] * 8,
                    "derived from the first's": ["stored", *["refused"] * 7],
                },
            ),
        ),
        breaks=(
            Break(
                "Duplicates are looked for in all rows.", "memory.store.writing", "partition_range", _all_rows
            ),
            Break(_EVERYBODYS, "memory.store.sqlite", "readable_partitions", _everybodys),
        ),
    ),
    Claim(
        name="tenancy-ids",
        sentence="Knowing an id opens nothing: no verb works on an entry that the reader may not see.",
        measures="verbs tried, refused",
        scenario=_through_ids,
        arms=(Arm("on", {"tried": 1456, "refused": 1456, "rows that all see": 24}),),
        breaks=(Break(_EVERYBODYS, "memory.store.sqlite", "readable_partitions", _everybodys),),
        seeds=(1, 2),
    ),
    Claim(
        name="tenancy-facts",
        sentence="A reader sees the statements of its own scope, and those of others end none of them.",
        measures="its own statement, current, of each of eight",
        scenario=_through_facts,
        arms=(Arm("on", [[True, True]] * 8),),
        breaks=(Break(_EVERYBODYS, "memory.store.sqlite", "readable_partitions", _everybodys),),
        seeds=(1, 2),
    ),
    Claim(
        name="tenancy-export",
        sentence="An export holds what its user sees, and nothing else.",
        measures="rows, foreign ids",
        scenario=_through_exports,
        arms=(Arm("on", {"rows": 24, "foreign": 0}),),
        breaks=(Break(_EVERYBODYS, "memory.store.sqlite", "readable_partitions", _everybodys),),
        seeds=(1, 2),
    ),
    Claim(
        name="trust-filter",
        sentence="External texts are recalled only where they are asked for.",
        measures="tiers recalled, candidates",
        scenario=_trust,
        arms=(
            Arm(
                "on",
                {
                    "by default": ["learned", "system"],
                    "candidates by default": 2,
                    "in the block": 0,
                    "where it is asked for": ["external", "learned", "system"],
                },
            ),
        ),
        breaks=(
            Break("Every tier is asked for.", "memory.memory", "recall", _any_tier),
            Break("The view allows every tier.", "memory.store.sqlite", "SqliteStore.view", _all_allowed),
        ),
    ),
    Claim(
        name="trust-filter-again",
        sentence="A lane that forgets to ask for trust leaks nothing: after scoring it is asked for once more.",
        measures="candidates, hits, dropped",
        scenario=_second_net,
        arms=(Arm("on", {"candidates": 3, "hits": 2, "dropped": ["trust"]}),),
        breaks=(
            Break(
                "It is not asked for again.",
                "memory.recall.pipeline",
                "trusted",
                lambda original: lambda ranked, trust: (ranked, []),
            ),
        ),
    ),
    Claim(
        name="trust-of-derived",
        sentence="What is derived is trusted as its least trusted source, whatever its writer says.",
        measures="tiers of three derived entries",
        scenario=_trust_of_derived,
        arms=(Arm("on", ["external", "learned", "system"]),),
        breaks=(Break("The writer's word is taken.", "memory.memory", "entry_of", _as_it_says),),
    ),
)
