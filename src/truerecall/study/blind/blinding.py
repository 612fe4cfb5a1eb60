"""An answer with nothing in it that says where it came from: rewritten by a model, checked by code, or by rules alone.

The model sees the instructions, the question and the answer: never a key, a side, an order or a run's name. What it
replies goes through the rules as well, and is used only if every check holds.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from truerecall.bench.qa.prompting import clean
from truerecall.bench.qa.records import Called
from truerecall.models.protocols import ChatMessage
from truerecall.study.blind.checks import Fault, found_problems
from truerecall.study.blind.leftovers import leftovers
from truerecall.study.blind.rules import plain
from truerecall.study.grade.asking import Asker
from truerecall.study.records import Blinded

TRIES = 3
"""How often the model is asked at most, each time with a sample of its own."""

_PREFACE = re.compile(
    r"\A\s*(?:(?:sure|certainly|of course|okay)[,!.]?\s+)?(?:here(?:'s|\u2019s| is)|below is|this is)\s+"
    r"(?:the|your|an?)\s+"
    r"(?:\w+\s+){0,2}(?:answer|text|version|edit|rewrite)\b[^\n:]{0,40}:\s*\n?|\A\s*(?:edited|rewritten)\s+answer:\s*\n?",
    re.I,
)
_WRAPPED = re.compile(r"\A\s*(`{3,}|~{3,})(?:markdown|md|text)?[ \t]*\n(.*?)\n\1[ \t]*\s*\Z", re.S)
_TOLD: dict[Fault | str, str] = {
    "code": "Code, in blocks or in back-quotes, must stay to the letter.",
    "name": "Names in code, paths, flags, acronyms and links must stay to the letter and in their order.",
    "number": "Numbers and their units must stay to the letter; none may come in.",
    "negation": "A negation or a restriction was lost, changed or put in.",
    "comparison": "A comparison (more, less, at least, at most) was lost, changed or put in.",
    "order": "A word of order or time (before, after, first, last) was lost, changed or put in.",
    "switch": "A word such as enabled, disabled, allowed or removed was lost, changed or put in.",
    "truth": "A word such as true, false, right or wrong was lost, changed or put in.",
    "modality": "A word such as must, may, always or usually was lost, changed or put in.",
    "quantity": "A word that says how many or how long was lost, changed or put in.",
    "condition": "A condition (if, when, otherwise, but) was lost, changed or put in.",
    "wording": "Other words were put in. Only leave words out.",
    "claim": "A claim that says no source is gone.",
    "value": "A technical value is gone.",
    "length": "The length does not fit: leave out only what says a source, and add nothing.",
    "leftover": "It still says where the answer came from or how it was found.",
    "empty": "There was no edited answer in the reply.",
}


@dataclass(frozen=True, slots=True)
class _Try:
    """What came of one text."""

    text: str
    faults: tuple[str, ...]
    """Of ``_TOLD``, each once."""
    changed: bool
    """Whether it says something else than the answer."""
    problems: list[str]
    """In full, for the record alone: they may name a value of the key."""


def blind(answer: str, question: str, guarded: Sequence[str], asker: Asker | None) -> Blinded:
    """Take out of an answer where it came from.

    Args:
        answer: As the solver gave it.
        question: As the solver was asked.
        guarded: What must survive where it stands in the answer (``guarded_values``); no model is shown it.
        asker: Asks the rewriter; None: the rules alone.

    Returns:
        With ``clean`` what passed every check. With ``marked`` what the rules alone made of it, or, where a check fails
        for that too, the answer without its marks in brackets, its source headings and its footnotes.

    Raises:
        ChatRefused: no further call would be answered.
        RunError: the limit of the costs is reached.
    """
    answer, question = clean(answer), clean(question)
    by_rules = _tried(answer, plain(answer, guarded), guarded)
    if asker is None or not answer.strip():
        return Blinded(
            text=_sound(answer, by_rules, guarded),
            state="marked" if by_rules.faults else "clean",
            problems=by_rules.problems,
        )
    calls: list[str] = []
    last = by_rules
    for sample in range(TRIES):
        told = last.faults if sample else ()
        key, called = asker.ask("rewriter", rewriter_messages(answer, question, told), sample)
        calls.append(key)
        last = _replied(answer, called, guarded)
        if not last.faults:
            return Blinded(text=last.text, state="clean", tries=sample + 1, calls=calls)
    return Blinded(
        text=_sound(answer, by_rules, guarded),
        state="marked",
        tries=TRIES,
        problems=last.problems,
        calls=calls,
    )


def rewriter_messages(answer: str, question: str, faults: Iterable[str] = ()) -> tuple[ChatMessage, ...]:
    """What the rewriter is asked: instructions, question and answer, and in general words what was wrong before."""
    parts = [_fenced("question", question), _fenced("answer", answer)]
    if told := [_TOLD[fault] for fault in faults]:
        parts.append("\n".join([_text("again"), *(f"- {line}" for line in told)]))
    return (ChatMessage("system", _text("rewrite")), ChatMessage("user", "\n\n".join(parts)))


def _replied(answer: str, called: Called, guarded: Sequence[str]) -> _Try:
    """The text of a reply, after the rules."""
    if called.failure is not None or called.cut or not called.text.strip():
        why = called.failure or ("the reply was cut off" if called.cut else "the reply is empty")
        return _Try("", ("empty",), True, [f"empty: {why}"])
    return _tried(answer, plain(_unwrapped(clean(called.text), answer), guarded), guarded)


def _tried(answer: str, text: str, guarded: Sequence[str]) -> _Try:
    wrong = found_problems(answer, text, guarded)
    sounds = leftovers(text)
    faults = dict.fromkeys([str(problem.fault) for problem in wrong] + ["leftover"] * bool(sounds))
    told = [str(problem) for problem in wrong] + [
        f"leftover: {sound!r} sounds of a source" for sound in sounds
    ]
    return _Try(text, tuple(faults), bool(wrong), told)


def _sound(answer: str, by_rules: _Try, guarded: Sequence[str]) -> str:
    """What the rules made, unless it says something else than the answer: then what is safest, or the answer itself."""
    if not by_rules.changed:
        return by_rules.text
    safest = plain(answer, guarded, "safest")
    return answer if found_problems(answer, safest, guarded) else safest


def _unwrapped(reply: str, answer: str) -> str:
    """A reply without the words before it and the fence around it that models like to add."""
    text = reply if _PREFACE.match(answer) else _PREFACE.sub("", reply, count=1)
    wrapped = _WRAPPED.match(text)
    if wrapped and not _WRAPPED.match(answer) and "\n" + wrapped.group(1) not in wrapped.group(2):
        text = wrapped.group(2)
    tagged = re.fullmatch(r"\s*<answer>\s*(.*?)\s*</answer>\s*", text, re.S)
    return tagged.group(1) if tagged and not answer.lstrip().startswith("<answer>") else text


def _fenced(name: str, text: str) -> str:
    """A text between marks that do not stand in it: none of it is changed, and none of it can end it."""
    while f"</{name}>" in text or f"<{name}>" in text:
        name += "-"
    return f"<{name}>\n{text}\n</{name}>"


@cache
def _text(name: str) -> str:
    return Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").strip()
