"""What must stand on every page of a run: why it is no result, or not yet one."""

from collections.abc import Iterable, Sequence

from truerecall.bench.manifest import ALL
from truerecall.bench.qa.manifest import (
    LARGEST_INVALID,
    LARGEST_SPREAD,
    Agreement,
    Arm,
    Calibration,
    JudgeResult,
    QaDataset,
    Role,
)


def proves_wiring(
    datasets: Iterable[QaDataset], judges: Iterable[Role], calibrations: Iterable[Calibration], *, toy: bool
) -> bool:
    """Whether a run proves that the wiring works, and is no result.

    Args:
        datasets: Fixtures say so in their notes.
        judges: Those that judged.
        calibrations: One that did not pass, or is not there, makes the run uncalibrated.
        toy: Whether a model is scripted, or too small for its figures to say anything.
    """
    return (
        toy
        or any("wiring proof" in dataset.note for dataset in datasets)
        or bool(_uncalibrated(judges, calibrations))
    )


def stamps(
    datasets: Sequence[QaDataset], judges: Sequence[Role], calibrations: Sequence[Calibration]
) -> list[str]:
    """One line for each thing that a reader of any figure must know; none where nothing is wrong."""
    found = [
        f"uncalibrated: {name} was not tried on answers whose verdict is known, or did not pass"
        for name in _uncalibrated(judges, calibrations)
    ]
    if len(judges) < 2:
        found.append("one judge: how far judges agree is not known")
    found += _relations(result for dataset in datasets for arm in dataset.arms for result in arm.judges)
    for dataset in datasets:
        label = f"{dataset.name} {dataset.variant}"
        found += [f"{line} ({label})" for line in _of_arms(dataset.arms)]
        if dataset.sample is not None:
            of = f"{dataset.sample.drawn} of {dataset.sample.of} questions, seed {dataset.sample.seed}"
            found.append(f"sample: {of} ({label})")
    return list(dict.fromkeys(found))


def _relations(results: Iterable[JudgeResult]) -> Iterable[str]:
    for result in results:
        if result.relation == "self-judged":
            yield f"self-judged: {result.judge} is the answering model, so its figures are no headline"
        elif result.relation == "same provider":
            yield f"same provider: {result.judge} comes from the answering model's, which is weaker"


def _of_arms(arms: Sequence[Arm]) -> Iterable[str]:
    for arm in arms:
        if not arm.complete:
            lost = max((cell.failed for result in arm.judges for cell in result.cells), default=arm.failed)
            yield f"incomplete: {arm.system} lacks {lost} of {arm.asked} verdicts, so its bounds are its figure"
    for arm in arms:
        for result in arm.judges:
            if result.unsound:
                yield f"unsound: over {LARGEST_INVALID:.0%} of {result.judge}'s verdicts on {arm.system} are invalid"
    for arm in arms:
        for agreement in arm.agreements:
            if agreement.type == ALL and not agreement.stable:
                yield _unstable(agreement, arm.system)


def _unstable(agreement: Agreement, system: str) -> str:
    judges = f"{agreement.a} and {agreement.b}"
    if agreement.n == 0:
        return f"unstable: {judges} judged no answer of {system} that the other did"
    return f"unstable: {judges} are more than {LARGEST_SPREAD:.0f} points apart on {system}"


def _uncalibrated(judges: Iterable[Role], calibrations: Iterable[Calibration]) -> list[str]:
    passed = {calibration.judge for calibration in calibrations if calibration.passed}
    return [judge.name for judge in judges if judge.name not in passed]
