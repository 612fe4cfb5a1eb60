"""Sections on how figures came about: provenance, data, what was left out, lanes, latency, configuration."""

import re
from collections import Counter
from collections.abc import Sequence

from truerecall.bench.manifest import DatasetResult, Provenance, SystemResult
from truerecall.bench.qa.manifest import Arm, QaDataset
from truerecall.bench.report.figures import (
    MISSING,
    AnyData,
    baseline,
    count,
    counted,
    find,
    milliseconds,
    number,
    reasons,
    title,
    value,
)
from truerecall.bench.report.tables import Section, Table, section, table

_SECRET_NAME = re.compile(
    r"(?i)(?:^|[_.\W])(?:api_?key|key|secret|pass(?:word|wd|phrase)?|token|credentials?|auth(?:orization|_header)?)$"
)

_FOUND = (
    "What each step found: any@10 and all@10 of the step's own list, then the share of all gold items among its "
    "first k. Gained and lost: questions with a gold item among the first 10 here and not among those of the fused "
    "list, and the other way round. Recalled is the answer."
)


def provenance(made: Provenance) -> Table:
    """Where and how the run was made, a fact a row."""
    facts = [
        ("harness", made.harness),
        ("created", made.created),
        ("commit", made.commit or MISSING),
        ("uncommitted changes", scalar(made.dirty)),
        ("granularity", made.granularity),
        ("token counter", made.counter),
        ("seed", str(made.seed)),
        ("Python", made.python),
        ("SQLite", made.sqlite),
        *((f"package {name}", version) for name, version in sorted(made.packages.items())),
        *((f"machine: {name}", scalar(fact)) for name, fact in sorted(made.machine.items())),
    ]
    return table("Where and how the run was made", ["fact", "value"], facts, words=2)


def data(dataset: DatasetResult) -> Section:
    """What was read, and whether it is the known file."""
    facts = [
        *_file(dataset),
        ("sessions", count(dataset.sessions)),
        ("turns", count(dataset.turns)),
        ("questions in the file", count(dataset.planned)),
        ("questions asked", count(dataset.asked)),
        ("asked without named gold turns (session level only)", count(dataset.no_turn_gold)),
        ("items that a question ranks, mean", number(dataset.pool_mean, 1)),
    ]
    return section("data", "Data", (), [table("The file that was read", ["fact", "value"], facts, words=2)])


def qa_data(dataset: QaDataset) -> Section:
    """The same of an accuracy run, which counts no sessions and turns."""
    facts = [
        *_file(dataset),
        ("questions in the file", count(dataset.planned)),
        ("questions asked", count(dataset.asked)),
    ]
    return section("data", "Data", (), [table("The file that was read", ["fact", "value"], facts, words=2)])


def _file(dataset: DatasetResult | QaDataset) -> list[tuple[str, str]]:
    return [
        ("data set", title(dataset)),
        ("split", dataset.split),
        ("file", dataset.file),
        ("sha256", dataset.sha256),
        ("recognised", scalar(dataset.recognised)),
        ("conversations", count(dataset.conversations)),
    ]


def left_out(dataset: AnyData) -> Section:
    """Exclusions by reason, and each of them."""
    dropping = Counter(row.reason for row in dataset.exclusions if row.drops_question)
    by_reason = table(
        "What was left out, by reason",
        ["reason", "items", "of them whole questions"],
        [(reason, count(n), count(dropping[reason])) for reason, n in reasons(dataset)],
    )
    listed = table(
        f"Everything that was left out ({count(len(dataset.exclusions))})",
        ["item", "reason", "detail", "drops"],
        [
            (row.item, row.reason, row.detail or MISSING, "the question" if row.drops_question else "a part")
            for row in dataset.exclusions
        ],
        words=4,
        folded=True,
    )
    sentences = [] if dataset.exclusions else ["Nothing was left out."]
    return section("left-out", "What was left out and why", sentences, [by_reason, listed])


def lanes(dataset: DatasetResult) -> Section:
    """What each system really stored, and what each lane really gave."""
    stores = table(
        "What each system did with the items",
        [
            "system",
            "stored",
            "embedded",
            "masked",
            "refused",
            "gold refused",
            "ingestion (s)",
            "from the cache",
            "measured by an earlier run",
        ],
        [_store_row(system) for system in dataset.systems],
    )
    given = table(
        "Candidates by lane",
        ["system", "lane", "questions with candidates", "candidates a question"],
        [
            (s.name, lane.lane, count(lane.questions_with_candidates), number(lane.candidates_mean, 1))
            for s in dataset.systems
            for lane in s.lanes
        ],
        words=2,
    )
    found = [_found_table(system) for system in dataset.systems if system.steps]
    refused = table(
        "Gold that a system refused: misses",
        ["system", "gold reference"],
        [(s.name, reference) for s in dataset.systems for reference in s.gold_refused],
        words=2,
        folded=True,
    )
    sentences = [_FOUND] if found else []
    return section("lanes", "Lanes, as measured", sentences, [stores, given, *found, refused])


def _found_table(system: SystemResult) -> Table:
    """Where each lane, and each list made of the lanes, ranked the gold."""
    depths = sorted({k for step in system.steps for k in step.within})
    rows = [
        (
            step.step,
            number(step.any_at_10),
            number(step.all_at_10),
            *(number(step.within.get(k)) for k in depths),
            number(step.only),
            count(step.gained),
            count(step.lost),
        )
        for step in system.steps
    ]
    columns = [
        "step", "any@10", "all@10", *(f"gold in the first {k}" for k in depths),
        "in no other lane's first 200", "questions gained", "lost",
    ]  # fmt: skip
    n = f"{counted(system.steps[0].questions, 'question')}, {counted(system.steps[0].gold, 'gold item')}"
    return table(f"{system.name}: what each step found ({n})", columns, rows)


def latency(dataset: DatasetResult) -> Section:
    """Milliseconds of a recall, and the ratio to the baseline of the same run."""
    control = baseline(dataset)
    base = control.latency.p50 if control and control.latency.recalls else None
    rows = []
    for system in dataset.systems:
        took = system.latency
        ratio = took.p50 / base if took.recalls and base else None
        rows.append(
            (
                system.name,
                *milliseconds(took),
                number(value(find(system, None, "ms")), 1),
                number(ratio, 2),
                count(took.recalls),
            )
        )
    columns = ["system", "p50 (ms)", "p95 (ms)", "mean (ms)", "p50 / bm25 p50", "recalls"]
    note = "Milliseconds are of this machine; the ratio to bm25 in the same run is what carries over."
    return section("latency", "Latency of a recall", [note], [table("Latency of a recall", columns, rows)])


def configurations(dataset: DatasetResult | QaDataset) -> Section:
    """Everything that decided each system's results."""
    systems: Sequence[SystemResult | Arm]
    systems = dataset.systems if isinstance(dataset, DatasetResult) else dataset.arms
    made = [
        table(
            f"{system.name if isinstance(system, SystemResult) else system.system}: configuration",
            ["setting", "value"],
            [(name, setting_text(name, value)) for name, value in sorted(system.configuration.items())],
            words=2,
            folded=True,
        )
        for system in systems
    ]
    return section("configuration", "Configurations", tables=made)


def setting_text(name: str, value: str | int | float | bool | None) -> str:
    """A setting as it is printed; the value of one whose name says that it is secret is left out."""
    return "[left out]" if isinstance(value, str) and value and _SECRET_NAME.search(name) else scalar(value)


def scalar(fact: str | int | float | bool | None) -> str:
    """A setting as it is printed: yes, no, a plain number or text."""
    if fact is None or fact == "":
        return MISSING
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    return str(fact)


def _from_cache(system: SystemResult) -> str:
    """Whether the seconds beside it are those of an ingestion from nothing."""
    stores = scalar(system.ingest_cached)
    return f"{stores}; {count(system.vectors_cached)} vectors" if system.vectors_cached else stores


def _store_row(system: SystemResult) -> tuple[str, ...]:
    return (
        system.name,
        count(system.stored),
        count(system.embedded),
        count(system.masked),
        count(system.refused),
        count(len(system.gold_refused)),
        number(system.ingest_seconds, 1),
        _from_cache(system),
        "; ".join(system.earlier_runs) or "no",
    )
