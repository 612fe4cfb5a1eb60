"""Writing the report of a study, from its run folder alone."""

from pathlib import Path

from truerecall.bench.manifest import Record
from truerecall.bench.report.writing import write_all
from truerecall.study.figures.figures import figures
from truerecall.study.figures.records import Figures
from truerecall.study.folder import StudyRun, record_text
from truerecall.study.grade.claims import read_claims, write_claims
from truerecall.study.planned import Environment, Plan
from truerecall.study.report.outline import study_markdown, study_page

REPORT = "report"
"""The folder below the run's."""


class StudyReport(Record):
    """``report.json``: all figures, with all that is needed to check them."""

    schema_version: int = 1
    kind: str = "study report"
    plan: Plan
    environment: Environment
    figures: Figures


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
    report = StudyReport(plan=finished.plan, environment=finished.environment, figures=found)
    texts = {
        "report.md": study_markdown(finished, found),
        "report.json": record_text(report),
        "report.html": study_page(finished, found),
    }
    return write_all(run.folder / REPORT, texts)
