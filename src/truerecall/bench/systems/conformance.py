"""What an adapter owes before its figures may stand beside others: a few small stores tell.

A check says nothing about a system that cannot show what it looks at; then it is ``inapplicable``, with the
reason, and never counted as passed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from truerecall.bench.systems.protocol import Answer, Item, System
from truerecall.core.entry import Scope

Verdict = Literal["passed", "failed", "inapplicable"]

_SCOPE = Scope(tenant="conformance", space="first", user="tester")
_OTHER_SCOPE = Scope(tenant="conformance", space="second", user="tester")
_START = datetime(2024, 3, 4, 9, 30, tzinfo=UTC)
_ASKED = _START + timedelta(days=400)
_WHOLE = 200
_NEEDLE = "The spare key of the boathouse hangs behind the copper weathervane."
_NEEDLE_QUESTION = "Where does the spare key of the boathouse hang?"
_COMMON_QUESTION = "What was said about the garden?"
_PLANTS = ("beans", "leeks", "chard", "dill", "kale", "mint", "peas", "sage")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One check of one system."""

    check: str
    verdict: Verdict
    detail: str
    """What was seen, or why it could not be."""


class _Failed(Exception):
    """A check saw what must not be."""


class _Unobservable(Exception):
    """A check could see nothing."""


def conformance(
    system: System, folder: Path, inapplicable: Mapping[str, str] | None = None
) -> tuple[Outcome, ...]:
    """Run every check in new folders below ``folder``; ``inapplicable`` names those to leave out, and why.

    ``SystemFailed`` where the system does not answer at all.
    """
    left_out = dict(inapplicable or {})
    outcomes = []
    for number, (check, look) in enumerate(_LOOKS.items()):
        if check in left_out:
            outcomes.append(Outcome(check, "inapplicable", left_out[check]))
            continue
        place = folder / f"{number:02}"
        place.mkdir(parents=True)
        try:
            outcomes.append(Outcome(check, "passed", look(system, place)))
        except _Failed as failed:
            outcomes.append(Outcome(check, "failed", str(failed)))
        except _Unobservable as unobservable:
            outcomes.append(Outcome(check, "inapplicable", str(unobservable)))
    return tuple(outcomes)


def _one_handle_an_item(system: System, folder: Path) -> str:
    items = _garden(12)
    with _open(system, folder):
        handles = system.ingest(items)
        stored = system.census().stored
    _expect(len(handles) == len(items), f"{len(handles)} handles for {len(items)} items")
    distinct = len({handle for handle in handles if handle is not None})
    _expect(stored >= distinct, f"{distinct} handles were given, but {stored} items are stored")
    return f"{distinct} handles, {stored} stored"


def _needle_found(system: System, folder: Path) -> str:
    items = [*_garden(40), _needle()]
    with _open(system, folder):
        handles = system.ingest(items)
        answer = _ask(system, _NEEDLE_QUESTION, 10)
    _expect(handles[-1] in answer.handles, "the one item that answers the question is not among ten")
    return f"at rank {answer.handles.index(handles[-1] or '') + 1} of {len(answer.handles)}"


def _k_honoured(system: System, folder: Path) -> str:
    with _open(system, folder):
        system.ingest(_garden(12))
        counts = {k: len(_ask(system, _COMMON_QUESTION, k).handles) for k in (1, 3, 10, _WHOLE)}
    for k, count in counts.items():
        _expect(count <= min(k, 12), f"{count} items for k = {k} out of 12")
    return ", ".join(f"k = {k}: {count}" for k, count in counts.items())


def _no_handle_twice(system: System, folder: Path) -> str:
    items = [*_garden(12), _needle()]
    with _open(system, folder):
        known = set(system.ingest(items))
        answers = [_ask(system, question, _WHOLE) for question in (_COMMON_QUESTION, _NEEDLE_QUESTION)]
    for answer in answers:
        _expect(len(set(answer.handles)) == len(answer.handles), "a handle was recalled twice")
        _expect(set(answer.handles) <= known, "a handle was recalled that ingestion had not given")
        for block in answer.blocks.values():
            _expect(set(block.handles) <= known, "a block names a handle that ingestion had not given")
    return f"{sum(len(answer.handles) for answer in answers)} handles, all known"


def _isolation_of_folders(system: System, folder: Path) -> str:
    return _isolation(system, (folder / "a", _SCOPE), (folder / "b", _SCOPE))


def _isolation_of_scopes(system: System, folder: Path) -> str:
    return _isolation(system, (folder, _SCOPE), (folder, _OTHER_SCOPE))


def _isolation(system: System, first: tuple[Path, Scope], second: tuple[Path, Scope]) -> str:
    """A large store, then a small one: the small one must know nothing of the large one."""
    with _open(system, *first):
        system.ingest([*_garden(40), _needle()])
    few = _garden(3)
    with _open(system, *second):
        known = set(system.ingest(few))
        stored = system.census().stored
        answers = [_ask(system, question, _WHOLE) for question in (_NEEDLE_QUESTION, _COMMON_QUESTION)]
    _expect(stored <= len(few), f"{stored} items are stored where {len(few)} were given")
    for answer in answers:
        _expect(set(answer.handles) <= known, "an item of the other store was recalled")
        for block in answer.blocks.values():
            _expect("weathervane" not in block.text, "words of the other store stand in a block")
    return f"{stored} stored, nothing of the other"


def _delete(system: System, folder: Path) -> str:
    items = [*_garden(12), _needle()]
    with _open(system, folder):
        handles = system.ingest(items)
        before = _ask(system, _NEEDLE_QUESTION, _WHOLE)
        stored = system.census().stored
        needle = handles[-1]
        if needle is None or needle not in before.handles:
            raise _Unobservable("the item could not be recalled before it was deleted")
        system.delete([needle])
        after = _ask(system, _NEEDLE_QUESTION, _WHOLE)
        left = system.census().stored
    _expect(needle not in after.handles, "a deleted item was recalled")
    _expect(
        not any("weathervane" in block.text for block in after.blocks.values()), "its words stand in a block"
    )
    _expect(left == stored - 1, f"{stored} were stored before, {left} after one was deleted")
    return f"{stored} stored before, {left} after"


def _event_time_kept(system: System, folder: Path) -> str:
    """Times must show in the order of the answer or in its blocks; arrival is not the order of the times."""
    items = _garden(8)
    mixed = [items[place] for place in (3, 0, 6, 1, 7, 4, 2, 5)]
    with _open(system, folder):
        handles = system.ingest(mixed)
        answer = _ask(system, _COMMON_QUESTION, _WHOLE)
    times = {handle: item.at for handle, item in zip(handles, mixed, strict=True) if handle is not None}
    order = [times[handle] for handle in answer.handles]
    if len(order) == len(items) and order in (sorted(order), sorted(order, reverse=True)):
        return "the answer is in the order of the times"
    shown = [block for block in answer.blocks.values() if block.handles]
    if not shown:
        raise _Unobservable("neither the order of its answer nor a block of its own shows times")
    for block in shown:
        for handle in block.handles:
            _expect(_dated(block.text, times[handle]), "an item stands in a block without its date")
    return "each item of a block stands with its date"


def _second_ingest(system: System, folder: Path) -> str:
    items = [*_garden(12), _needle()]
    with _open(system, folder):
        first = list(system.ingest(items))
        stored = system.census().stored
        second = list(system.ingest(items))
        again = system.census().stored
        answer = _ask(system, _COMMON_QUESTION, _WHOLE)
    _expect(again == stored, f"{stored} were stored after the first ingestion, {again} after the second")
    _expect(second == first, "the second ingestion gave other handles")
    _expect(len(answer.handles) <= len(items), "more items were recalled than were given")
    return f"{stored} stored both times"


def _kept(system: System, folder: Path) -> str:
    if not system.reusable:
        raise _Unobservable("it does not say that its folder can be opened again")
    with _open(system, folder / "before"):
        system.ingest([*_garden(12), _needle()])
        first = _ask(system, _NEEDLE_QUESTION, _WHOLE)
        stored = system.census().stored
    (folder / "before").rename(folder / "after")
    with _open(system, folder / "after"):
        second = _ask(system, _NEEDLE_QUESTION, _WHOLE)
        again = system.census().stored
    _expect(again == stored, f"{stored} were stored, {again} after the folder was moved and opened again")
    _expect(second.handles == first.handles, "the moved store answers in another order")
    return f"{again} stored, the same answer"


_LOOKS: Mapping[str, Callable[[System, Path], str]] = {
    "one handle an item": _one_handle_an_item,
    "needle found": _needle_found,
    "k honoured": _k_honoured,
    "no handle twice": _no_handle_twice,
    "isolation of folders": _isolation_of_folders,
    "isolation of scopes": _isolation_of_scopes,
    "delete": _delete,
    "event time kept": _event_time_kept,
    "second ingest doubles nothing": _second_ingest,
    "kept over a reopening": _kept,
}
CHECKS = tuple(_LOOKS)
"""The names of the checks."""


@contextmanager
def _open(system: System, folder: Path, scope: Scope = _SCOPE) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        system.open(folder, scope)
        yield
    finally:
        system.close()


def _ask(system: System, question: str, k: int) -> Answer:
    return system.recall(question, _ASKED, k, (500,))


def _expect(condition: bool, problem: str) -> None:
    if not condition:
        raise _Failed(problem)


def _garden(count: int) -> list[Item]:
    """Items about the garden, one a day, all different."""
    return [
        Item(
            text=f"In the garden, bed {number + 1}, I tended the {_PLANTS[number % len(_PLANTS)]}.",
            speaker="Robin" if number % 2 else "Kim",
            session=f"s{number // 4 + 1:04}",
            position=number % 4,
            at=_START + timedelta(days=number),
        )
        for number in range(count)
    ]


def _needle() -> Item:
    # Earlier than all the rest: being the latest is not what makes it found.
    return Item(_NEEDLE, "Kim", "s0099", 0, _START - timedelta(days=30))


def _dated(text: str, at: datetime) -> bool:
    day, month, year = str(at.day), at.strftime("%B"), str(at.year)
    forms: Sequence[str] = (
        f"{at:%Y-%m-%d}",
        f"{at:%Y/%m/%d}",
        f"{day} {month} {year}",
        f"{month} {day}, {year}",
        f"{month[:3]} {day}, {year}",
    )
    return any(form in text for form in forms)
