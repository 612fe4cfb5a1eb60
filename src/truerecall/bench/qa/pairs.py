"""Two systems on the same questions: whether they may be called different.

A difference is shown only if every judge's tests support it in one direction: McNemar's exact p, adjusted by Holm over
the pairs of the data set, is below .05, also if every question that was not judged validly in both had gone against it,
and the bootstrap by conversation does not reach 0. Nor may two judges be too far apart on either system. Even then it
holds within these conversations, never in general.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truerecall.bench.manifest import ALL
from truerecall.bench.qa.cells import VALID, interval, verdict_of
from truerecall.bench.qa.manifest import Arm, JudgeResult, Pair
from truerecall.bench.qa.records import QaRow
from truerecall.bench.scoring import DIGITS
from truerecall.measure.bootstrap import bootstrap_interval
from truerecall.measure.comparing import ALPHA, holm, mcnemar_exact, smallest_detectable_share
from truerecall.measure.intervals import Bounds


@dataclass(frozen=True, slots=True)
class _Found:
    """Two arms by one judge."""

    a: Arm
    b: Arm
    judge: str
    n: int
    only_a: int
    only_b: int
    left_out: int
    identical: int
    bounds: Bounds | None
    clusters: int

    @property
    def p(self) -> float | None:
        return mcnemar_exact(self.only_a, self.only_b) if self.n else None

    @property
    def name(self) -> str:
        return f"{self.a.system}\0{self.b.system}"


def pairs(
    arms: Sequence[Arm], rows: Mapping[str, Sequence[QaRow]], seed: int, ablated: str = ""
) -> list[Pair]:
    """Each system against each control and each other system, by each judge; controls not among themselves.

    Args:
        arms: Of one data set, judged by the same judges.
        rows: Their rows, by system.
        seed: Of the bootstrap.
        ablated: The system whose switches the other systems flip: only pairs with it are of interest, and it stands
            second in them, so that a difference is what the flip brings.
    """
    if ablated:
        arms = [
            *(arm for arm in arms if arm.system != ablated),
            *(arm for arm in arms if arm.system == ablated),
        ]
    ordered = [*(arm for arm in arms if not arm.control), *(arm for arm in arms if arm.control)]
    couples = [
        (a, b)
        for place, a in enumerate(ordered)
        for b in ordered[place + 1 :]
        if not (a.control and b.control) and (not ablated or ablated in (a.system, b.system))
    ]
    by_judge = {
        judge.judge: [_found(a, b, judge.judge, rows, seed) for a, b in couples]
        for judge in (arms[0].judges if arms else [])
    }
    adjusted = {
        judge: holm({found.name: found.p for found in own if found.p is not None})
        for judge, own in by_judge.items()
    }
    result = []
    for place in range(len(couples)):
        own = [by_judge[judge][place] for judge in by_judge]
        factors = [_factor(found, adjusted[found.judge]) for found in own]
        shown = _shown(own, factors)
        result += [_pair(found, adjusted[found.judge].get(found.name), shown, own) for found in own]
    return result


def _found(a: Arm, b: Arm, judge: str, rows: Mapping[str, Sequence[QaRow]], seed: int) -> _Found:
    other = {row.question: row for row in rows[b.system]}
    both = [(row, other[row.question]) for row in rows[a.system] if row.question in other]
    judged = [(x, y) for x, y in both if verdict_of(x, judge) in VALID and verdict_of(y, judge) in VALID]
    differences = [
        float(verdict_of(x, judge) == "correct") - float(verdict_of(y, judge) == "correct") for x, y in judged
    ]
    clusters = [row.conversation for row, _ in judged]
    return _Found(
        a=a,
        b=b,
        judge=judge,
        n=len(judged),
        only_a=differences.count(1.0),
        only_b=differences.count(-1.0),
        left_out=len(both) - len(judged),
        identical=sum(1 for x, y in both if x.context_sha256 == y.context_sha256),
        bounds=bootstrap_interval(differences, clusters, seed) if judged else None,
        clusters=len(set(clusters)),
    )


def _factor(found: _Found, adjusted: Mapping[str, float]) -> float:
    """By how much Holm raised the p: what a worse one would have to bear as well."""
    p = found.p
    return adjusted[found.name] / p if p else 1.0


def _shown(own: Sequence[_Found], factors: Sequence[float]) -> int:
    """1 if every judge's tests support that a is right more often, -1 if b, 0 if they support neither."""
    # A judge that is the answering model's own proves nothing alone.
    if not own or all(_result(found.a, found.judge).relation == "self-judged" for found in own):
        return 0
    # Nor do judges whose figures of a system are too far apart to be printed.
    if any(made.type == ALL and not made.stable for arm in (own[0].a, own[0].b) for made in arm.agreements):
        return 0
    ways = {_way(found, factor) for found, factor in zip(own, factors, strict=True)}
    return ways.pop() if len(ways) == 1 else 0


def _way(found: _Found, factor: float) -> int:
    way = 1 if found.only_a > found.only_b else -1 if found.only_b > found.only_a else 0
    if not way or found.bounds is None:
        return 0
    if any(_result(arm, found.judge).unsound for arm in (found.a, found.b)):
        return 0
    for_it, against = (found.only_a, found.only_b) if way > 0 else (found.only_b, found.only_a)
    worst = against + found.left_out
    reached = found.bounds.low > 0.0 if way > 0 else found.bounds.high < 0.0
    return way if reached and for_it > worst and factor * mcnemar_exact(for_it, worst) < ALPHA else 0


def _result(arm: Arm, judge: str) -> JudgeResult:
    return next(found for found in arm.judges if found.judge == judge)


def _pair(found: _Found, p_holm: float | None, shown: int, own: Sequence[_Found]) -> Pair:
    n = found.n
    smallest = smallest_detectable_share(n, (found.only_a + found.only_b) / n) if n else None
    points = None if smallest is None else round(100.0 * smallest, DIGITS)
    return Pair(
        a=found.a.system,
        b=found.b.system,
        judge=found.judge,
        n=n,
        difference=round(100.0 * (found.only_a - found.only_b) / n, DIGITS) if n else None,
        only_a=found.only_a,
        only_b=found.only_b,
        p=found.p,
        p_holm=p_holm,
        by_conversation=interval(found.bounds, 100.0),
        smallest=points,
        left_out=found.left_out,
        same_questions=n + found.left_out,
        identical_contexts=found.identical,
        shown=shown != 0,
        sentence=_sentence(found, p_holm, points, shown, len(own)),
    )


def _sentence(found: _Found, p_holm: float | None, smallest: float | None, shown: int, judges: int) -> str:
    if not found.n or p_holm is None:
        return f"No question was judged validly for both {found.a.system} and {found.b.system}: nothing is compared."
    if shown:
        first, second = (found.a, found.b) if shown > 0 else (found.b, found.a)
        by = "by every judge" if judges > 1 else "by the one judge"
        return (
            f"Within these {found.clusters} conversations {first.system} answers more questions rightly than "
            f"{second.system}, {by} (p = {p_holm:.2g} after Holm)."
        )
    able = "could show none: too few of them differ"
    if smallest is not None:
        able = f"could show one of {smallest:.1f} points"
    return (
        f"No difference between {found.a.system} and {found.b.system} is shown (p = {p_holm:.2g} after Holm); "
        f"these {found.n} questions {able}."
    )
