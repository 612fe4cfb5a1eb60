"""Taking a gate's record from finished runs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from truerecall.bench.compare import DEFAULT_ROWS
from truerecall.bench.gate.baseline import (
    Answered,
    GateRecord,
    JudgedBy,
    QuestionValues,
    Ratio,
    Retrieved,
    TakenFrom,
    Timed,
    Weighed,
)
from truerecall.bench.manifest import DatasetResult, Provenance, QuestionRow, RetrievalManifest, SystemResult
from truerecall.bench.qa.manifest import QaDataset, QaManifest
from truerecall.bench.qa.records import QaRow
from truerecall.bench.run import read_manifest, read_rows
from truerecall.errors import RunError

ACCURACY = "accuracy"
_BLOCK = "tokens@"
_DIGITS = 6


def take(
    runs: Sequence[Path],
    system: str = "truerecall",
    control: str = "bm25",
    accuracy: tuple[Path, QaManifest, Sequence[QaRow]] | None = None,
) -> GateRecord:
    """The record of retrieval runs that repeat each other, and of an accuracy run's folder, manifest and rows.

    Raises:
        RunError: a run is not finished, lacks the system, or repeats no other; one run is named twice.
    """
    manifests = [read_manifest(run) for run in runs]
    if not manifests:
        raise RunError("no run is named", remedy="Name a retrieval run; a latency needs three.")
    marks = [_mark(run, manifest.provenance) for run, manifest in zip(runs, manifests, strict=True)]
    _check_repeats(runs, manifests, system)
    rows = [_own(read_rows(run, manifest), system) for run, manifest in zip(runs, manifests, strict=True)]
    first = manifests[0]
    record = GateRecord(
        wiring_proof=any(manifest.wiring_proof for manifest in manifests),
        system=system,
        control=control,
        harness=first.provenance.harness,
        granularity=first.provenance.granularity,
        counter=first.provenance.counter,
        machine=first.provenance.machine,
        runs=marks,
        retrieval=[_retrieved(dataset, rows) for dataset in first.datasets],
        latency=[_timed(label(dataset), runs, manifests, system, control) for dataset in first.datasets],
        cost=[_blocks(label(dataset), rows[0]) for dataset in first.datasets],
        size=[_stored(dataset, _system(dataset, system)) for dataset in first.datasets],
    )
    return record if accuracy is None else with_accuracy(record, *accuracy)


def with_accuracy(record: GateRecord, run: Path, manifest: QaManifest, rows: Sequence[QaRow]) -> GateRecord:
    """The record with what an accuracy run found of the same system.

    Raises:
        RunError: the run lacks the system, or was made at another granularity.
    """
    if manifest.provenance.granularity != record.granularity:
        raise RunError(
            f"the accuracy run is at {manifest.provenance.granularity} granularity", where=run.name,
            remedy="Take runs of one granularity together.",
        )  # fmt: skip
    own = [row for row in rows if row.system == record.system]
    if not own:
        names = ", ".join(dict.fromkeys(row.system for row in rows))
        raise RunError(f"the run has no system {record.system!r}", where=run.name, remedy=f"It has: {names}.")
    return record.model_copy(
        update={
            "wiring_proof": record.wiring_proof or manifest.wiring_proof,
            "runs": [*record.runs, _mark(run, manifest.provenance)],
            "accuracy": [_answered(dataset, manifest, record.system, own) for dataset in manifest.datasets],
            "cost": [
                *record.cost,
                *(_answering(dataset, record.system) for dataset in manifest.datasets),
            ],
            "budget": manifest.budget,
            "prompts": manifest.prompts,
        }
    )


def label(dataset: DatasetResult | QaDataset) -> str:
    """Name and variant, as rows have it."""
    return f"{dataset.name}:{dataset.variant}"


def _mark(run: Path, made: Provenance) -> TakenFrom:
    path = run / "manifest.json" if run.is_dir() else run
    return TakenFrom(
        name=run.name,
        manifest_sha256=sha256(path.read_bytes()).hexdigest(),
        created=made.created,
        commit=made.commit,
        dirty=made.dirty,
    )


def _check_repeats(runs: Sequence[Path], manifests: Sequence[RetrievalManifest], system: str) -> None:
    if len({run.resolve() for run in runs}) < len(runs):
        raise RunError("one run is named twice", remedy="Name runs that were each measured anew.")
    first = _measured(manifests[0], system)
    for run, manifest in zip(runs[1:], manifests[1:], strict=True):
        if _measured(manifest, system) != first:
            raise RunError(
                f"{run.name} is no repeat of {runs[0].name}: other data, settings, seed or granularity",
                remedy="Repeat one command under other names.",
            )


def _measured(manifest: RetrievalManifest, system: str) -> list[object]:
    """All that repeats must have in common."""
    made = manifest.provenance
    datasets = [
        (label(d), d.sha256, d.split, d.asked, _system(d, system).configuration) for d in manifest.datasets
    ]
    return [made.harness, made.granularity, made.counter, made.seed, *datasets]


def _system(dataset: DatasetResult, system: str) -> SystemResult:
    found = _find(dataset, system)
    if found is None:
        names = ", ".join(one.name for one in dataset.systems)
        raise RunError(f"the run has no system {system!r}", where=label(dataset), remedy=f"It has: {names}.")
    return found


def _find(dataset: DatasetResult, system: str) -> SystemResult | None:
    return next((one for one in dataset.systems if one.name == system), None)


def _own(rows: Iterable[QuestionRow], system: str) -> list[QuestionRow]:
    return [row for row in rows if row.system == system]


def _retrieved(dataset: DatasetResult, repeats: Sequence[Sequence[QuestionRow]]) -> Retrieved:
    first, *others = [_values(rows, label(dataset)) for rows in repeats]
    unsteady = sum(any(other.get(key) != values for other in others) for key, values in first.items())
    return Retrieved(
        dataset=label(dataset),
        split=dataset.split,
        sha256=dataset.sha256,
        questions=[
            QuestionValues(conversation=conversation, question=question, values=values)
            for (conversation, question), values in first.items()
        ],
        unsteady=unsteady,
    )


def _values(rows: Iterable[QuestionRow], dataset: str) -> dict[tuple[str, str], dict[str, float]]:
    return {
        (row.conversation, row.question): {
            name: row.scores[name] for name in DEFAULT_ROWS if name in row.scores
        }
        for row in rows
        if row.dataset == dataset
    }


def _timed(
    name: str, runs: Sequence[Path], manifests: Sequence[RetrievalManifest], system: str, control: str
) -> Timed:
    repeats, left_out = [], []
    for run, manifest in zip(runs, manifests, strict=True):
        dataset = next(one for one in manifest.datasets if label(one) == name)
        own, other = _system(dataset, system), _find(dataset, control)
        if other is None:
            left_out.append(f"{run.name}: it has no {control} to be measured by")
        elif own.earlier_runs or other.earlier_runs:
            left_out.append(f"{run.name}: it was measured by more than one process")
        elif not other.latency.p50 > 0.0:
            left_out.append(f"{run.name}: its timer showed nothing for {control}")
        else:
            repeats.append(
                Ratio(
                    p50=round(own.latency.p50 / other.latency.p50, _DIGITS),
                    p95=round(own.latency.p95 / other.latency.p95, _DIGITS),
                    control_p50=other.latency.p50,
                    recalls=own.latency.recalls,
                )
            )
    return Timed(dataset=name, repeats=repeats, left_out=left_out)


def _blocks(name: str, rows: Sequence[QuestionRow]) -> Weighed:
    """Mean tokens of the recalled block, by budget."""
    amounts: dict[str, list[float]] = {}
    for row in rows:
        for metric, value in row.scores.items():
            if row.dataset == name and metric.startswith(_BLOCK):
                amounts.setdefault(f"block {metric}", []).append(value)
    return Weighed(dataset=name, amounts=_means(amounts))


def _means(amounts: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: round(sum(values) / len(values), _DIGITS) for name, values in amounts.items()}


def _stored(dataset: DatasetResult, own: SystemResult) -> Weighed:
    row, name = "bytes per entry", label(dataset)
    if own.store_bytes is None or not own.stored:
        return Weighed(
            dataset=name, amounts={}, missing={row: "the run does not hold the bytes of its stores"}
        )
    return Weighed(dataset=name, amounts={row: round(own.store_bytes / own.stored, _DIGITS)})


def _answered(dataset: QaDataset, manifest: QaManifest, system: str, rows: Sequence[QaRow]) -> Answered:
    own = [row for row in rows if row.dataset in (dataset.name, label(dataset))]
    arm = next((one for one in dataset.arms if one.system == system), None)
    if arm is None or not own:
        raise RunError(
            f"the run has no answers of {system!r}", where=label(dataset), remedy="Take another run."
        )
    roles = {(role.role, role.name): role.identity for role in manifest.roles}
    answer = next(role for role in manifest.roles if role.role == "answer")
    keys = [[row.conversation, row.question, row.answer_key] for row in own]
    return Answered(
        dataset=label(dataset),
        split=dataset.split,
        sha256=dataset.sha256,
        answer=answer.name,
        identity=answer.identity,
        complete=arm.complete,
        asked=[f"{row.conversation} {row.question}" for row in own],
        answers_sha256=sha256(json.dumps(keys, separators=(",", ":")).encode()).hexdigest(),
        judges=[
            JudgedBy(
                judge=judged.judge,
                identity=roles.get(("judge", judged.judge), ""),
                sound=not judged.unsound,
                questions=list(_verdicts(own, judged.judge)),
            )
            for judged in arm.judges
        ],
    )


def _verdicts(rows: Iterable[QaRow], judge: str) -> Iterable[QuestionValues]:
    for row in rows:
        found = row.verdicts.get(judge)
        if found is not None and found.verdict in ("correct", "wrong"):
            value = float(found.verdict == "correct")
            yield QuestionValues(
                conversation=row.conversation, question=row.question, values={ACCURACY: value}
            )


def _answering(dataset: QaDataset, system: str) -> Weighed:
    """Tokens and dollars of the answering model a question: what the memory decides, and no judge does."""
    rows = ("answer tokens in", "answer tokens out", "answer US dollars")
    arm = next(one for one in dataset.arms if one.system == system)
    used = arm.usage.get("answer")
    if used is None or not arm.asked:
        return Weighed(
            dataset=label(dataset), amounts={}, missing=dict.fromkeys(rows, "the run tells no usage")
        )
    amounts, missing = {}, {}
    if used.uncounted:
        missing = dict.fromkeys(rows[:2], f"{used.uncounted} calls told no tokens")
    else:
        amounts = {rows[0]: used.tokens_in / arm.asked, rows[1]: used.tokens_out / arm.asked}
    if used.cost is None:
        missing[rows[2]] = used.priced
    else:
        amounts[rows[2]] = used.cost / arm.asked
    return Weighed(
        dataset=label(dataset),
        amounts={name: round(value, 9) for name, value in amounts.items()},
        missing=missing,
    )
