"""The chapter of a head-to-head: every arm measured alike, and every arm that was not, with the reason."""

from collections.abc import Iterable

from truerecall.bench.headtohead.manifest import (
    Against,
    HeadToHead,
    HeadToHeadDataset,
    Measured,
    Skipped,
)
from truerecall.bench.manifest import ALL, Cell
from truerecall.bench.report.figures import (
    MISSING,
    agreed,
    count,
    heading,
    milliseconds,
    number,
    printed,
    signed,
    split_row,
    value,
)
from truerecall.bench.report.setting import left_out, setting_text
from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.bench.report.words import COMPARABILITY, NOT_ACCURACY, UNRECOGNISED, clusters, family
from truerecall.bench.tuning import tuning_words

_UNMEASURED = "not measured"

UNKNOWN_LOAD = (
    "Arms without a load average were measured in several goes, beside other work of the machine that nobody recorded: "
    "their times may be several times too long, and must not be compared."
)
"""Stands over times that hold other work."""


def head_to_head_warnings(dataset: HeadToHeadDataset) -> list[str]:
    """What must be said on top of every figure."""
    lines = [dataset.note] if dataset.note else []
    if family(dataset) == "locomo":
        lines.append(COMPARABILITY)
    if not dataset.recognised:
        lines.append(UNRECOGNISED)
    return lines


def head_to_head_sections(manifest: HeadToHead, dataset: HeadToHeadDataset) -> tuple[Section, ...]:
    """Everything on one data set, the figures first."""
    return (
        _figures(manifest, dataset),
        _against(manifest, dataset),
        _settings(manifest, dataset),
        _conformance(dataset),
        _disclosures(dataset),
        left_out(dataset),
    )


def _measured(dataset: HeadToHeadDataset) -> list[Measured]:
    return [arm for arm in dataset.arms if isinstance(arm, Measured)]


def _figures(manifest: HeadToHead, dataset: HeadToHeadDataset) -> Section:
    columns = [heading(*split_row(name)) for name in manifest.rows]
    rows = [
        (
            arm.name,
            *(_cells(arm, manifest.rows) if isinstance(arm, Measured) else [_UNMEASURED] * len(columns)),
            agreed(count(cell.n) for cell in _named(arm, manifest.rows)) if isinstance(arm, Measured) else MISSING,
        )
        for arm in dataset.arms
    ]  # fmt: skip
    chance = [
        agreed(printed(name, cell.chance) for arm in _measured(dataset) if (cell := _cell(arm, name)))
        for name in manifest.rows
    ]
    skipped = [
        (
            arm.name,
            arm.package or MISSING,
            f"{_UNMEASURED}: {arm.reason}",
            " ".join(arm.disclosure) or MISSING,
        )
        for arm in dataset.arms
        if isinstance(arm, Skipped)
    ]
    told = [
        NOT_ACCURACY,
        f"Every arm was asked the same {count(dataset.asked)} questions over the same {count(dataset.turns)} turns. "
        "Default: as its package sets itself up; best: the most that could be set up here in its favour. "
        f"{clusters(dataset.conversations)}",
        *([] if all(arm.load is not None for arm in _measured(dataset)) else [UNKNOWN_LOAD]),
    ]
    tables = [
        table("All types together", ["system", *columns, "n"], [*rows, ("chance", *chance, MISSING)]),
        _taken(dataset),
        table("Not measured", ["system", "package", "state", "disclosed"], skipped, words=4),
    ]
    return section("short", "Head-to-head", told, tables)


def _taken(dataset: HeadToHeadDataset) -> Table:
    rows = [
        (
            arm.name,
            number(arm.ingest_seconds, 1),
            "yes" if arm.ingest_cached or arm.vectors_cached else "no",
            *milliseconds(arm.latency),
            count(arm.latency.recalls),
            count(arm.store_bytes),
            count(arm.stored),
            count(arm.embedded),
            count(arm.refused),
            number(arm.load, 1),
        )
        for arm in _measured(dataset)
    ]
    columns = [
        "system", "ingestion (s)", "partly from a cache", "recall, p50 (ms)", "p95 (ms)", "recalls", "store (bytes)",
        "stored", "embedded", "refused", "load average before",
    ]  # fmt: skip
    return table("What it took; no model was asked, so no tokens and no dollars", columns, rows)


def _settings(manifest: HeadToHead, dataset: HeadToHeadDataset) -> Section:
    own = _measured(dataset)
    rows = [
        (
            arm.name,
            arm.setup,
            arm.package or MISSING,
            setting_text("embedder", arm.configuration.get("embedder")),
            manifest.provenance.granularity,
            tuning_words(arm.tuning, dataset),
        )
        for arm in own
    ]
    columns = ["system", "set up", "package", "embedder", "granularity", "tuned on"]
    configured = [
        table(
            f"{arm.name}: configuration",
            ["setting", "value"],
            [(name, setting_text(name, given)) for name, given in sorted(arm.configuration.items())],
            words=2,
            folded=True,
        )
        for arm in own
    ]
    return section(
        "setup", "How each system was set up", (), [table("Setup", columns, rows, words=6), *configured]
    )


def _conformance(dataset: HeadToHeadDataset) -> Section:
    rows = [
        (arm.name, check.check, check.verdict, check.detail or MISSING, check.known or MISSING)
        for arm in _measured(dataset)
        for check in arm.conformance
    ]
    told = [
        "Before it is measured, each rival's adapter is tried: needle, k, isolation, deletion, times, repetition."
    ]
    columns = ["system", "check", "outcome", "seen", "what a known failure means"]
    return section("conformance", "Conformance", told, [table("Conformance", columns, rows, words=5)])


def _disclosures(dataset: HeadToHeadDataset) -> Section:
    rows = [(arm.name, line) for arm in dataset.arms for line in arm.disclosure]
    made = table("What must be said beside the figures", ["system", "disclosed"], rows, words=2)
    return section("disclosed", "Disclosed", () if rows else ["Nothing was disclosed."], [made])


def _against(manifest: HeadToHead, dataset: HeadToHeadDataset) -> Section:
    rows = [
        (
            made.ours,
            made.rival,
            heading(*split_row(made.row)),
            signed(made.difference),
            _interval(made),
            number(made.mean_ours),
            number(made.mean_rival),
            count(made.n),
            made.test,
            f"{made.p:.2g}",
            f"{made.p_holm:.2g}",
            "yes" if made.same_sign else "no",
            number(made.smallest_detectable),
            verdict(made),
        )
        for made in dataset.against
    ]
    columns = [
        "ours", "other", "row", "difference", "95 % by conversation", "ours has", "the other has", "n", "test", "p",
        "Holm p", "same sign in every conversation", "smallest detectable difference", "what may be said",
    ]  # fmt: skip
    told = [
        f"Paired by question; differences are ours less the other's. Holm over {count(len(rows))} rows; the level is "
        f"{manifest.alpha:g}. A difference holds only within these conversations, and only with one sign in each."
    ]
    sentences = told if rows else ["Nothing was compared."]
    return section("against", "Paired differences", sentences, [table("Differences", columns, rows, words=3)])


def verdict(made: Against) -> str:
    """No word of more or less unless the test and every conversation support it."""
    if not made.holds:
        return "no difference is shown"
    return f"ours is {'higher' if made.difference > 0 else 'lower'}, within these conversations"


def _interval(made: Against) -> str:
    bounds = made.interval
    return MISSING if bounds is None else f"{signed(bounds.low)} to {signed(bounds.high)}"


def _cells(arm: Measured, names: Iterable[str]) -> list[str]:
    return [printed(name, value(_cell(arm, name))) for name in names]


def _named(arm: Measured, names: Iterable[str]) -> list[Cell]:
    return [cell for name in names if (cell := _cell(arm, name))]


def _cell(arm: Measured, name: str) -> Cell | None:
    level, metric = split_row(name)
    return next((c for c in arm.cells if (c.level, c.metric, c.type) == (level, metric, ALL)), None)
