"""Marking a text against a key: each fact yes or no, each yes with a sentence of the text that is really there.

A judge is told the question, the facts and the text, and nothing else: not the side, not the order, not which key it
is, not where a fact was verified or that it is one that is not so. Equal texts are asked about in equal bytes.
"""

from dataclasses import dataclass

from truerecall.bench.qa.prompting import clean
from truerecall.errors import StudyError
from truerecall.models.protocols import ChatMessage
from truerecall.study.design import KeyKind
from truerecall.study.grade.asking import Asker
from truerecall.study.grade.prompting import laid_out, prompt
from truerecall.study.grade.quoting import QuotedText
from truerecall.study.grade.replies import read_reply
from truerecall.study.planned import PlannedFact, PlannedQuestion
from truerecall.study.records import Mark, Marking, Suspect

TRIES = 3
"""How often a judge is asked for marks that hold; each time is a sample of its own."""
_CALL_FAILED = "the call of the judge failed"


@dataclass(frozen=True, slots=True)
class Marked:
    """What a judge said of a text."""

    marking: Marking
    suspects: tuple[Suspect, ...] = ()
    """Of the truth key alone: claims that the judge takes for wrong, with quotes that stand in the text."""
    dropped: int = 0
    """Suspects without such a quote."""


def mark(text: str, question: PlannedQuestion, key: KeyKind, asker: Asker, first_sample: int = 0) -> Marking:
    """The marks of a text; see ``marked``."""
    return marked(text, question, key, asker, first_sample).marking


def marked(text: str, question: PlannedQuestion, key: KeyKind, asker: Asker, first_sample: int = 0) -> Marked:
    """Have every fact of a key marked, and of the truth key also what is suspected to be wrong.

    Marks that do not hold (a quote that is not in the text, a fact that is missing or marked twice, another word than
    yes or no) are asked for again; after the last try they are invalid. A text without a word in it states nothing,
    and nobody is asked.

    Args:
        text: What is marked.
        question: With its keys.
        key: Which of them.
        asker: Asks the judge.
        first_sample: Tells this marking from an earlier one of the same text: a multiple of ``TRIES``.

    Raises:
        StudyError: the key has no facts.
        ChatRefused: the judge would answer no further call.
        RunError: the limit of the costs is reached, or call after call fails.
    """
    facts = question.truth_key if key == "truth" else question.session_key
    if not facts:
        raise StudyError(
            f"the {key} key has no facts", where=question.id, remedy="Write one, and approve the key."
        )
    text = clean(text)
    if not text.strip():
        nothing = [Mark(fact=fact.number, hit=False) for fact in facts]
        return Marked(Marking(key=key, state="valid", marks=nothing, tries=0))
    quoted, numbers, calls, problem = QuotedText(text), [fact.number for fact in facts], [], ""
    for tried in range(TRIES):
        asked = marking_messages(text, question.text, facts, key, again=tried > 0)
        call, called = asker.ask("judge", asked, first_sample + tried)
        calls.append(call)
        if called.failure is not None:  # it was made again already
            problem = f"{_CALL_FAILED}: {called.failure}"
            break
        reply = read_reply(called.text, quoted, numbers)
        if not reply.problem:
            marking = Marking(key=key, state="valid", marks=list(reply.marks), tries=tried + 1, calls=calls)
            return Marked(marking, reply.suspects, reply.dropped)
        problem = reply.problem
    return Marked(Marking(key=key, state="invalid", tries=len(calls), problem=problem, calls=calls))


def is_left_out(marking: Marking | None) -> bool:
    """Whether there are no marks because a call failed: asked for again they may come."""
    return marking is not None and marking.problem.startswith(_CALL_FAILED)


def marking_messages(
    text: str, question: str, facts: list[PlannedFact], key: KeyKind, *, again: bool
) -> tuple[ChatMessage, ...]:
    """What the judge is told; ``again`` says that a reply could not be used, and nothing of what it said."""
    names = ("marking", "suspects", "suspects_form") if key == "truth" else ("marking", "marks_form")
    listed = "\n".join(f"{fact.number}. {' '.join(fact.text.split())}" for fact in facts)
    told = laid_out({"Question": question, "Facts": listed, "Text": text})
    return (
        ChatMessage("system", "\n\n".join(map(prompt, names))),
        ChatMessage("user", f"{told}\n\n{prompt('again')}" if again else told),
    )
