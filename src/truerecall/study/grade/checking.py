"""Holding suspected claims against the code at the commit; what is said here, a person still has to confirm."""

import re
from typing import Literal, get_args

from truerecall.models.protocols import ChatMessage
from truerecall.study.grade.asking import Asker
from truerecall.study.grade.citing import Shown, shown
from truerecall.study.grade.code import Code, Sources
from truerecall.study.grade.marking import TRIES
from truerecall.study.grade.objects import objects_with, text_of
from truerecall.study.grade.prompting import laid_out, prompt
from truerecall.study.grade.quoting import QuotedText
from truerecall.study.planned import PlannedQuestion
from truerecall.study.records import Graded, Suspect

Said = Literal["wrong", "right", "cannot tell"]

_NUMBERED = re.compile(r"^[ \t]*\d+(?:  |: ?|\| ?)", re.MULTILINE)


def checked(graded: Graded, question: PlannedQuestion, sources: Sources, asker: Asker) -> Graded:
    """The same with every suspect held against the code of the question.

    A claim that points to no code which is there remains ``not checked``, and nobody is asked; so does one for which
    the call of the checker fails.

    Args:
        graded: What grading said of an answer.
        question: Says which commits.
        sources: Where its repositories are.
        asker: Asks the checker, which is told the claim and the lines, and nothing else.

    Raises:
        ChatRefused: the checker would answer no further call.
        RunError: the limit of the costs is reached, or call after call fails.
        StudyError: git cannot be asked.
    """
    if not graded.suspects:
        return graded
    code = Code(question, sources)
    suspects = [_checked(one, graded.blinded.text, code, asker) for one in graded.suspects]
    return graded.model_copy(update={"suspects": suspects})


def checker_messages(claim: str, code: str) -> tuple[ChatMessage, ...]:
    """What the checker is told."""
    return (
        ChatMessage("system", prompt("checking")),
        ChatMessage("user", laid_out({"Claim": claim, "Code": code})),
    )


def _checked(suspect: Suspect, answer: str, code: Code, asker: Asker) -> Suspect:
    lines = shown(suspect.quote, suspect.why, answer, code)
    if not lines.text:
        return suspect.model_copy(update={"checker": "not checked", "shown": ""})
    said, calls = _said(suspect.quote, lines, asker)
    return suspect.model_copy(update={"checker": said, "shown": lines.text, "calls": calls})


def _said(
    claim: str, lines: Shown, asker: Asker
) -> tuple[Literal["wrong", "right", "cannot tell", "not checked"], list[str]]:
    """The checker's word, which has a line of the code for it, and the keys of its calls."""
    messages, code, calls = checker_messages(claim, lines.text), QuotedText(lines.code), []
    for sample in range(TRIES):
        call, called = asker.ask("checker", messages, sample)
        calls.append(call)
        if called.failure is not None:  # it was made again already
            return "not checked", calls
        said = read_check(called.text, code)
        if said is not None:
            return said, calls
    return "cannot tell", calls


def read_check(reply: str, code: QuotedText) -> Said | None:
    """The verdict of a checker's reply, whatever it is; None where it has none, or no line of the code for it."""
    found = objects_with("verdict", reply)
    word = " ".join(text_of(found[0]["verdict"]).casefold().split()) if len(found) == 1 else ""
    said: Said | None = next((one for one in get_args(Said) if one == word), None)
    if said is None or said == "cannot tell":
        return said
    quote = text_of(found[0].get("quote"))
    return said if code.holds(quote) or code.holds(_NUMBERED.sub("", quote)) else None
