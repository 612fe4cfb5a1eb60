"""The head-to-head: each arm a retrieval run of its own over the same data, then one record of all.

::

    <out>/<name>/arm-…/           the retrieval run of one arm: goes on where it stopped
    <out>/<name>/conformance/     what the conformance test of each rival saw
    <out>/<name>/manifest.json    the head-to-head, written last

A rival that cannot be made, or breaks down, is skipped with the reason, and the others go on.
"""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter

from pydantic import ValidationError

from truerecall.bench.compare import ALPHA, DEFAULT_ROWS
from truerecall.bench.datasets.records import Dataset
from truerecall.bench.headtohead.arms import CONTROLS, Planned
from truerecall.bench.headtohead.comparing import against
from truerecall.bench.headtohead.figures import measured_arms
from truerecall.bench.headtohead.manifest import (
    CheckRow,
    HeadToHead,
    HeadToHeadDataset,
    Measured,
    Outcome,
    Skipped,
)
from truerecall.bench.keys import COUNTER, label
from truerecall.bench.manifest import Record, RetrievalManifest, manifest_json
from truerecall.bench.outputs import below, write_whole
from truerecall.bench.progress import Progress, Report
from truerecall.bench.provenance import provenance, without_paths
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.rivals.making import make_rival
from truerecall.bench.rivals.standing import check
from truerecall.bench.run import RunOptions
from truerecall.bench.systems.protocol import System
from truerecall.bench.systems.table import controls, create
from truerecall.core.clock import Clock
from truerecall.errors import InvalidSettings, ModelError, RunError, SystemFailed


@dataclass(frozen=True, slots=True)
class HeadToHeadOptions:
    """What a head-to-head is asked to do."""

    out: Path
    name: str
    seed: int = 0
    command: str = ""
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """One arm that was measured: where its run is, and what belongs beside its figures."""

    arm: Planned
    run: Path
    manifest: RetrievalManifest
    conformance: tuple[CheckRow, ...]
    load: float | None


class _Checks(Record):
    """What the conformance test of one configuration saw."""

    outcomes: list[CheckRow]


def run_head_to_head(
    datasets: Sequence[Dataset],
    arms: Sequence[Planned],
    options: HeadToHeadOptions,
    environment: Mapping[str, str],
    clock: Clock,
    progress: Report,
    timer: Callable[[], float] = perf_counter,
) -> HeadToHead:
    """Measure every arm that can be measured, compare ours with each rival, and write the record.

    Args:
        datasets: What is asked.
        arms: Of ``planned``.
        options: Where it is kept.
        environment: Where keys and the place of installed rivals are looked up.
        clock: Dates the record.
        progress: Told of every question, arm by arm.
        timer: Seconds that only rise.

    Raises:
        RunError: a run cannot start or go on.
        SystemFailed: one of ours broke down.
    """
    # Checked as a name before anything is made below it.
    RunOptions(options.out, options.name)
    made = provenance(clock, options.seed, "turn", COUNTER, options.command)
    options.out.mkdir(parents=True, exist_ok=True)
    place = below(options.out.resolve(), options.name)
    bench = _Bench(datasets, place, options, environment, clock, progress, timer)
    ran: list[Ran] = []
    skipped: list[Skipped] = []
    for arm in arms:
        outcome = bench.measure(arm)
        if isinstance(outcome, Ran):
            ran.append(outcome)
        else:
            skipped.append(outcome)
    manifest = HeadToHead(
        wiring_proof=any(one.manifest.wiring_proof for one in ran),
        provenance=made,
        rows=list(DEFAULT_ROWS),
        alpha=ALPHA,
        datasets=[_dataset(dataset, ran, skipped, arms) for dataset in datasets],
    )
    write_whole(place / "manifest.json", manifest_json(manifest))
    return manifest


class _Bench:
    """Measures arms, one after another."""

    def __init__(
        self,
        datasets: Sequence[Dataset],
        place: Path,
        options: HeadToHeadOptions,
        environment: Mapping[str, str],
        clock: Clock,
        progress: Report,
        timer: Callable[[], float],
    ) -> None:
        self._datasets = datasets
        self._place = place
        self._options = options
        self._environment = environment
        self._clock = clock
        self._progress = progress
        self._timer = timer

    def measure(self, arm: Planned) -> Ran | Skipped:
        """One arm; a rival is skipped where it cannot be made or breaks down."""
        if arm.system == CONTROLS:
            return self._ran(arm, controls(self._options.seed), ())
        if arm.side == "ours":
            try:
                return self._ran(arm, [create(arm.system, arm.options)], ())
            except ModelError as error:
                return _skipped(arm, arm.options.get("name", arm.system), error)
        try:
            system = (
                create(arm.system, arm.options)
                if arm.rival is None
                else make_rival(arm.rival, arm.options, self._environment)
            )
        except (InvalidSettings, ModelError, SystemFailed) as error:
            return _skipped(arm, arm.spec, error)
        try:
            return self._ran(arm, [system], self._conformance(arm, system))
        except (SystemFailed, RunError) as error:
            if isinstance(error, RunError) and error.where != system.name:
                raise
            return _skipped(arm, system.name, error)

    def _ran(self, arm: Planned, systems: Sequence[System], checks: tuple[CheckRow, ...]) -> Ran:
        load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
        options = RunOptions(
            self._place, arm.folder, command=self._options.command, cache=self._options.cache
        )
        manifest = run_retrieval(self._datasets, systems, options, self._clock, self._progress, self._timer)
        return Ran(arm, self._place / arm.folder, manifest, checks, load)

    def _conformance(self, arm: Planned, system: System) -> tuple[CheckRow, ...]:
        """The outcomes of an earlier run, or of the test made now; none for a command of somebody's own."""
        if arm.rival is None:
            return ()
        decides = repr(sorted(system.configuration.items()))
        kept = below(
            self._place, "conformance", f"{arm.folder}-{sha256(decides.encode()).hexdigest()[:12]}.json"
        )
        try:
            return tuple(_Checks.model_validate_json(kept.read_text(encoding="utf-8")).outcomes)
        except (FileNotFoundError, ValidationError):
            pass
        self._progress(Progress("ingest", 0, 0, None, "conformance test", system.name))
        with tempfile.TemporaryDirectory(prefix="truerecall-check-") as folder:
            checked = check(arm.rival, arm.options, self._environment, Path(folder))
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, _Checks(outcomes=list(checked.outcomes)).model_dump_json(indent=1))
        return checked.outcomes


def _skipped(
    arm: Planned, name: str, error: InvalidSettings | ModelError | SystemFailed | RunError
) -> Skipped:
    # The place is left out: it may be a path of this machine, as what a process said may hold one.
    reason = f"{without_paths(error.problem)}. {error.remedy}"
    return Skipped(**arm.known(name).model_dump(), reason=" ".join(reason.split()))


def _dataset(
    dataset: Dataset, ran: Sequence[Ran], skipped: Sequence[Skipped], arms: Sequence[Planned]
) -> HeadToHeadDataset:
    measured: list[Measured] = [one for each in ran for one in measured_arms(each, label(dataset))]
    order = {arm.spec: place for place, arm in enumerate(arms)}
    outcomes: list[Outcome] = sorted([*measured, *skipped], key=lambda arm: order[arm.spec])
    told = next(
        result
        for each in ran
        for result in each.manifest.datasets
        if f"{result.name}:{result.variant}" == label(dataset)
    )
    return HeadToHeadDataset(
        **told.model_dump(include=set(HeadToHeadDataset.model_fields) - {"arms", "against"}),
        arms=outcomes,
        against=against(dataset, ran),
    )
