"""Writing the report of a study, from its run folder alone."""

from pathlib import Path

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.bench.report.writing import write_all
from truerecall.study.figures.figures import figures
from truerecall.study.figures.records import Figures
from truerecall.study.folder import Finished, StudyRun, record_text
from truerecall.study.grade.claims import read_claims, write_claims
from truerecall.study.planned import Environment, Plan
from truerecall.study.records import Confirmed, Discarded
from truerecall.study.report.behind import Behind
from truerecall.study.report.gathering import gather
from truerecall.study.report.outline import study_markdown, study_page
from truerecall.study.report.places import shown

REPORT = "report"
"""The folder below the run's."""


class StudyReport(Record):
    """``report.json``: all figures, with all that is needed to check them."""

    schema_version: int = 1
    kind: str = "study report"
    plan: Plan
    environment: Environment
    figures: Figures
    behind: Behind
    discarded: list[Discarded] = Field(description="Every attempt that does not count.")
    confirmed: list[Confirmed] = Field(description="Every suspected claim, with what a person said of it.")


def study_report(finished: Finished, found: Figures, behind: Behind) -> StudyReport:
    """What ``report.json`` holds: without addresses, secrets and folders of a machine."""
    whole = StudyReport(
        plan=finished.plan,
        environment=finished.environment,
        figures=found,
        behind=behind,
        discarded=finished.discarded,
        confirmed=finished.confirmed,
    )
    return StudyReport.model_validate(shown(whole.model_dump(mode="json")))


def write_report(run: StudyRun) -> list[Path]:
    """Write ``report/report.md``, ``report.json`` and ``report.html``; the same folder gives the same bytes.

    Suspected claims are written to ``claims.toml`` for a person to confirm; what somebody wrote there counts.

    Raises:
        StudyError: the folder holds no run, or a file of it is damaged.
        RunError: the report cannot be written.
    """
    write_claims(run)
    finished = run.finished(read_claims(run))
    found = figures(finished)
    behind = gather(run, finished)
    texts = {
        "report.md": study_markdown(finished, found, behind),
        "report.json": record_text(study_report(finished, found, behind)),
        "report.html": study_page(finished, found, behind),
    }
    return write_all(run.folder / REPORT, texts)
