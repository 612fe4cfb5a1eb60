"""What differs between runs: their settings, and the questions whose verdict changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from truerecall.bench.manifest import DatasetResult
from truerecall.bench.qa.manifest import QaDataset, QaManifest, Role
from truerecall.bench.qa.records import QaRow
from truerecall.bench.report.accuracy.answers import p_text
from truerecall.bench.report.accuracy.standing import model_name, model_names
from truerecall.bench.report.beside.runs import Data, ReadRun, Shared
from truerecall.bench.report.figures import MISSING, count
from truerecall.bench.report.setting import scalar, setting_text
from truerecall.bench.report.tables import Section, section, table
from truerecall.bench.systems.protocol import Setting
from truerecall.measure.comparing import compare_pairs

_NO_ROWS = "not measured: rows.jsonl is not beside the manifest"


@dataclass(frozen=True, slots=True)
class Changed:
    """The questions of one system by one judge in two runs, both verdicts valid."""

    fixed: tuple[str, ...]
    """Wrong in the first run, right in the second."""
    broken: tuple[str, ...]
    right: int
    wrong: int
    p: float | None
    """McNemar, exact; None without questions."""

    @property
    def n(self) -> int:
        """Questions that both runs judged validly."""
        return len(self.fixed) + len(self.broken) + self.right + self.wrong


def settings(group: Shared) -> Section:
    """Only what is not alike in every run: models, prompts, harness, and each system's configuration."""
    facts = [dict(_facts(run, data)) for run, data in group.members]
    rows = []
    for name in dict.fromkeys(name for known in facts for name in known):
        values = [known.get(name, MISSING) for known in facts]
        if len(set(values)) > 1:
            rows.append((name, *values))
    names = [run.name for run, _ in group.members]
    told = [] if rows else ["Nothing that a manifest records differs between these runs."]
    made = table("What differs", ["what", *names], rows, words=len(names) + 1)
    return section("settings", "What differs between the runs", told, [made])


def changes(group: Shared) -> Section:
    """Fixed and broken questions from the first accuracy run of a group to each later one."""
    counted, listed = [], []
    first, data = group.members[0]
    for later, other in group.members[1:]:
        if first.rows is None or later.rows is None:
            without = first if first.rows is None else later
            counted.append((f"{first.name}, {later.name}", f"{without.name}: {_NO_ROWS}", *[MISSING] * 7))
            continue
        for a, b in _systems(data, other):
            for judge in _judges(first, later):
                found = changed(_own(first.rows, data, a), _own(later.rows, other, b), judge)
                if not found.n:
                    continue
                who = model_name(model_names(_roles(first)), judge)
                what = (f"{first.name}, {later.name}", a if a == b else f"{a}, {b}", who)
                tally = (len(found.fixed), len(found.broken), found.right, found.wrong, found.n)
                counted.append((*what, *map(count, tally), p_text(found.p)))
                listed += [(*what, "fixed", question) for question in found.fixed]
                listed += [(*what, "broken", question) for question in found.broken]
    columns = [
        "from, to", "system", "judge", "fixed", "broken", "right in both", "wrong in both", "n", "p (McNemar)",
    ]  # fmt: skip
    told = [
        "Fixed: wrong in the first run and right in the later one; broken: the other way round. Only questions that "
        "the same judge judged validly in both. The p stand unadjusted."
    ]
    return section(
        "changes",
        "Questions whose verdict changed",
        told if counted else ["No system and judge is in two of these runs."],
        [
            table("Changed verdicts", columns, counted, words=3),
            table(
                f"Every changed question ({count(len(listed))})",
                ["from, to", "system", "judge", "change", "question"],
                listed,
                words=5,
                folded=True,
            ),
        ],
    )


def changed(first: Sequence[QaRow], later: Sequence[QaRow], judge: str) -> Changed:
    """One system's rows in two runs, by one judge."""
    before, after = _verdicts(first, judge), _verdicts(later, judge)
    both = [key for key in before if key in after]
    pairs = [(before[key], after[key]) for key in both]
    clusters = [conversation for conversation, _ in both]
    p = None
    if both:
        p = compare_pairs([float(a) for a, _ in pairs], [float(b) for _, b in pairs], clusters, 0).p
    return Changed(
        tuple(
            sorted(question for (_, question), pair in zip(both, pairs, strict=True) if pair == (False, True))
        ),
        tuple(
            sorted(question for (_, question), pair in zip(both, pairs, strict=True) if pair == (True, False))
        ),
        pairs.count((True, True)),
        pairs.count((False, False)),
        p,
    )


def _verdicts(rows: Sequence[QaRow], judge: str) -> Mapping[tuple[str, str], bool]:
    return {
        (row.conversation, row.question): found.verdict == "correct"
        for row in rows
        if (found := row.verdicts.get(judge)) and found.verdict in ("correct", "wrong")
    }


def _own(rows: Sequence[QaRow], data: Data, system: str) -> list[QaRow]:
    label = f"{data.name}:{data.variant}" if isinstance(data, QaDataset) else ""
    return [row for row in rows if row.system == system and row.dataset == label]


def _systems(first: Data, later: Data) -> Iterator[tuple[str, str]]:
    """Systems of one name; and where each run has one that is no control, those two."""
    if not isinstance(first, QaDataset) or not isinstance(later, QaDataset):
        return
    theirs = {arm.system for arm in later.arms}
    yield from ((arm.system, arm.system) for arm in first.arms if arm.system in theirs)
    alone = [[arm.system for arm in data.arms if not arm.control] for data in (first, later)]
    if len(alone[0]) == len(alone[1]) == 1 and alone[0] != alone[1]:
        yield alone[0][0], alone[1][0]


def _judges(first: ReadRun, later: ReadRun) -> list[str]:
    """The judges that are one model at one place in both runs."""
    known = {(role.name, role.identity) for role in _roles(later) if role.role == "judge"}
    return [
        role.name for role in _roles(first) if role.role == "judge" and (role.name, role.identity) in known
    ]


def _roles(run: ReadRun) -> Sequence[Role]:
    return run.manifest.roles if isinstance(run.manifest, QaManifest) else []


def _facts(run: ReadRun, data: Data) -> Iterator[tuple[str, str]]:
    made = run.manifest.provenance
    yield from (
        ("harness", made.harness),
        ("commit", f"{made.commit or MISSING}{' with uncommitted changes' if made.dirty else ''}"),
        ("seed", str(made.seed)),
        ("token counter", made.counter),
        ("Python", made.python),
        ("SQLite", made.sqlite),
    )
    yield from ((f"package {name}", version) for name, version in sorted(made.packages.items()))
    yield from ((f"machine: {name}", scalar(fact)) for name, fact in sorted(made.machine.items()))
    if isinstance(run.manifest, QaManifest):
        yield from _qa_facts(run.manifest)
    if isinstance(data, DatasetResult):
        yield from _configured((system.name, system.configuration) for system in data.systems)
    elif isinstance(data, QaDataset):
        yield from _configured((arm.system, arm.configuration) for arm in data.arms)


def _qa_facts(manifest: QaManifest) -> Iterator[tuple[str, str]]:
    names = model_names(manifest.roles)
    yield "answering model", ", ".join(names[r.name] for r in manifest.roles if r.role == "answer") or MISSING
    yield "judges", ", ".join(names[r.name] for r in manifest.roles if r.role == "judge") or MISSING
    yield "budget of the block", count(manifest.budget)
    yield "prices", manifest.prices or MISSING
    yield "errata overlay", manifest.errata_sha256 or MISSING
    yield from ((f"text {name}", digest) for name, digest in sorted(manifest.prompts.items()))
    for role in manifest.roles:
        who = f"{role.role} {names[role.name]}"
        yield f"{who}: identity", role.identity
        yield from (
            (f"{who}: {key}", setting_text(key, value)) for key, value in sorted(role.requested.items())
        )


def _configured(systems: Iterable[tuple[str, Mapping[str, Setting]]]) -> Iterator[tuple[str, str]]:
    for name, configuration in systems:
        yield f"{name}: in the run", "yes"
        yield from (
            (f"{name}: {key}", setting_text(key, value)) for key, value in sorted(configuration.items())
        )
