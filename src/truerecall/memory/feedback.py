"""Feedback: what became of a recall, written down as events of the entries that it gave.

Each entry of a recall is judged once: feedback that is given again, or by two callers, counts once. A bad outcome may
be told later. Nothing that cannot be recorded (a citation of something else, an entry that was purged meanwhile) loses
the rest: it is passed over, with the reason.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, get_args

from truerecall.core.entry import Event, Scope
from truerecall.core.ids import id_bytes, id_text
from truerecall.errors import InvalidInput, NotFound
from truerecall.memory.recall.intent import Intent
from truerecall.memory.recall.recalled import Recall
from truerecall.memory.store.protocol import Store
from truerecall.memory.usefulness import Outcome, outcomes
from truerecall.memory.write.border import strip_recalled

_SHORTEST_NAME = 8  # digits of an id: blocks show so many


@dataclass(frozen=True, slots=True)
class SavedRecall:
    """A recall of another process, as far as feedback needs it."""

    ids: tuple[str, ...]
    """Of the hits."""
    intent: str = ""
    """Of the query; empty where it is not known: its feedback then counts among all intents only."""
    unseen: frozenset[str] = frozenset()
    """Hits that did not fit into the block."""
    judged: dict[str, Outcome] = field(default_factory=dict)
    """What was recorded of each; filled by ``feedback``."""

    @classmethod
    def parse(cls, values: object) -> "SavedRecall":
        """From what ``truerecall recall --json`` prints; ``InvalidInput`` for anything else."""
        try:
            return _parsed(values)
        except (KeyError, TypeError, AttributeError, InvalidInput):
            raise InvalidInput(
                "this is no recall", remedy="Save what `truerecall recall QUERY --json` prints."
            ) from None


@dataclass(frozen=True, slots=True)
class Feedback:
    """What was recorded."""

    used: tuple[str, ...]
    """Entries that went into the answer."""
    ignored: tuple[str, ...]
    """Entries that did not."""
    failed: tuple[str, ...]
    """Entries that were used, with a bad outcome."""
    passed_over: Mapping[str, str]
    """Entries and citations of which nothing was recorded, and why."""


def feedback(
    store: Store,
    scope: Scope,
    recall: Recall | SavedRecall,
    now: datetime,
    new_id: Callable[[], str],
    *,
    response: str | None = None,
    cited: Collection[str] = (),
    failed: bool = False,
) -> Feedback:
    """Record which of the recalled entries went into an answer.

    Args:
        store: Where the entries are.
        scope: Who reads.
        recall: What was recalled.
        now: When the memory learns of it.
        new_id: Gives the events their ids.
        response: The answer that was given; what it says again was used (``memory.usefulness``). Blocks of recall that
            it repeats whole are no answer and are left out.
        cited: Ids of entries that the answer cites, in full or by their last eight digits.
        failed: Whether the answer turned out badly. Alone, it is said of the entries that were judged used before.

    A hit that was left out of the block is not known to have been seen: it is never ``ignored``.

    Raises:
        InvalidInput: There is nothing to judge by, or something of the wrong type.
    """
    if not isinstance(recall, Recall | SavedRecall):
        raise InvalidInput(
            f"{type(recall).__name__} is no recall", remedy="Give what `recall` returned, or a SavedRecall."
        )
    given = recall if isinstance(recall, SavedRecall) else _saved(recall)
    _check(response, cited, failed, given.judged)
    passed: dict[str, str] = {}
    named = _named(cited, given.ids, passed)
    answer = None if response is None else strip_recalled(response)
    ids: Sequence[str] = given.ids
    while True:
        entries = store.get(scope, ids)
        passed |= {entry_id: "it is not here any more" for entry_id in given.ids if entry_id not in entries}
        ids = [entry_id for entry_id in ids if entry_id in entries]
        if answer is None and not cited:
            found: list[tuple[str, Outcome]] = [(i, "failed") for i in ids if given.judged.get(i) == "used"]
        else:
            found = outcomes([entries[entry_id] for entry_id in ids], answer, named, failed)
        new = _new(found, ids, given, passed)
        events = [Event(new_id(), now, kind, entry_id, detail=given.intent) for entry_id, kind in new]
        try:
            if events:
                store.record(scope, events)
            break
        except NotFound:  # purged between the two calls: once more without it
            if set(ids) <= set(store.get(scope, ids)):
                raise
    given.judged.update(new)
    of = {kind: tuple(i for i, said in new if said == kind) for kind in ("used", "ignored", "failed")}
    return Feedback(of["used"], of["ignored"], of["failed"], passed)


def _new(
    found: Iterable[tuple[str, Outcome]], ids: Iterable[str], given: SavedRecall, passed: dict[str, str]
) -> list[tuple[str, Outcome]]:
    """What was not said before of these entries."""
    said: dict[str, list[Outcome]] = {entry_id: [] for entry_id in ids}
    for entry_id, kind in found:
        said[entry_id].append(kind)
    new: list[tuple[str, Outcome]] = []
    for entry_id, kinds in said.items():
        before = given.judged.get(entry_id)
        if before is None and kinds == ["ignored"] and entry_id in given.unseen:
            passed[entry_id] = "it was not in the block"
        elif before is None:
            new += [(entry_id, kind) for kind in kinds]
        elif before == "used" and "failed" in kinds:
            new.append((entry_id, "failed"))
        else:
            passed[entry_id] = "it was judged before"
        if before is None and not kinds:
            passed[entry_id] = "it is too short to tell"
    return new


def _named(cited: Iterable[str], ids: Sequence[str], passed: dict[str, str]) -> set[str]:
    """The recalled entries that citations mean."""
    named = set()
    for citation in cited:
        name = citation.lower()
        means = [i for i in ids if i == name or (len(name) >= _SHORTEST_NAME and i.endswith(name))]
        if len(means) == 1:
            named.add(means[0])
        else:
            passed[citation] = "it means more than one entry" if means else "it was not recalled"
    return named


def _saved(recall: Recall) -> SavedRecall:
    ids = tuple(hit.id for hit in recall.hits)
    return SavedRecall(ids, recall.intent, frozenset(recall.block.left_out), recall.judged)


def _parsed(values: Any) -> SavedRecall:
    ids = tuple(id_text(id_bytes(hit["entry"]["id"])) for hit in values["hits"])
    intent = values.get("intent", "")
    dropped = [(one["id"], one["reason"]) for one in values["trace"]["dropped"]]
    if intent not in ("", *get_args(Intent)):
        raise TypeError("no such intent")
    return SavedRecall(ids, intent, frozenset(entry_id for entry_id, why in dropped if why == "budget"))


def _check(response: object, cited: object, failed: object, judged: Mapping[str, Outcome]) -> None:
    if response is not None and not isinstance(response, str):
        raise InvalidInput(f"the response is {type(response).__name__}", remedy="Give its text, or None.")
    if (
        isinstance(cited, str)
        or not isinstance(cited, Collection)
        or not all(isinstance(name, str) for name in cited)
    ):
        raise InvalidInput("cited is no collection of ids", remedy="Give them as a list of strings.")
    if not isinstance(failed, bool):
        raise InvalidInput(f"failed is {failed!r}", remedy="Give True or False.")
    if response is None and not cited and not (failed and judged):
        raise InvalidInput(
            "there is nothing to judge the recall by", remedy="Give the response, or the ids that it cites."
        )
