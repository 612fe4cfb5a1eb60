"""From verdicts to figures: accuracy by question type, and how far two judges agree."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truerecall.bench.manifest import ALL, Interval
from truerecall.bench.qa.errata import Errata
from truerecall.bench.qa.manifest import LARGEST_SPREAD, Agreement, QaCell
from truerecall.bench.qa.records import QaRow, Verdict
from truerecall.bench.scoring import DIGITS
from truerecall.measure.agreement import cohens_kappa, within_points
from truerecall.measure.comparing import mcnemar_exact
from truerecall.measure.intervals import Bounds, clustered_interval, wilson

VALID = ("correct", "wrong")


@dataclass(frozen=True, slots=True)
class Mark:
    """One judge's verdict on one question, and where that question belongs."""

    question: str
    type: str
    conversation: str
    verdict: Verdict

    @property
    def valid(self) -> bool:
        """Whether it is a verdict at all."""
        return self.verdict in VALID

    @property
    def correct(self) -> bool:
        """Whether the answer is right."""
        return self.verdict == "correct"


def marks(rows: Iterable[QaRow], judge: str) -> list[Mark]:
    """A judge's verdicts by the gold as it is; a row that it never judged counts as failed."""
    return [Mark(row.question, row.type, row.conversation, verdict_of(row, judge)) for row in rows]


def corrected_marks(rows: Iterable[QaRow], judge: str, errata: Errata) -> list[Mark]:
    """Likewise by the corrected gold, without the questions that have no right answer."""
    return [
        Mark(row.question, row.type, row.conversation, verdict_of(row, judge, corrected=row.errata))
        for row in rows
        if not errata.broken(row.question)
    ]


def verdict_of(row: QaRow, judge: str, *, corrected: bool = False) -> Verdict:
    """A judge's verdict on a row; ``failed`` where there is no answer or no verdict."""
    judged = (row.errata_verdicts if corrected else row.verdicts).get(judge)
    return "failed" if row.outcome == "failed" or judged is None else judged.verdict


def cells(found: Sequence[Mark], left_out: Sequence[QaRow] = ()) -> list[QaCell]:
    """One cell over all questions and one a type; each question is in exactly two of them."""
    gone = Counter(row.type for row in left_out)
    types = sorted({mark.type for mark in found} | set(gone))
    by_type = [(kind, [mark for mark in found if mark.type == kind], gone[kind]) for kind in types]
    return [_cell(kind, own, out) for kind, own, out in [(ALL, list(found), len(left_out)), *by_type]]


def _cell(kind: str, found: Sequence[Mark], left_out: int) -> QaCell:
    counts = Counter(mark.verdict for mark in found)
    valid = [mark for mark in found if mark.valid]
    values = [float(mark.correct) for mark in valid]
    clusters = [mark.conversation for mark in valid]
    own: dict[str, list[float]] = {}
    for value, conversation in zip(values, clusters, strict=True):
        own.setdefault(conversation, []).append(value)
    n, correct = len(found), counts["correct"]
    unknown = counts["invalid"] + counts["failed"]
    return QaCell(
        type=kind,
        n=n,
        correct=correct,
        wrong=counts["wrong"],
        invalid=counts["invalid"],
        failed=counts["failed"],
        accuracy=round(correct / len(valid), DIGITS) if valid else None,
        by_question=interval(wilson(correct, len(valid))) if valid else None,
        by_conversation=interval(clustered_interval(values, clusters)) if valid else None,
        clusters=len(own),
        conversations={c: round(math.fsum(v) / len(v), DIGITS) for c, v in sorted(own.items())}
        if kind == ALL
        else {},
        low=round(correct / n, DIGITS) if n else 0.0,
        high=round((correct + unknown) / n, DIGITS) if n else 1.0,
        left_out=left_out,
    )


def agreements(a: tuple[str, Sequence[Mark]], b: tuple[str, Sequence[Mark]]) -> list[Agreement]:
    """Two judges over the same answers, over all questions and by type.

    Args:
        a: A judge's name and its verdicts.
        b: Another's, on the same questions in the same order.
    """
    both = list(zip(a[1], b[1], strict=True))
    types = [ALL, *sorted({mark.type for mark, _ in both})]
    return [
        _agreement(a[0], b[0], kind, [(x, y) for x, y in both if kind in (ALL, x.type)]) for kind in types
    ]


def _agreement(a: str, b: str, kind: str, both: Sequence[tuple[Mark, Mark]]) -> Agreement:
    valid = [(x.correct, y.correct) for x, y in both if x.valid and y.valid]
    n = len(valid)
    of_a, of_b = [x for x, _ in valid], [y for _, y in valid]
    correct_a, correct_b = sum(of_a), sum(of_b)
    only_a = sum(1 for x, y in valid if x and not y)
    only_b = sum(1 for x, y in valid if y and not x)
    kappa = cohens_kappa(of_a, of_b) if n else None
    return Agreement(
        a=a,
        b=b,
        type=kind,
        n=n,
        correct_a=correct_a,
        correct_b=correct_b,
        disagreements=only_a + only_b,
        only_a=only_a,
        only_b=only_b,
        spread=round(100.0 * abs(correct_a - correct_b) / n, DIGITS) if n else None,
        stable=within_points(correct_a, correct_b, n, int(LARGEST_SPREAD)),
        raw=round((n - only_a - only_b) / n, DIGITS) if n else None,
        kappa=round(kappa.value, DIGITS) if kappa else None,
        kappa_interval=interval(kappa.interval) if kappa else None,
        p=mcnemar_exact(only_a, only_b) if n else None,
        one_question=round(100.0 / n, DIGITS) if n else None,
    )


def interval(bounds: Bounds | None, scale: float = 1.0) -> Interval | None:
    """An interval as a manifest holds it."""
    if bounds is None:
        return None
    return Interval(low=round(scale * bounds.low, DIGITS), high=round(scale * bounds.high, DIGITS))
