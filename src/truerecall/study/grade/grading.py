"""Grading one answer: blind, the truth key, the session key, for a fifth of the answers the truth key once more."""

import json
from hashlib import sha256

from truerecall.study.blind.blinding import blind
from truerecall.study.blind.guarded import guarded_values
from truerecall.study.grade.asking import Asker
from truerecall.study.grade.marking import TRIES, is_left_out, mark, marked
from truerecall.study.grade.unwrapping import unwrapped
from truerecall.study.planned import PlannedQuestion, PlannedRun
from truerecall.study.records import Graded, Marking

ONE_OF = 5
"""One of so many answers is marked twice."""


def grade(
    answer: str,
    question: PlannedQuestion,
    exchange: int,
    followups: int,
    asker: Asker,
    rules_only: bool,
    twice: bool,
) -> Graded:
    """What grading says of an answer; whose it is nobody is told who grades.

    Args:
        answer: As the solver gave it.
        question: With its keys.
        exchange: Which exchange gave it, from 0.
        followups: Follow-ups before it.
        asker: Asks rewriter and judge.
        rules_only: Blind by the rules alone, without a model.
        twice: Whether the truth key is marked a second time.

    Raises:
        ChatRefused: a model would answer no further call.
        RunError: the limit of the costs is reached, or call after call fails.
    """
    blinded = blind(answer, question.text, guarded_values(question), None if rules_only else asker)
    found = marked(blinded.text, question, "truth", asker)
    return Graded(
        exchange=exchange,
        followups=followups,
        blinded=blinded,
        truth=found.marking,
        session=mark(blinded.text, question, "session", asker) if question.session_key else None,
        second=mark(blinded.text, question, "truth", asker, first_sample=TRIES) if twice else None,
        suspects=list(found.suspects),
        dropped_suspects=found.dropped,
    )


def has_gaps(graded: Graded) -> bool:
    """Whether failed calls left marks out, or a suspect that was to be checked unchecked."""
    unchecked = any(one.checker == "not checked" and one.calls for one in graded.suspects)
    return unchecked or any(map(is_left_out, (graded.truth, graded.session, graded.second)))


def with_gaps_filled(graded: Graded, question: PlannedQuestion, asker: Asker) -> Graded:
    """The same with the marks asked for again that failed calls left out; suspects are not checked here.

    Args:
        graded: What grading said of an answer.
        question: With its keys.
        asker: Asks the judge.

    Raises:
        ChatRefused: a model would answer no further call.
        RunError: the limit of the costs is reached, or call after call fails.
    """
    text = graded.blinded.text
    filled = graded
    if is_left_out(graded.truth):
        found = marked(text, question, "truth", asker)
        filled = filled.model_copy(
            update={
                "truth": found.marking,
                "suspects": list(found.suspects),
                "dropped_suspects": found.dropped,
            }
        )
    if is_left_out(graded.session):
        filled = filled.model_copy(update={"session": mark(text, question, "session", asker)})
    if is_left_out(graded.second):
        second = mark(text, question, "truth", asker, first_sample=TRIES)
        filled = filled.model_copy(update={"second": second})
    return filled


def twice(seed: int, run: PlannedRun, followups: int) -> bool:
    """Whether the answer after so many follow-ups is marked twice: one of five, by a hash.

    The side is not in the hash, so that of every side the same repeats are taken: no side is looked at more closely
    than another, and its name decides nothing. The same answers are taken whenever the study is run with this seed.
    """
    told = json.dumps([seed, run.question, run.repeat, followups])
    return int.from_bytes(sha256(told.encode("ascii")).digest()[:8], "big") % ONE_OF == 0


def mark_block(block: str, question: PlannedQuestion, asker: Asker, marker: str = "") -> Marking | None:
    """The session key on what a memory put before the model; None where it put nothing, or nothing was concluded.

    Args:
        block: As it was injected; what names a product in a block of our own is left out first.
        question: With its session key.
        asker: Asks the judge.
        marker: What the side puts into everything that it injects, left out likewise.
    """
    if not block.strip() or not question.session_key:
        return None
    return mark(unwrapped(block, marker), question, "session", asker)
