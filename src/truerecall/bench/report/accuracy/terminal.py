"""The short answer of an accuracy run for a terminal: plain ASCII, one table a data set."""

from collections.abc import Sequence

from truerecall.bench.manifest import ALL, Latency
from truerecall.bench.qa.manifest import Pair, QaDataset, QaManifest
from truerecall.bench.report.accuracy.ablated import ablation_lines, without_flips
from truerecall.bench.report.accuracy.answers import may_be_said
from truerecall.bench.report.accuracy.money import dollars
from truerecall.bench.report.accuracy.standing import (
    headlines,
    label,
    model_name,
    model_names,
    percent,
    percents,
    unstable,
)
from truerecall.bench.report.accuracy.words import NOT_RETRIEVAL, banners, qa_warnings
from truerecall.bench.report.columns import Column, ascii_line, ascii_table, short_names, wrapped
from truerecall.bench.report.figures import (
    MISSING,
    count,
    counted,
    first_seen,
    milliseconds,
    number,
    title,
)
from truerecall.bench.report.terminal import COMMIT_LENGTH, left_out

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def qa_summary(manifest: QaManifest, width: int = 100) -> str:
    """The headline figures of every data set, as plain ASCII text that ends with a newline.

    Tables wider than ``width`` columns are cut between groups of columns and continued below.
    """
    made = manifest.provenance
    names = model_names(manifest.roles)
    commit = made.commit[:COMMIT_LENGTH] if made.commit else MISSING
    state = " with uncommitted changes" if made.dirty else ""
    answering = [model_name(names, role.name) for role in manifest.roles if role.role == "answer"]
    lines = wrapped(
        f"Accuracy, {made.created}, {made.harness}, commit {commit}{state}, seed {made.seed}, "
        f"{made.granularity} granularity, block of {count(manifest.budget)} tokens, "
        f"answered by {', '.join(answering) or MISSING}",
        width,
    )
    for banner in banners(manifest):
        lines += ["", *wrapped(f"*** {banner} ***", width)]
    for dataset in manifest.datasets:
        lines += ["", *_dataset(dataset, manifest.ablated, names, width)]
    lines += ["", *wrapped(NOT_RETRIEVAL, width), *wrapped(_calls(manifest), width)]
    return "\n".join(lines) + "\n"


def _calls(manifest: QaManifest) -> str:
    done = manifest.calls
    made = ", ".join(f"{stage} {count(n)}" for stage, n in done.made.items()) or "none"
    reused = ", ".join(f"{stage} {count(n)}" for stage, n in done.reused.items()) or "none"
    lost = f"; {count(done.lost)} of an earlier process were lost" if done.lost else ""
    again = f"; {count(done.asked_again)} had failed before and were asked again" if done.asked_again else ""
    return f"Calls made: {made}; reused: {reused}{again}{lost}."


def _dataset(dataset: QaDataset, ablated: str, names: dict[str, str], width: int) -> list[str]:
    questions = f"{count(dataset.asked)} of {counted(dataset.planned, 'question')} asked"
    top = [f"{title(dataset)}: {questions}, {counted(dataset.conversations, 'conversation')}"]
    top += [f"! {line}" for line in qa_warnings(dataset)]
    judges = first_seen(result.judge for arm in dataset.arms for result in arm.judges)
    letters = {judge: _LETTERS[at % len(_LETTERS)] for at, judge in enumerate(judges)}
    key = [f"judge {letter}: {model_name(names, judge)}" for judge, letter in letters.items()]
    columns = [
        *(column for judge, letter in letters.items() for column in _judged(dataset, judge, letter)),
        *_agreed(dataset),
        *_taken(dataset),
    ]
    table = ascii_table(short_names([arm.system for arm in dataset.arms]), columns, width)
    below = [
        *key,
        *_said(dataset, letters),
        *(_compared(dataset, made, letters) for made in without_flips(dataset, ablated).pairs),
        *ablation_lines(dataset, ablated, letters),
        *(f"{system}: not measured: {why}" for system, why in sorted(dataset.not_measured.items())),
        left_out(dataset),
    ]
    return [
        *(part for line in top for part in wrapped(line, width)),
        "",
        *(table if dataset.arms else ["No arm was measured."]),
        "",
        *(part for line in below for part in wrapped(ascii_line(line), width)),
    ]


def _judged(dataset: QaDataset, judge: str, letter: str) -> list[Column]:
    """Figure, interval and n of one judge; a word where no figure may head a page."""
    found = {made.arm.system: made for made in headlines(dataset) if made.result.judge == judge}
    own = [found.get(arm.system) for arm in dataset.arms]
    group = f"judge {letter}"
    shares = [MISSING if made is None else made.instead or percent(made.cell.accuracy) for made in own]
    bounds = [
        MISSING if made is None or made.instead else percents(made.cell.by_question).replace(" to ", "-")
        for made in own
    ]
    sizes = [MISSING if made is None else count(made.cell.n) for made in own]
    return [
        Column(group, "%", tuple(shares)),
        Column(group, "95 %", tuple(bounds)),
        Column(group, "n", tuple(sizes)),
    ]


def _agreed(dataset: QaDataset) -> list[Column]:
    """The widest spread and the lowest kappa over all types together, and how many types survive."""
    spreads, kappas = [], []
    for arm in dataset.arms:
        own = [made for made in arm.agreements if made.type == ALL]
        apart = [made.spread for made in own if made.spread is not None]
        known = [made.kappa for made in own if made.kappa is not None]
        spreads.append(number(max(apart), 1) if apart else MISSING)
        kappas.append(number(min(known), 2) if known else MISSING)
    survive = [f"{arm.types_stable}/{arm.types}" for arm in dataset.arms]
    return [
        Column("judges", "spread", tuple(spreads)),
        Column("judges", "kappa", tuple(kappas)),
        Column("judges", "types", tuple(survive)),
    ]


def _taken(dataset: QaDataset) -> list[Column]:
    times = [_end(arm.end_to_end) for arm in dataset.arms]
    return [
        Column("question", "tokens", tuple(number(arm.context_tokens_mean, 0) for arm in dataset.arms)),
        Column("question", "US$", tuple(dollars(arm.cost_per_question) for arm in dataset.arms)),
        Column("ms", "p50", tuple(p50 for p50, _ in times)),
        Column("ms", "p95", tuple(p95 for _, p95 in times)),
    ]


def _end(took: Latency | None) -> tuple[str, str]:
    return (MISSING, MISSING) if took is None else milliseconds(took)


def _said(dataset: QaDataset, letters: dict[str, str]) -> Sequence[str]:
    """What must be said beside figures, and both bounds where something failed or was invalid."""
    own = list(headlines(dataset))
    labels = {
        judge: {label(made.result, made.arm) for made in own if made.result.judge == judge}
        for judge in letters
    }
    # What holds of a judge for every arm is said once.
    common = {judge: found.pop() for judge, found in labels.items() if len(found) == 1}
    lines = [f"judge {letters[judge]}: {told}" for judge, told in common.items() if told != MISSING]
    for found in own:
        cell, letter = found.cell, letters[found.result.judge]
        told = label(found.result, found.arm)
        said = [] if told == MISSING or found.result.judge in common else [told]
        if (cell.invalid or cell.failed) and not found.instead:
            said.append(f"between {percent(cell.low)} and {percent(cell.high)}")
        if cell.invalid or cell.failed:
            said.append(f"{count(cell.invalid)} invalid, {count(cell.failed)} failed")
        if said:
            lines.append(f"{found.arm.system}, judge {letter}: {'; '.join(said)}")
    return lines


def _compared(dataset: QaDataset, made: Pair, letters: dict[str, str]) -> str:
    shaky = [arm.system for arm in dataset.arms if arm.system in (made.a, made.b) and unstable(arm, ALL)]
    judge = letters.get(made.judge, "?")
    return f"{made.a} and {made.b}, judge {judge}: {may_be_said(made, shaky)}"
