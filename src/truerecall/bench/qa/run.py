"""The accuracy run: recall, answer, judge, and the figures. Each result is kept before anything stands on it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from time import perf_counter

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.embedding import cached_embedders
from truerecall.bench.held_out import log_held_out
from truerecall.bench.ingesting import Ingesting
from truerecall.bench.keys import COUNTER, TOY, embedder_of, label
from truerecall.bench.manifest import Provenance
from truerecall.bench.progress import Report, Watch
from truerecall.bench.provenance import provenance
from truerecall.bench.qa.aggregate import ArmFacts, RunFacts, qa_dataset
from truerecall.bench.qa.calling import Due
from truerecall.bench.qa.contexts import Posed, Recalling
from truerecall.bench.qa.desk import Desk
from truerecall.bench.qa.dues import Answering, Dues, Judging, calibration_dues
from truerecall.bench.qa.folder import qa_rows_text
from truerecall.bench.qa.inputs import check_inputs
from truerecall.bench.qa.manifest import Calibration, Calls, QaDataset, QaManifest, Role, Sample
from truerecall.bench.qa.options import Models, QaOptions, qa_plan
from truerecall.bench.qa.plan import Plan
from truerecall.bench.qa.prompting import prompts_digest
from truerecall.bench.qa.records import Called, Judged, QaRow, Stage
from truerecall.bench.qa.roles import is_toy, name_of, role_of
from truerecall.bench.qa.sampling import draw
from truerecall.bench.qa.stamping import proves_wiring, stamps
from truerecall.bench.qa.verdict import parse_verdict
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.protocol import System, tuning_of
from truerecall.bench.systems.shelf import Shelf
from truerecall.core.clock import Clock
from truerecall.errors import InvalidInput, JudgeRefused
from truerecall.models.protocols import ChatModel

_STAGES: tuple[Stage, ...] = ("recall", "calibrate", "answer", "judge")


def run_qa(
    datasets: Sequence[Dataset],
    systems: Sequence[System],
    models: Models,
    options: QaOptions,
    clock: Clock,
    progress: Report,
    timer: Callable[[], float] = perf_counter,
    announce: Callable[[Plan], None] = lambda plan: None,
) -> QaManifest:
    """Measure, or go on where a stopped run of the same name left off; the folder then holds rows and manifest.

    Args:
        datasets: What is asked; each by its own name and variant.
        systems: Whose memory answers, the controls among them; each under its own name.
        models: Who answers, and at least two judges.
        options: Where it is kept, and what is asked.
        clock: Dates the manifest.
        progress: Told of every recall and every call.
        timer: Seconds that only rise.
        announce: Told what is about to be asked, before the first call.

    Raises:
        InvalidInput: the costs are above their limit, or not known.
        JudgeRefused: a judge accepts wrong answers or refuses right ones too often; no answer was asked for.
        ChatRefused: a model lets nobody in.
        RunError: the run cannot start or go on; what was answered is kept.
        SystemFailed: a system broke the protocol.
    """
    with _prepared(datasets, systems, models, options, clock, progress, timer) as run:
        plan = run.plan()
        announce(plan)
        try:
            plan.check(options.max_cost, unknown_price=options.unknown_price)
        except InvalidInput:
            run.give_back()
            raise
        return run.finished()


def plan_qa(
    datasets: Sequence[Dataset],
    systems: Sequence[System],
    models: Models,
    options: QaOptions,
    clock: Clock,
    progress: Report,
    timer: Callable[[], float] = perf_counter,
) -> Plan:
    """What a run would ask and what that costs at most; memories are asked, models are not."""
    with _prepared(datasets, systems, models, options, clock, progress, timer) as run:
        plan = run.plan()
        run.give_back()
    return plan


@contextmanager
def _prepared(
    datasets: Sequence[Dataset],
    systems: Sequence[System],
    models: Models,
    options: QaOptions,
    clock: Clock,
    progress: Report,
    timer: Callable[[], float],
) -> Iterator["_Run"]:
    """The run with every context recalled."""
    check_inputs(datasets, systems, options)
    # Before anything is measured: by the end of a long run the checkout may be at another commit.
    made = provenance(clock, options.seed, options.granularity, COUNTER, options.command)
    drawn = {label(dataset): draw(dataset, options.drawing, options.seed) for dataset in datasets}
    plan = qa_plan(datasets, systems, models, options)
    with Desk.opened(options, plan, models.by_name, progress, timer) as desk:
        log_held_out(desk.folder.out, datasets, systems, made)
        posed = _posed(desk, datasets, systems, drawn, options, (progress, timer))
        samples = {name: sample for name, (_, sample) in drawn.items()}
        yield _Run(desk, models, options, datasets, systems, posed, samples, made)


def _posed(
    desk: Desk,
    datasets: Sequence[Dataset],
    systems: Sequence[System],
    drawn: Mapping[str, tuple[frozenset[str], Sample | None]],
    options: QaOptions,
    watched: tuple[Report, Callable[[], float]],
) -> list[Posed]:
    """Every question to every system: recalled now, or by an earlier process."""
    progress, timer = watched
    total = sum(len(chosen) for chosen, _ in drawn.values()) * len(systems)
    with cached_embedders(systems, desk.folder.vectors(options.cache), timer) as embedders:
        watch = Watch(progress, timer, total, embedders.values())
        for embedder in embedders.values():
            embedder.on_computed = watch.again
        ingesting = Ingesting(desk.folder, embedders, timer)
        recalling = Recalling(desk.store, ingesting, options.ruler, options.granularity, watch, timer)
        posed = [one for data in datasets for one in recalling.posed(data, systems, drawn[label(data)][0])]
    watch.tell("done")
    desk.caller.made["recall"] = recalling.made
    desk.caller.reused["recall"] = recalling.reused
    return posed


class _Run:
    """A run whose contexts are there."""

    def __init__(
        self,
        desk: Desk,
        models: Models,
        options: QaOptions,
        datasets: Sequence[Dataset],
        systems: Sequence[System],
        posed: Sequence[Posed],
        samples: Mapping[str, Sample | None],
        made: Provenance,
    ) -> None:
        self._desk = desk
        self._models = models
        self._options = options
        self._datasets = datasets
        self._systems = systems
        self._samples = samples
        self._made = made
        self._dues = Dues(desk.store, models.answer, options.rubrics, options.errata)
        self._calibrations = {
            name_of(judge): calibration_dues(judge, options.rubrics) for judge in models.judges
        }
        self._answering, self._answers = self._dues.answers(posed, desk.report)

    def plan(self) -> Plan:
        """What is to be asked, and what that takes at most."""
        planned = self._desk.planned
        stages = []
        if not self._options.uncalibrated:
            stages += [planned("calibrate", j, self._calibrations[name_of(j)]) for j in self._models.judges]
        stages.append(planned("answer", self._models.answer, self._answers))
        stages += [planned("judge", judge, self._expected(judge)) for judge in self._models.judges]
        return Plan(tuple(stages), self._desk.lost)

    def give_back(self) -> None:
        """Free the name of a run that is only planned: the next one may ask something else under it."""
        self._desk.folder.give_back()

    def finished(self) -> QaManifest:
        """Ask what is to be asked, and keep the figures."""
        calibrations = self._calibrated()
        self._desk.caller.ask("answer", self._models.answer, self._answers)
        judged = {name_of(judge): self._judge(judge) for judge in self._models.judges}
        rows = [
            self._row(one, {name: found[at] for name, found in judged.items()})
            for at, one in enumerate(self._answering)
        ]
        text = qa_rows_text(rows)
        manifest = self._manifest(rows, calibrations, sha256(text.encode("utf-8")).hexdigest())
        self._desk.folder.finish(text, manifest)
        return manifest

    def _expected(self, judge: ChatModel) -> Iterator[Due]:
        """What a judge is to be asked: of answers that are not there yet, of one as long as it may get."""
        waiting = self._desk.caller.waiting(due.key for due in self._answers)
        for one in self._answering:
            called = None if one.key in waiting else self._desk.result(one.key)
            if called is None:
                for due in self._dues.unanswered(judge, one.posed):
                    # Of each answer to come a call of its own, but of one answer to two systems only one.
                    yield replace(due, key=f"{one.key} {due.key}")
            elif called.failure is None:
                yield from (j.due for j in self._dues.verdicts(judge, one.posed, called.text))

    def _calibrated(self) -> list[Calibration]:
        """Each judge's trial, before any answer is paid for; without what was not asked under ``uncalibrated``."""
        found = []
        for judge in self._models.judges:
            dues = self._calibrations[name_of(judge)]
            if not self._options.uncalibrated:
                self._desk.caller.ask("calibrate", judge, dues)
            calibration = self._desk.calibration(judge, dues)
            if calibration is not None:
                found.append(calibration)
                if self._options.uncalibrated:
                    self._desk.caller.reused["calibrate"] += len(dues)
        refused = [calibration for calibration in found if not calibration.passed]
        if refused and not self._options.uncalibrated:
            raise refusal(refused)
        return found

    def _judge(self, judge: ChatModel) -> list[list[Judging]]:
        """A judge's calls about each answer; none about what was not answered."""
        judged = []
        for one in self._answering:
            called = self._desk.result(one.key)
            answered = called.failure is None
            judged.append(list(self._dues.verdicts(judge, one.posed, called.text)) if answered else [])
        self._desk.caller.ask("judge", judge, [judging.due for own in judged for judging in own])
        return judged

    def _row(self, one: Answering, judged: Mapping[str, Sequence[Judging]]) -> QaRow:
        posed, called = one.posed, self._desk.result(one.key)
        question = posed.question
        answered = called.failure is None
        own: dict[str, Judged] = {}
        corrected: dict[str, Judged] = {}
        for judge, found in judged.items():
            if not answered:
                own[judge] = Judged(verdict="failed")
            for judging in found:
                (corrected if judging.corrected else own)[judge] = self._verdict(judging.due.key)
        errata = self._options.errata
        wrong = errata is not None and errata.of(question.id) is not None
        if wrong and not answered and errata is not None and errata.gold(question.id) is not None:
            corrected = dict(own)
        return QaRow(
            dataset=label(posed.dataset),
            conversation=posed.conversation,
            question=question.id,
            type=question.type,
            abstention=question.abstention,
            system=posed.system,
            outcome="answered" if answered else "failed",
            cut=called.cut,
            answer=called.text,
            answer_key=one.key,
            context_sha256=posed.sha256,
            context_tokens=posed.tokens,
            gold_recalled=posed.gold_recalled,
            verdicts=own,
            errata=wrong,
            errata_verdicts=corrected,
            ms_recall=posed.ms,
            ms_answer=called.ms if answered else None,
            tokens_in=called.tokens_in,
            tokens_out=called.tokens_out,
        )

    def _verdict(self, key: str) -> Judged:
        called = self._desk.result(key)
        if called.failure is not None:
            return Judged(verdict="failed", key=key)
        return Judged(verdict=parse_verdict(called.text, called.finish_reason), key=key, ms=called.ms)

    def _manifest(
        self, rows: Sequence[QaRow], calibrations: Sequence[Calibration], digest: str
    ) -> QaManifest:
        options, desk = self._options, self._desk
        called = {key: desk.result(key) for key in _keys(rows)}
        roles = self._roles(rows, called)
        facts = RunFacts(
            answer=roles[0],
            judges=roles[1:],
            called=called,
            pricing=options.prices.of,
            priced_on=options.prices.dated,
            free=[name for name, model in self._models.by_name.items() if model.free],
            errata=options.errata,
            seed=options.seed,
            not_measured=options.not_measured,
            ablated=options.ablated,
        )
        datasets = [self._dataset(dataset, rows, facts) for dataset in self._datasets]
        return QaManifest(
            wiring_proof=proves_wiring(datasets, roles[1:], calibrations, toy=self._toy),
            stamps=stamps(datasets, roles[1:], calibrations),
            provenance=self._made,
            roles=roles,
            budget=options.budget,
            prompts=prompts_digest() | options.rubrics.digests(),
            calibrations=list(calibrations),
            errata_sha256=options.errata.sha256 if options.errata else "",
            prices=f"{options.prices.dated} {options.prices.sha256}",
            calls=Calls(
                made={stage: desk.caller.made[stage] for stage in _STAGES},
                reused={stage: desk.caller.reused[stage] for stage in _STAGES},
                asked_again=self._asked_again(called),
                lost=desk.lost,
            ),
            ablated=options.ablated,
            rows_sha256=digest,
            datasets=datasets,
        )

    def _asked_again(self, called: Mapping[str, Called]) -> int:
        """Of answers, verdicts and trials alike: making the tables anew must not hide it."""
        tried = [self._desk.store.called(due.key) for dues in self._calibrations.values() for due in dues]
        return sum(one.again for one in (*called.values(), *tried) if one is not None)

    def _roles(self, rows: Sequence[QaRow], called: Mapping[str, Called]) -> list[Role]:
        """The answering model, then each judge, with what its calls tell of it."""
        answered = dict.fromkeys(row.answer_key for row in rows)
        roles = [role_of("answer", self._models.answer, [called[key] for key in answered])]
        for judge in self._models.judges:
            name = name_of(judge)
            own = [row.verdicts[name].key for row in rows if name in row.verdicts]
            roles.append(role_of("judge", judge, [called[key] for key in dict.fromkeys(own) if key]))
        return roles

    def _dataset(self, dataset: Dataset, rows: Sequence[QaRow], facts: RunFacts) -> QaDataset:
        arms = [
            ArmFacts(system.name, system.configuration, tuning_of(system), is_control(system))
            for system in self._systems
        ]
        own = [row for row in rows if row.dataset == label(dataset)]
        return qa_dataset(dataset, self._samples[label(dataset)], own, arms, facts)

    @property
    def _toy(self) -> bool:
        """Whether a model or an embedder is in use whose figures say nothing."""
        return (
            self._options.wiring_proof
            or any(is_toy(model) for model in self._models.by_name.values())
            or any(embedder_of(system).startswith(TOY) for system in self._systems)
        )


def refusal(calibrations: Sequence[Calibration]) -> JudgeRefused:
    """What is raised for judges that did not pass."""
    found = [
        f"{own.judge} (refuses {own.false_rejects} of {own.right} right answers, accepts {own.false_accepts} of"
        f" {own.wrong} wrong ones, {own.invalid} verdicts that cannot be read, {own.failed} failed calls)"
        for own in calibrations
    ]
    return JudgeRefused(
        f"not fit to judge: {'; '.join(found)}",
        remedy="Take another judge, or --uncalibrated, which marks every page as a wiring proof"
        + (
            ", or --retry-failed, which asks again what failed."
            if any(one.failed for one in calibrations)
            else "."
        ),
    )


def is_control(system: System) -> bool:
    """Whether a system is there to be held against, and not to be praised."""
    return isinstance(system, (Shelf, Bm25))


def _keys(rows: Sequence[QaRow]) -> Iterator[str]:
    """Of every call that rows stand on."""
    for row in rows:
        yield row.answer_key
        yield from (j.key for own in (row.verdicts, row.errata_verdicts) for j in own.values() if j.key)
