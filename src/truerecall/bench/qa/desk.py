"""Where models are asked from: a run's folder, the stage store, the purse, and the judges' calibration."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from truerecall.bench.outputs import below
from truerecall.bench.progress import Report
from truerecall.bench.qa import calibration
from truerecall.bench.qa.calling import Caller, Due, Terms
from truerecall.bench.qa.manifest import Calibration
from truerecall.bench.qa.options import QaOptions
from truerecall.bench.qa.plan import Planned
from truerecall.bench.qa.records import Called, Stage
from truerecall.bench.qa.roles import name_of
from truerecall.bench.qa.spending import Purse, Tokens, tokens_at_most
from truerecall.bench.qa.stages import STAGES, StageStore
from truerecall.bench.run import RunFolder
from truerecall.errors import RunError
from truerecall.models.protocols import ChatModel


@dataclass(frozen=True, slots=True)
class Desk:
    """All that asking takes, for one run."""

    folder: RunFolder
    store: StageStore
    purse: Purse
    caller: Caller
    lost: int
    """Calls that earlier processes of this run began and never kept."""
    report: Report
    """Told how far the run is."""

    @classmethod
    @contextmanager
    def opened(
        cls,
        options: QaOptions,
        plan: str,
        models: Mapping[str, ChatModel],
        progress: Report,
        timer: Callable[[], float],
    ) -> Iterator["Desk"]:
        """For this process alone; ``plan`` is what the run is, ``models`` are all that it may ask, by name.

        Raises:
            RunError: the folder holds another run, another process works on it, or a file cannot be used.
        """
        with RunFolder.opened(options.out, options.name, plan) as folder:
            store = StageStore(below(folder.out, STAGES), options.unsaid)
            try:
                purse = Purse(models, options.prices.of, options.max_cost)
                terms = Terms(
                    store,
                    options.name,
                    purse,
                    jobs=options.jobs,
                    retry_failed=options.retry_failed,
                    report=progress,
                    unsaid=options.unsaid,
                    timer=timer,
                )
                yield cls(folder, store, purse, Caller(terms), store.lost(options.name), progress)
            finally:
                store.close()

    def planned(self, stage: Stage, model: ChatModel, dues: Iterable[Due]) -> Planned:
        """What these calls take at most."""
        wanted = {due.key: due for due in dues}
        name = name_of(model)
        asked = self.caller.waiting(wanted)
        tokens = [
            Tokens(tokens_at_most(model, wanted[key].tokens), model.parameters.max_tokens)
            for key in sorted(asked)
        ]
        costs = [self.purse.cost(name, one) for one in tokens]
        known = [cost for cost in costs if cost is not None]
        return Planned(
            stage=stage,
            model=name,
            calls=len(asked),
            stored=len(wanted) - len(asked),
            tokens_in=sum(one.sent for one in tokens),
            tokens_out=sum(one.answered for one in tokens),
            cost=sum(known) if len(known) == len(costs) else None,
            free=model.free,
        )

    def result(self, key: str) -> Called:
        """What came of a call that was made; ``RunError`` where the store has lost it."""
        called = self.store.called(key)
        if called is None:
            raise RunError("a result vanished from the stage store", remedy="Run the same command again.")
        return called

    def calibration(self, judge: ChatModel, dues: Sequence[Due]) -> Calibration | None:
        """How a judge did, out of what is stored; None where an item was not asked."""
        called = [self.store.called(due.key) for due in dues]
        whole = [one for one in called if one is not None]
        return calibration.outcome(name_of(judge), whole) if len(whole) == len(called) else None
