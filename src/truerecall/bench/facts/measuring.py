"""Figures from labels: precision and its agreement, recall and its agreement."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from truerecall.bench.facts.labels import Gold
from truerecall.bench.facts.manifest import Agreement, FactsManifest, ShareRow
from truerecall.bench.facts.matching import NEAR, RULE, alike, found
from truerecall.bench.facts.sessions import Extracted, Session
from truerecall.bench.manifest import Interval
from truerecall.bench.measured import Making
from truerecall.measure.agreement import cohens_kappa
from truerecall.measure.intervals import wilson

NOTES = [
    "Development data: the rules were written while reading facts of these very transcripts, so that precision and"
    " recall elsewhere will be lower.",
    "The rules were improved by what two other labellers had said of half of an earlier output.",
    "Recall is of texts whose collected facts the rules were not improved by; of the others it is told apart.",
    "The labellers and the collectors are language models of one kind that had not seen the rules: their agreement is"
    " no agreement of people.",
    "The transcripts come from few people and mostly one project: a fact is no independent trial.",
]
_NAMES = ("a", "b")


@dataclass(frozen=True, slots=True)
class Told:
    """What the two labellers wrote; either may be empty."""

    labels: tuple[Mapping[str, bool], ...]
    gold: tuple[Sequence[Gold], ...]
    tuned: tuple[Sequence[Gold], ...] = ()
    """Gold facts that the rules were improved by."""
    files: Mapping[str, str] = field(default_factory=dict)
    """sha256 by what a file holds."""


def measured(sessions: Sequence[Session], told: Told, made: Making) -> FactsManifest:
    """All figures of these sessions."""
    facts = [one for session in sessions for one in session.facts]
    turns = sum(len(session.kept) for session in sessions)
    speaking = sum(one.turn.role != "tool" for session in sessions for one in session.kept)
    known = {one.id: one for one in facts}
    kinds = sorted({one.fact.kind for one in facts})
    named = set().union(*(labels.keys() for labels in told.labels))
    labels = [{name: said for name, said in given.items() if name in known} for given in told.labels]
    return FactsManifest(
        kind="facts",
        sessions=len(sessions),
        turns=turns,
        speaking=speaking,
        facts=len(facts),
        facts_a_turn=round(len(facts) / turns, 3) if turns else 0.0,
        facts_a_speaking_turn=round(len(facts) / speaking, 3) if speaking else 0.0,
        by_kind={kind: sum(one.fact.kind == kind for one in facts) for kind in kinds},
        external=sum(one.external for one in facts),
        labelled=len(named & known.keys()),
        stale=len(named - known.keys()),
        precision=_precision(labels, known),
        agreement=_agreement(labels),
        recall=_recall(told.gold, sessions, facts),
        recall_tuned=_recall(told.tuned, sessions, facts),
        gold_agreement=_gold_agreement(told.gold, sessions),
        files=dict(told.files),
        rule=RULE,
        notes=NOTES,
        making=made,
    )


def _precision(labels: Sequence[Mapping[str, bool]], known: Mapping[str, Extracted]) -> list[ShareRow]:
    rows = []
    for name, given in zip(_NAMES, labels, strict=False):
        rows += _rows(name, [(known[one].fact.kind, said) for one, said in given.items()])
    if len(labels) == 2:
        a, b = labels
        common = [one for one in a if one in b]
        rows += _rows("both", [(known[one].fact.kind, a[one] and b[one]) for one in common])
        rows += _rows("either", [(known[one].fact.kind, a[one] or b[one]) for one in common])
    return rows


def _agreement(labels: Sequence[Mapping[str, bool]]) -> Agreement | None:
    if len(labels) != 2:
        return None
    a, b = labels
    common = sorted(a.keys() & b.keys())
    if not common:
        return None
    kappa = cohens_kappa([a[one] for one in common], [b[one] for one in common])
    return Agreement(
        n=len(common),
        agreed=sum(a[one] == b[one] for one in common),
        kappa=None if kappa is None else round(kappa.value, 3),
        interval=None if kappa is None else _interval(kappa.interval.low, kappa.interval.high),
    )


def _recall(
    gold: Sequence[Sequence[Gold]], sessions: Sequence[Session], facts: Sequence[Extracted]
) -> list[ShareRow]:
    place = _places(sessions)
    rows = []
    for name, given in zip(_NAMES, gold, strict=False):
        rows += _rows(name, [(one.kind, found(one, place(one), facts) is not None) for one in given])
    if len(gold) == 2:
        agreed = [one for one in gold[0] if _has(gold[1], one, place)]
        rows += _rows("both", [(one.kind, found(one, place(one), facts) is not None) for one in agreed])
    return rows


def _gold_agreement(gold: Sequence[Sequence[Gold]], sessions: Sequence[Session]) -> dict[str, ShareRow]:
    if len(gold) != 2:
        return {}
    place = _places(sessions)
    pairs = {"a in b": (gold[0], gold[1]), "b in a": (gold[1], gold[0])}
    found_by = {
        name: [("all", _has(theirs, one, place)) for one in own] for name, (own, theirs) in pairs.items()
    }
    return {name: _row(name, "all", said) for name, said in found_by.items() if said}


def _places(sessions: Sequence[Session]) -> Callable[[Gold], int]:
    """Of a gold fact its turn; -9 where its session is none of these, which no fact is near to."""
    known = {session.name: session for session in sessions}

    def place(gold: Gold) -> int:
        session = known.get(gold.session)
        if gold.turn is not None and gold.line is None:
            return gold.turn
        return -9 if session is None or gold.line is None else session.turn_of(gold.line)

    return place


def _has(theirs: Sequence[Gold], one: Gold, place: Callable[[Gold], int]) -> bool:
    return any(
        other.session == one.session
        and abs(place(other) - place(one)) <= NEAR
        and alike(other.text, one.text)
        for other in theirs
    )


def _rows(by: str, said: Sequence[tuple[str, bool]]) -> list[ShareRow]:
    """The row of all, and one a kind; none where nothing was said."""
    if not said:
        return []
    kinds = sorted({kind for kind, _ in said})
    return [
        _row(by, "all", said),
        *(_row(by, kind, [one for one in said if one[0] == kind]) for kind in kinds),
    ]


def _row(by: str, of: str, said: Sequence[tuple[str, bool]]) -> ShareRow:
    yes = sum(right for _, right in said)
    bounds = wilson(yes, len(said))
    return ShareRow(
        by=by,
        of=of,
        n=len(said),
        yes=yes,
        share=round(yes / len(said), 3),
        interval=_interval(bounds.low, bounds.high),
    )


def _interval(low: float, high: float) -> Interval:
    return Interval(low=round(low, 3), high=round(high, 3))
