"""Who vouches for the keys of a question, and for which of its bytes: a later edit makes an approval void."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from truerecall.bench.outputs import write_whole
from truerecall.core.clock import Clock, aware, isoformat
from truerecall.errors import InvalidInput, StudyError
from truerecall.memory.write.mask import mask
from truerecall.study.design import Approval, KeyFact, Question, Study
from truerecall.study.files.questions import APPROVED
from truerecall.study.files.reading import QUESTIONS
from truerecall.study.files.writing import approval_text
from truerecall.study.keys.selecting import chosen

_FORM = 1
"""Of what is hashed; another one makes every approval void."""


@dataclass(frozen=True, slots=True)
class Approved:
    """What became of one question."""

    question: str
    state: Literal[
        "approved",  # for the first time
        "renewed",  # it was changed since it was approved
        "kept",  # it is approved as it is, and its approval stays
    ]
    approval: Approval


def approved_digest(question: Question) -> str:
    """Sha256 over all that an approval covers: texts, time, commits, sessions, and both keys with their places."""
    covered: dict[str, Any] = {
        "form": _FORM,
        "text": question.text,
        "request": question.request,
        "asked_at": isoformat(question.asked_at),
        "control": question.control,
        "checkouts": [[checkout.repository, checkout.commit] for checkout in question.checkouts],
        "sessions": list(question.sessions),
        "session_key": _facts(question.session_key),
        "truth_key": _facts(question.truth_key),
    }
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()


def is_approved(question: Question) -> bool:
    """Whether it is approved as it stands now."""
    return question.approval is not None and question.approval.sha256 == approved_digest(question)


def approve(study: Study, ids: Sequence[str], by: str, clock: Clock) -> list[Approved]:
    """Write ``approved.toml`` of these questions, or of all where none is named.

    Args:
        study: As it was just read: what is approved is what was read.
        ids: Of questions.
        by: Who vouches.
        clock: Says when.

    Raises:
        InvalidInput: ``by`` is no name, or there is no question of an id.
        StudyError: A question is not finished, and then none is approved.
    """
    if not by.strip() or "\n" in by or mask(by).count:
        raise InvalidInput("the approval names nobody", where="by", remedy="Say who vouches for the keys.")
    questions = chosen(study, ids)
    for question in questions:
        _refuse_unfinished(study, question)
    return [_approved(study, question, by.strip(), clock) for question in questions]


def require_approved(study: Study) -> None:
    """``StudyError`` unless every question is approved as it stands: it names each that is not, and what to do."""
    missing = [question.id for question in study.questions if question.approval is None]
    changed = [question.id for question in study.questions if question.approval and not is_approved(question)]
    if not missing and not changed:
        return
    told = [
        f"{what}: {', '.join(ids)}"
        for what, ids in (("not approved", missing), ("changed since they were approved", changed))
        if ids
    ]
    raise StudyError(
        f"the keys are not approved as they stand; {'; '.join(told)}",
        where=str(study.folder / QUESTIONS),
        remedy=f"Look at them: `truerecall study keys check {study.folder}`; then `truerecall study keys approve "
        f"{study.folder} {' '.join([*missing, *changed])} --by NAME`.",
    )


def _approved(study: Study, question: Question, by: str, clock: Clock) -> Approved:
    if question.approval is not None and is_approved(question):
        return Approved(question.id, "kept", question.approval)
    approval = Approval(by, aware(clock(), "now").replace(microsecond=0), approved_digest(question))
    path = _folder(study, question) / APPROVED
    try:
        write_whole(path, approval_text(approval))
    except OSError as error:
        raise StudyError(
            f"the approval cannot be written: {error.strerror}",
            where=str(path),
            remedy="Make its folder writable.",
        ) from None
    return Approved(question.id, "approved" if question.approval is None else "renewed", approval)


def _refuse_unfinished(study: Study, question: Question) -> None:
    lacking = [
        what
        for what, there in (("commit", question.checkouts), ("truth key", question.truth_key))
        if not there
    ]
    if lacking:
        raise StudyError(
            f"the question {question.id} has no {' and no '.join(lacking)} yet",
            where=str(_folder(study, question)),
            remedy="Finish it first; `truerecall study keys check` says what is missing. Nothing was approved.",
        )


def _folder(study: Study, question: Question) -> Path:
    return study.folder / QUESTIONS / question.id


def _facts(facts: Iterable[KeyFact]) -> list[list[Any]]:
    return [[fact.text, str(fact.place), fact.wrong] for fact in facts]
