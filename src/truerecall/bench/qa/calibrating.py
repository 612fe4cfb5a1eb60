"""Trying judges on answers whose verdict is known, apart from any run; its results serve every later run."""

import json
from collections.abc import Callable, Sequence
from time import perf_counter

from truerecall.bench.outputs import write_whole
from truerecall.bench.progress import Report
from truerecall.bench.provenance import HARNESS
from truerecall.bench.qa import calibration
from truerecall.bench.qa.desk import Desk
from truerecall.bench.qa.dues import calibration_dues
from truerecall.bench.qa.manifest import Calibration
from truerecall.bench.qa.options import QaOptions
from truerecall.bench.qa.plan import Plan
from truerecall.bench.qa.roles import name_of, requested
from truerecall.errors import InvalidInput
from truerecall.models.protocols import ChatModel


def calibrate(
    judges: Sequence[ChatModel],
    options: QaOptions,
    progress: Report,
    timer: Callable[[], float] = perf_counter,
    announce: Callable[[Plan], None] = lambda plan: None,
) -> list[Calibration]:
    """How each judge does; the run's folder then holds ``calibrations.json``.

    Raises:
        InvalidInput: two judges of one name, or the costs are above their limit, or not known.
        RunError: it cannot start or go on; what was answered is kept.
    """
    models = {name_of(judge): judge for judge in judges}
    if len(models) < len(judges):
        raise InvalidInput(
            f"two judges of one name among {', '.join(map(name_of, judges))}", remedy="Name each once."
        )
    with Desk.opened(options, calibrate_plan(judges, options), models, progress, timer) as desk:
        dues = {name: calibration_dues(judge, options.rubrics) for name, judge in models.items()}
        stages = [desk.planned("calibrate", judge, dues[name]) for name, judge in models.items()]
        plan = Plan(tuple(stages), desk.lost)
        announce(plan)
        plan.check(options.max_cost, unknown_price=options.unknown_price)
        for name, judge in models.items():
            desk.caller.ask("calibrate", judge, dues[name])
        found = [desk.calibration(judge, dues[name]) for name, judge in models.items()]
        whole = [one for one in found if one is not None]
        text = json.dumps([one.model_dump(mode="json") for one in whole], indent=2, sort_keys=True)
        write_whole(desk.folder.path / "calibrations.json", text + "\n")
        desk.folder.work.rmdir()
    return whole


def calibrate_plan(judges: Sequence[ChatModel], options: QaOptions) -> str:
    """What is tried, as JSON: something else may not go on in its folder."""
    planned = {
        "harness": HARNESS,
        "kind": "calibrate",
        "items": calibration.items_sha256(),
        "rubrics": options.rubrics.digests(),
        "judges": [
            {"name": name_of(judge), "identity": judge.identity, "parameters": requested(judge)}
            for judge in judges
        ],
    }
    return json.dumps(planned, indent=1, sort_keys=True) + "\n"
