"""Holding what was taken now against a baseline, figure by figure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median

from truerecall.bench.gate.baseline import (
    REPEATS,
    Answered,
    GateRecord,
    JudgedBy,
    QuestionValues,
    Ratio,
    Retrieved,
    Timed,
    Weighed,
)
from truerecall.bench.gate.margins import Dimension, Margins
from truerecall.bench.gate.report import GateReport, Line
from truerecall.bench.gate.taking import ACCURACY
from truerecall.errors import InvalidInput, RunError
from truerecall.measure.comparing import Comparison, compare_pairs, holm
from truerecall.measure.intervals import Bounds
from truerecall.measure.noninferiority import Verdict, decide, paired_interval, pairs_needed

_FEWEST_RECALLS = 20  # below, the 95th percentile is the slowest one
_SEED = 0  # of the permutation test: the same records give the same verdicts

_Values = Mapping[tuple[str, str], Mapping[str, float]]


def check(now: GateRecord, before: GateRecord, margins: Margins) -> GateReport:
    """Every figure of the baseline, and what became of it.

    Raises:
        RunError: the two are not of the same questions, code of measuring, models or prompts, or hold nothing.
        InvalidInput: a margin is stated for a row that is not compared.
    """
    _check_alike(now, before)
    lines = [
        *_retrieval(now, before, margins),
        *_accuracy(now, before, margins),
        *_latency(now, before, margins),
        *_weighed("cost", now.cost, before.cost, margins),
        *_weighed("size", now.size, before.size, margins),
    ]
    if not lines:
        raise RunError(
            "the baseline holds nothing to compare", remedy="Take one from finished runs: bench gate take."
        )
    if unknown := sorted(set(margins.rows) - {line.row for line in lines}):
        raise InvalidInput(
            f"a margin is stated for {unknown[0]!r}, which is no row that is compared",
            where="rows",
            remedy=f"Name one of: {', '.join(dict.fromkeys(line.row for line in lines))}.",
        )
    return GateReport(
        system=now.system,
        wiring_proof=now.wiring_proof or before.wiring_proof,
        lines=lines,
        notes=list(_notes(now, before)),
    )


def _check_alike(now: GateRecord, before: GateRecord) -> None:
    for what in ("harness", "granularity", "counter", "system", "control"):
        left, right = getattr(now, what), getattr(before, what)
        if left != right:
            raise RunError(
                f"other {what}: {left} now, {right} in the baseline",
                remedy="Take both from runs of one kind, or take a new baseline.",
            )
    _check_data(now.retrieval, before.retrieval)
    if now.accuracy and before.accuracy:
        _check_data(now.accuracy, before.accuracy)
        if (now.budget, now.prompts) != (before.budget, before.prompts):
            raise RunError(
                "the answers were asked for by other prompts, rubrics or budgets",
                remedy="What changed is the measure: take a new baseline.",
            )


def _check_data(
    now: Sequence[Retrieved] | Sequence[Answered], before: Sequence[Retrieved] | Sequence[Answered]
) -> None:
    left = {(one.dataset, one.split, one.sha256) for one in now}
    right = {(one.dataset, one.split, one.sha256) for one in before}
    if left != right:
        names = ", ".join(sorted({f"{name} ({split})" for name, split, _ in left ^ right}))
        raise RunError(
            f"other data than the baseline's: {names}",
            remedy="Run over the files that it was taken over, or take a new baseline.",
        )


def _retrieval(now: GateRecord, before: GateRecord, margins: Margins) -> Iterator[Line]:
    earlier = {one.dataset: one for one in before.retrieval}
    for part in now.retrieval:
        left, right = _by_key(part.questions), _by_key(earlier[part.dataset].questions)
        if left.keys() != right.keys():
            raise RunError(
                f"{len(left.keys() ^ right.keys())} questions are in one of the two only",
                where=part.dataset,
                remedy="Ask the same questions, or take a new baseline.",
            )
        rows = list(dict.fromkeys(row for values in right.values() for row in values))
        same = left == right
        yield from _paired(
            "retrieval", part.dataset, {row: (left, right, row) for row in rows}, margins, same
        )


def _accuracy(now: GateRecord, before: GateRecord, margins: Margins) -> Iterator[Line]:
    later = {one.dataset: one for one in now.accuracy}
    for part in before.accuracy:
        found = later.get(part.dataset)
        if found is None:
            yield from (
                _untold("accuracy", part.dataset, _row(judged), margins, "there is no accuracy run now")
                for judged in part.judges
            )
            continue
        if found.identity != part.identity or found.answer != part.answer:
            raise RunError(
                f"the answers are of {found.answer} now and of {part.answer} in the baseline, or of other weights",
                where=part.dataset,
                remedy="Answer with the same model, or take a new baseline.",
            )
        if sorted(found.asked) != sorted(part.asked):
            raise RunError(
                "other questions were asked than the baseline's",
                where=part.dataset,
                remedy="Draw the same sample, or take a new baseline.",
            )
        yield from _judged(found, part, margins)


def _judged(now: Answered, before: Answered, margins: Margins) -> Iterator[Line]:
    later = {one.judge: one for one in now.judges}
    rows, doubts = {}, {}
    for judged in before.judges:
        found, row = later.get(judged.judge), _row(judged)
        if found is None or found.identity != judged.identity:
            yield _untold(
                "accuracy", now.dataset, row, margins, "this judge did not judge the answers of now"
            )
            continue
        left, right = _by_key(found.questions), _by_key(judged.questions)
        both = {key for key in left if key in right}
        if not both:
            yield _untold("accuracy", now.dataset, row, margins, "no question has a valid verdict in both")
            continue
        rows[row] = ({key: left[key] for key in left if key in both}, right, ACCURACY)
        doubts[row] = _doubt(now, before, found, judged)
    same = now.answers_sha256 == before.answers_sha256 and all(
        left == right for left, right, _ in rows.values()
    )
    for line in _paired("accuracy", now.dataset, rows, margins, same):
        if line.verdict == "pass" and doubts[line.row]:
            yield line.model_copy(update={"verdict": "cannot tell", "why": doubts[line.row]})
        else:
            yield line


def _doubt(now: Answered, before: Answered, found: JudgedBy, judged: JudgedBy) -> str:
    """Why what looks well may not pass; empty where it may."""
    for when, part, verdicts in (("now", now, found), ("in the baseline", before, judged)):
        if not part.complete:
            return f"incomplete {when}: answers or verdicts failed; run it again with --retry-failed"
        if not verdicts.sound:
            return f"unsound {when}: too many of its verdicts cannot be read"
    return ""


def _paired(
    dimension: Dimension,
    dataset: str,
    rows: Mapping[str, tuple[_Values, _Values, str]],
    margins: Margins,
    same: bool,
) -> Iterator[Line]:
    """Each row over the questions of ``now``; ``same`` where nothing at all differs."""
    found = {row: _differences(dataset, *given) for row, given in rows.items()}
    adjusted = holm({row: one.p for row, (one, _) in found.items()})
    for row, (one, bounds) in found.items():
        margin = margins.of(dimension, row)
        if same:
            bounds = Bounds(0.0, 0.0)
        verdict = decide(one.difference, bounds, margin, adjusted[row])
        needed = pairs_needed(one.n, one.difference, bounds, margin) if verdict == "cannot tell" else None
        yield Line(
            dimension=dimension,
            dataset=dataset,
            row=row,
            before=one.mean_b,
            now=one.mean_a,
            change=one.difference,
            low=bounds.low,
            high=bounds.high,
            margin=margin,
            verdict=verdict,
            n=one.n,
            needed=needed,
            why=_paired_why(verdict, one, needed, same, adjusted[row]),
        )


def _differences(dataset: str, now: _Values, before: _Values, row: str) -> tuple[Comparison, Bounds]:
    keys = [key for key, values in now.items() if row in values]
    if not keys or any(row not in before[key] for key in keys):
        raise RunError(
            f"{row} has values for other questions than in the baseline",
            where=dataset,
            remedy="Take a new baseline.",
        )
    after, earlier = [now[key][row] for key in keys], [before[key][row] for key in keys]
    clusters = [conversation for conversation, _ in keys]
    one = compare_pairs(after, earlier, clusters, _SEED)
    return one, paired_interval([a - b for a, b in zip(after, earlier, strict=True)], clusters)


def _paired_why(verdict: Verdict, one: Comparison, needed: int | None, same: bool, p: float) -> str:
    changed = f"{one.losses} of {one.n} questions lost and {one.wins} gained, over {len(one.clusters)} conversations"
    if same:
        return f"identical on all {one.n} questions"
    if verdict != "cannot tell":
        return f"{changed}; {one.test} p = {p:.2g} (Holm)"
    could = "no number of questions could" if needed is None else f"about {needed:,} questions could"
    return f"{changed}: n = {one.n} cannot tell, {could}"


def _latency(now: GateRecord, before: GateRecord, margins: Margins) -> Iterator[Line]:
    earlier = {one.dataset: one for one in before.latency}
    for part in now.latency:
        held = earlier.get(part.dataset)
        if held is None:
            continue
        for name, of in _PERCENTILES.items():
            line = _ratio(part, held, name, of, margins)
            if line.verdict == "regressed" and now.machine != before.machine:
                # Processors differ in what they are quick at: a multiple is steadier than a time, and no constant.
                why = "slower than on another machine: take a baseline on this one"
                line = line.model_copy(update={"verdict": "cannot tell", "why": why})
            yield line


_PERCENTILES: Mapping[str, Callable[[Ratio], float]] = {
    "p50": lambda ratio: ratio.p50,
    "p95": lambda ratio: ratio.p95,
}


def _ratio(now: Timed, before: Timed, name: str, of: Callable[[Ratio], float], margins: Margins) -> Line:
    """Every repeat of now against every one of before: they agree, or nothing can be told."""
    row = f"{name} as a multiple of the control"
    margin = margins.of("latency", row)
    for when, part in (("now", now), ("in the baseline", before)):
        if len(part.repeats) < REPEATS:
            why = f"{len(part.repeats)} of {REPEATS} repeats {when}"
            return _untold(
                "latency",
                now.dataset,
                row,
                margins,
                "; ".join([why, *part.left_out]),
                REPEATS,
                len(part.repeats),
            )
        if (fewest := min(ratio.recalls for ratio in part.repeats)) < _FEWEST_RECALLS:
            why = f"{fewest} recalls {when} are too few for a percentile, {_FEWEST_RECALLS} could"
            return _untold("latency", now.dataset, row, margins, why, _FEWEST_RECALLS, fewest)
    later, earlier = ([of(ratio) for ratio in part.repeats] for part in (now, before))
    low, high = min(later) / max(earlier) - 1.0, max(later) / min(earlier) - 1.0
    verdict: Verdict = "pass" if high <= margin else "regressed" if low > margin else "cannot tell"
    pairs = f"{len(later)} repeats against {len(earlier)}"
    return Line(
        dimension="latency",
        dataset=now.dataset,
        row=row,
        before=median(earlier),
        now=median(later),
        change=median(later) / median(earlier) - 1.0,
        low=low,
        high=high,
        margin=margin,
        verdict=verdict,
        n=len(later),
        why=f"{pairs} do not agree: repeat it on a quiet machine"
        if verdict == "cannot tell"
        else f"all of {pairs}",
    )


def _weighed(
    dimension: Dimension, now: Sequence[Weighed], before: Sequence[Weighed], margins: Margins
) -> Iterator[Line]:
    """Amounts of one data set may come in several parts: blocks, and answers over them."""
    later = {(part.dataset, row): amount for part in now for row, amount in part.amounts.items()}
    missing = {(part.dataset, row): why for part in now for row, why in part.missing.items()}
    for part in before:
        for row, amount in part.amounts.items():
            found = later.get((part.dataset, row))
            if found is None:
                why = missing.get((part.dataset, row), "it was not measured now")
                yield _untold(dimension, part.dataset, row, margins, why)
            else:
                yield _amount(dimension, part.dataset, row, (found, amount), margins.of(dimension, row))
        for row, why in part.missing.items():
            yield _untold(dimension, part.dataset, row, margins, f"the baseline has none: {why}")


def _amount(
    dimension: Dimension, dataset: str, row: str, amounts: tuple[float, float], margin: float
) -> Line:
    now, before = amounts
    # From nothing to something is no share of what was there.
    change = now / before - 1.0 if before else None
    grown = now > 0.0 if change is None else change > margin
    return Line(
        dimension=dimension,
        dataset=dataset,
        row=row,
        before=before,
        now=now,
        change=0.0 if change is None and not grown else change,
        low=change,
        high=change,
        margin=margin,
        verdict="regressed" if grown else "pass",
        why="it was nothing before" if change is None and grown else "",
    )


def _untold(
    dimension: Dimension,
    dataset: str,
    row: str,
    margins: Margins,
    why: str,
    needed: int | None = None,
    n: int | None = None,
) -> Line:
    return Line(
        dimension=dimension,
        dataset=dataset,
        row=row,
        before=None,
        now=None,
        change=None,
        low=None,
        high=None,
        margin=margins.of(dimension, row),
        verdict="cannot tell",
        n=n,
        needed=needed,
        why=why,
    )


def _notes(now: GateRecord, before: GateRecord) -> Iterator[str]:
    for when, record in (("now", now), ("baseline", before)):
        if any(run.dirty for run in record.runs):
            yield f"{when}: measured from code that no commit holds"
        if len({run.commit for run in record.runs}) > 1:
            yield f"{when}: its runs are of several commits"
        unsteady = sum(part.unsteady for part in record.retrieval)
        if unsteady:
            yield f"{when}: {unsteady} questions came out otherwise in another repeat; the first is compared"
    if now.machine != before.machine:
        yield "the baseline is of another machine: a slower one of the two is no regression"
    if now.accuracy and not before.accuracy:
        yield "there is an accuracy run now, and none in the baseline: it is not compared"


def _row(judged: JudgedBy) -> str:
    return f"{ACCURACY} by {judged.judge}"


def _by_key(questions: Iterable[QuestionValues]) -> dict[tuple[str, str], dict[str, float]]:
    return {(one.conversation, one.question): one.values for one in questions}
