"""From rows to the figures of a manifest: every planned question is accounted for, and nothing is pooled."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.manifest import ExclusionRow, Latency
from truerecall.bench.qa.cells import agreements, cells, corrected_marks, marks
from truerecall.bench.qa.costs import FREE, answer_keys, judge_keys, latency, usage
from truerecall.bench.qa.errata import Errata
from truerecall.bench.qa.manifest import Agreement, Arm, JudgeResult, QaDataset, Relation, Role, Sample, Usage
from truerecall.bench.qa.pairs import pairs
from truerecall.bench.qa.records import Called, QaRow
from truerecall.bench.qa.spending import Pricing
from truerecall.bench.scoring import DIGITS
from truerecall.bench.systems.protocol import Setting, Tuning
from truerecall.errors import RunError

MOST_REASONS = 20
"""Reasons of failures that an arm lists; the rest is counted as ``other reasons``."""
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class ArmFacts:
    """What is known of a system beside its rows."""

    system: str
    configuration: Mapping[str, Setting]
    tuning: Tuning
    control: bool


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run beside its rows."""

    answer: Role
    judges: Sequence[Role]
    called: Mapping[str, Called]
    """What came of each call that the rows name, by its key."""
    pricing: Pricing
    """The price of a role's name."""
    priced_on: str = ""
    """Date of the price table."""
    free: Collection[str] = ()
    """Names of the models whose calls cost nothing."""
    errata: Errata | None = None
    seed: int = 0
    """Of the bootstrap."""
    not_measured: Mapping[str, str] = field(default_factory=dict)
    """Arms that were left out, with the reason."""
    ablated: str = ""
    """The system whose switches the others flip: each is compared with it alone. Empty: all with all."""


def qa_dataset(
    dataset: Dataset, sample: Sample | None, rows: Sequence[QaRow], arms: Sequence[ArmFacts], run: RunFacts
) -> QaDataset:
    """Every arm over one data set.

    Args:
        dataset: As it was read.
        sample: Which questions were drawn; None where all were asked.
        rows: One an arm and question.
        arms: In the order in which they are printed.
        run: The models, and what came of their calls.

    Raises:
        RunError: an arm lacks a question that another has, has one twice, or one that the data set does not hold.
    """
    by_arm = {arm.system: [row for row in rows if row.system == arm.system] for arm in arms}
    asked = _asked(dataset, by_arm)
    made = [_arm(arm, by_arm[arm.system], run) for arm in arms]
    return QaDataset(
        name=dataset.name,
        variant=dataset.variant,
        file=dataset.file,
        sha256=dataset.sha256,
        recognised=dataset.recognised,
        note=dataset.note,
        split=dataset.split,
        conversations=len(dataset.conversations),
        planned=dataset.planned,
        asked=len(asked),
        exclusions=list(_exclusions(dataset, asked, sample)),
        sample=sample,
        arms=made,
        pairs=pairs(made, by_arm, run.seed, run.ablated),
        not_measured=dict(run.not_measured),
    )


def relation(answer: Role, judge: Role) -> Relation:
    """How near a judge stands to the answering model.

    The same model behind another address or under an alias is the same model: its provider's own name for it tells.
    """
    if answer.identity == judge.identity or _names(answer) & _names(judge):
        return "self-judged"
    return "same provider" if answer.provider == judge.provider else "independent"


def _names(role: Role) -> set[str]:
    return {name.casefold() for name in (role.model, *role.answered_as)}


def _asked(dataset: Dataset, by_arm: Mapping[str, Sequence[QaRow]]) -> set[str]:
    known = {question.id for c in dataset.conversations for question in c.questions + c.without_gold}
    asked = {row.question for own in by_arm.values() for row in own}
    for system, own in by_arm.items():
        ids = [row.question for row in own]
        if len(ids) != len(asked) or set(ids) != asked or not asked <= known:
            raise RunError(
                f"{len(ids)} rows of {system} for {len(asked)} questions",
                where=dataset.file,
                remedy="Every arm has one row a question of the data set: make the run again from its stages.",
            )
    return asked


def _exclusions(dataset: Dataset, asked: set[str], sample: Sample | None) -> Iterable[ExclusionRow]:
    """What is left out; a question without evidence is asked here all the same, for its answer is known."""
    dropped = set()
    for exclusion in dataset.exclusions:
        if exclusion.drops_question and exclusion.item in asked:
            detail = f"{exclusion.detail}; it is asked, for accuracy needs no evidence"
            yield ExclusionRow(**asdict(exclusion) | {"detail": detail, "drops_question": False})
        else:
            if exclusion.drops_question:
                dropped.add(exclusion.item)
            yield ExclusionRow(**asdict(exclusion))
    if sample is None:
        for conversation in dataset.conversations:
            for question in conversation.questions + conversation.without_gold:
                if question.id not in asked and question.id not in dropped:
                    yield ExclusionRow(
                        item=question.id,
                        reason="not asked",
                        detail="no arm has a row of it",
                        drops_question=True,
                    )


def _arm(facts: ArmFacts, rows: Sequence[QaRow], run: RunFacts) -> Arm:
    judges = [_judge_result(rows, judge, run) for judge in run.judges]
    compared = _agreements(rows, run.judges)
    types = sorted({row.type for row in rows})
    failed = sum(1 for row in rows if row.outcome == "failed")
    used = {"answer": _usage(run, run.answer, answer_keys(rows))}
    used |= {judge.name: _usage(run, judge, judge_keys(rows, judge.name)) for judge in run.judges}
    cost = used["answer"].cost
    gold = [row.gold_recalled for row in rows if row.gold_recalled is not None]
    return Arm(
        system=facts.system,
        configuration=dict(facts.configuration),
        tuning=facts.tuning,
        control=facts.control,
        asked=len(rows),
        answered=len(rows) - failed,
        failed=failed,
        cut=sum(1 for row in rows if row.cut),
        failures=_failures(rows, run),
        complete=not any(cell.failed for result in judges for cell in result.cells) and not failed,
        judges=judges,
        agreements=compared,
        types_stable=_stable(compared, types),
        types=len(types),
        context_tokens_mean=_mean([row.context_tokens for row in rows]),
        gold_in_context=_mean(gold),
        usage=used,
        cost_per_question=round(cost / len(rows), 2 * DIGITS) if cost is not None and rows else None,
        recall=latency([row.ms_recall for row in rows]),
        answer=latency([row.ms_answer for row in rows if row.ms_answer is not None]),
        judge=_judge_latency(rows, run.judges),
        end_to_end=latency([row.ms_recall + row.ms_answer for row in rows if row.ms_answer is not None]),
    )


def _judge_result(rows: Sequence[QaRow], judge: Role, run: RunFacts) -> JudgeResult:
    found = cells(marks(rows, judge.name))
    whole = found[0]
    corrected = []
    if run.errata is not None:
        broken = [row for row in rows if run.errata.broken(row.question)]
        corrected = cells(corrected_marks(rows, judge.name, run.errata), broken)
    return JudgeResult(
        judge=judge.name,
        relation=relation(run.answer, judge),
        cells=found,
        # In integers: more than 2 % of the verdicts that were given.
        unsound=50 * whole.invalid > whole.correct + whole.wrong + whole.invalid,
        errata_cells=corrected,
    )


def _agreements(rows: Sequence[QaRow], judges: Sequence[Role]) -> list[Agreement]:
    found = [(judge.name, marks(rows, judge.name)) for judge in judges]
    return [agreement for a, b in combinations(found, 2) for agreement in agreements(a, b)]


def _stable(compared: Sequence[Agreement], types: Sequence[str]) -> int:
    """Types of which every pair of judges agrees; none where there is no pair."""
    own = {kind: [found.stable for found in compared if found.type == kind] for kind in types}
    return sum(1 for stable in own.values() if stable and all(stable))


def _usage(run: RunFacts, role: Role, keys: Sequence[str]) -> Usage:
    if role.name in run.free:
        return usage(keys, run.called, None, FREE)
    price = run.pricing(role.name)
    told = f"{run.priced_on} {role.name}".strip() if price else f"no price of {role.name} is known"
    return usage(keys, run.called, price, told)


def _failures(rows: Sequence[QaRow], run: RunFacts) -> dict[str, int]:
    """Why there is no answer or no verdict, most frequent first."""
    counts: Counter[str] = Counter()
    for row in rows:
        if row.outcome == "failed":
            counts[f"answer: {_reason(run.called.get(row.answer_key))}"] += 1
            continue
        for judge in run.judges:
            judged = row.verdicts.get(judge.name)
            if judged is None or judged.verdict == "failed":
                called = run.called.get(judged.key) if judged else None
                counts[f"{judge.name}: {_reason(called)}"] += 1
    listed = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(count for _, count in listed[MOST_REASONS:])
    return dict(listed[:MOST_REASONS]) | ({"other reasons": rest} if rest else {})


def _reason(called: Called | None) -> str:
    if called is None:
        return "it was not asked"
    return (called.failure or "the answer is empty")[:_LONGEST_REASON]


def _judge_latency(rows: Sequence[QaRow], judges: Sequence[Role]) -> dict[str, Latency]:
    found = {}
    for judge in judges:
        own = [row.verdicts[judge.name].ms for row in rows if judge.name in row.verdicts]
        measured = latency([ms for ms in own if ms is not None])
        if measured is not None:
            found[judge.name] = measured
    return found


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), DIGITS) if values else None
