"""Writing the report of a study, from its run folder alone."""

from collections.abc import Mapping
from pathlib import Path

from truerecall.bench.report.writing import write_all
from truerecall.study.folder import StudyRun, record_text
from truerecall.study.grade.claims import read_claims, write_claims
from truerecall.study.report.gathering import gather
from truerecall.study.report.outline import study_markdown, study_page
from truerecall.study.report.record import StudyReport, study_report

REPORT = "report"
"""The folder below the run's."""


def write_report(run: StudyRun) -> list[Path]:
    """Write ``report/report.md``, ``report.json`` and ``report.html``; the same folder gives the same bytes.

    Suspected claims are written to ``claims.toml`` for a person to confirm; what somebody wrote there counts.

    Raises:
        StudyError: the folder holds no run, or a file of it is damaged.
        RunError: the report cannot be written.
    """
    write_claims(run)
    finished = run.finished(read_claims(run))
    return write_all(run.folder / REPORT, report_texts(study_report(finished, gather(run, finished))))


def report_texts(report: StudyReport) -> Mapping[str, str]:
    """The three forms of a report, by the names of their files."""
    return {
        "report.md": study_markdown(report),
        "report.json": record_text(report),
        "report.html": study_page(report),
    }
