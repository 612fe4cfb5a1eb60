"""The record of a study's report: all that its pages print, and nothing that they may not."""

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.study.figures.figures import figures
from truerecall.study.figures.records import Figures
from truerecall.study.folder import Finished
from truerecall.study.planned import Environment, Plan
from truerecall.study.records import Confirmed, Discarded
from truerecall.study.report.behind import Behind
from truerecall.study.report.places import shown


class StudyReport(Record):
    """``report.json``: all figures, with all that is needed to check them; the pages are laid out from it alone."""

    schema_version: int = 1
    kind: str = "study report"
    plan: Plan
    environment: Environment
    figures: Figures
    behind: Behind
    discarded: list[Discarded] = Field(description="Every attempt that does not count.")
    confirmed: list[Confirmed] = Field(description="Every suspected claim, with what a person said of it.")


def study_report(finished: Finished, behind: Behind) -> StudyReport:
    """The record, without addresses, secrets and folders of a machine."""
    whole = StudyReport(
        plan=finished.plan,
        environment=finished.environment,
        figures=figures(finished),
        behind=behind,
        discarded=finished.discarded,
        confirmed=finished.confirmed,
    )
    return StudyReport.model_validate(shown(whole.model_dump(mode="json")))
