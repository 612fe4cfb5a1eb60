"""How a run folder stands, in a terminal: read at the edge, worded in ``terminal``."""

from truerecall.study.folder import StudyRun
from truerecall.study.grade.claims import read_claims
from truerecall.study.report.gathering import spent_by_graders, waiting_claims
from truerecall.study.report.terminal import audit_text, status_text, waiting_text


def status_of(run: StudyRun) -> str:
    """How far it is, what was spent by solver and graders, and whether claims wait for a person.

    Raises:
        StudyError: the folder holds no run, or a file of it is damaged.
        RunError: the store of what grading models answered is damaged.
    """
    finished = run.finished(read_claims(run))
    return status_text(finished, spent_by_graders(run, finished.plan), waiting_claims(run, finished))


def audit_of(run: StudyRun) -> str:
    """What was thrown out and denied, and the claims that wait for a person, by id and question.

    Raises:
        StudyError: the folder holds no run, or a file of it is damaged.
    """
    finished = run.finished(read_claims(run))
    return audit_text(finished, waiting_claims(run, finished))


def waiting_of(run: StudyRun) -> str:
    """The line about claims that wait for a person; empty where none does.

    Raises:
        StudyError: the folder holds no run, or a file of it is damaged.
    """
    return waiting_text(waiting_claims(run, run.finished(read_claims(run))))
