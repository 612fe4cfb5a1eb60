"""What was measured of the coding agents' memory, as blocks of the documentation."""

from truerecall.bench.agent_runs import AgentRuns
from truerecall.bench.carry.manifest import CarryManifest, CarryRow
from truerecall.bench.facts.manifest import FactsManifest, ShareRow
from truerecall.bench.hook_times import HookTimes
from truerecall.bench.manifest import Interval
from truerecall.bench.report.design import UNMEASURED, block, measured_block
from truerecall.bench.report.figures import count, number
from truerecall.bench.report.tables import Table, table

_OF = ("all", "odd-numbered", "even-numbered", "evidence learned", "evidence external")
_NAMES = {
    "all": "all",
    "odd-numbered": "odd-numbered: the gate was set by these",
    "even-numbered": "even-numbered: the check",
    "evidence learned": "said by people or agents",
    "evidence external": "in tools' output only",
}


def carry_block(name: str, manifest: CarryManifest | None) -> str:
    """How often the block carries what was asked for, from the file of this name."""
    if manifest is None:
        return UNMEASURED
    rows = table(
        f"Questions whose evidence stands in the block, of {count(manifest.sessions)} sessions "
        f"({count(manifest.real_sessions)} real), {count(manifest.budget_tokens)} tokens at most",
        ["what makes the block", "questions", "carried", "of", "share", "95 %", "mean tokens", "no block"],
        [_carry_row(row) for of in _OF for row in manifest.rows if row.of == of],
        words=2,
    )
    pairs = table(
        "The same questions under two arms",
        ["arm", "against", "only the first", "only the second", "p (McNemar)"],
        [
            (pair.arm, pair.against, count(pair.only_this), count(pair.only_that), number(pair.p, 3))
            for pair in manifest.pairs
        ],
        words=2,
    )
    unrelated = table(
        "Prompts that have nothing to do with the sessions",
        ["what makes the block", "prompts", "given something", "of", "95 %"],
        [
            (row.arm, _NAMES[row.of], count(row.given), count(row.n), _bounds(row.interval))
            for row in manifest.unrelated
        ],
        words=2,
    )
    told = [
        f"{count(manifest.entries)} entries: {count(manifest.turns)} of turns, {count(manifest.external)} external.",
        *manifest.notes,
        *(f"{file}: sha256 {digest}." for file, digest in sorted(manifest.files.items())),
    ]
    return measured_block(f"{name}.json", [rows, pairs, unrelated], " ".join(told), manifest.making)


def _carry_row(row: CarryRow) -> tuple[str, ...]:
    return (
        row.arm,
        _NAMES[row.of],
        count(row.carried),
        count(row.n),
        number(row.rate, 3),
        _bounds(row.interval),
        number(row.mean_tokens, 0),
        count(row.empty),
    )


def facts_block(manifest: FactsManifest | None) -> str:
    """How right and how complete the extracted facts are."""
    if manifest is None:
        return UNMEASURED
    tables = [
        table(
            "Facts by kind",
            ["kind", "facts"],
            [
                ("all", count(manifest.facts)),
                *((kind, count(n)) for kind, n in sorted(manifest.by_kind.items())),
            ],
        ),
        _shares("Precision: facts that a labeller calls right", manifest.precision),
        _shares("Recall: facts that a person collected, found", manifest.recall),
        _shares("Recall of what the rules were improved by", manifest.recall_tuned),
        _shares("Facts of one collector that the other has as well", list(manifest.gold_agreement.values())),
    ]
    agreed = manifest.agreement
    told = [
        f"{count(manifest.facts)} facts of {count(manifest.turns)} turns in {count(manifest.sessions)} sessions: "
        f"{number(manifest.facts_a_turn, 3)} a turn, {number(manifest.facts_a_speaking_turn, 3)} a turn in which "
        f"somebody says something; {count(manifest.external)} external.",
        ""
        if agreed is None
        else f"The two labellers agree on {count(agreed.agreed)} of {count(agreed.n)}; Cohen's kappa "
        f"{number(agreed.kappa, 2)}{'' if agreed.interval is None else f' ({_bounds(agreed.interval)})'}.",
        manifest.rule,
        *manifest.notes,
        *(f"{name}: sha256 {digest}." for name, digest in sorted(manifest.files.items())),
    ]
    return measured_block("facts.json", tables, " ".join(filter(None, told)), manifest.making)


def _shares(caption: str, rows: list[ShareRow]) -> Table:
    return table(
        caption,
        ["by", "of", "n", "yes", "share", "95 %"],
        [
            (row.by, row.of, count(row.n), count(row.yes), number(row.share, 3), _bounds(row.interval))
            for row in rows
        ],
        words=2,
    )


def hook_block(times: HookTimes | None) -> str:
    """What the hook costs a prompt."""
    if times is None:
        return UNMEASURED
    made = table(
        f"The whole process, milliseconds, {count(times.entries)} entries in one project",
        [
            "prompt",
            "runs",
            "with a block",
            "p50",
            "p95",
            "most",
            "bare Python p50",
            "times that",
            "within the budget",
        ],
        [
            (
                row.prompt,
                count(row.runs),
                count(row.injected),
                *(number(seconds * 1000, 0) for seconds in (row.p50, row.p95, row.most, row.bare_p50)),
                number(row.ratio, 1),
                "yes" if row.within else "no",
            )
            for row in times.measurements
        ],
    )
    told = (
        f"Each run beside a bare interpreter, in turns. Budget: {number(times.budget * 1000, 0)} ms at the 95th "
        f"percentile. {count(times.external)} of the entries are tools' output, {count(times.sessions)} sessions, "
        f"seed {times.seed}."
    )
    return measured_block("hook.json", [made], told, times.making)


def runs_block(runs: AgentRuns | None) -> str:
    """Which real command lines were driven."""
    if runs is None:
        return UNMEASURED
    versions = ", ".join(f"{name} {version}" for name, version in sorted(runs.commands.items()))
    made = table(
        "Real command lines, end to end",
        ["test", "outcome", "seconds"],
        [(row.test, row.outcome, number(row.seconds, 1)) for row in runs.tests],
        words=2,
        folded=True,
    )
    passed = sum(row.outcome == "passed" for row in runs.tests)
    told = (
        f"{count(passed)} of {count(len(runs.tests))} tests passed with {versions}; network interfaces: "
        f"{', '.join(runs.interfaces)}. Made by `{runs.command}`."
    )
    return block("agent-runs.json", [made], told, runs.commit, runs.dirty)


def _bounds(interval: Interval) -> str:
    return f"{number(interval.low, 2)} to {number(interval.high, 2)}"
