"""What a judge's reply says: marks that hold, or why it has none; never a guess, and no "no" for want of a "yes"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from truerecall.study.grade.objects import objects_with, text_of
from truerecall.study.grade.quoting import QuotedText, plain
from truerecall.study.records import Mark, Suspect

_LONGEST_WHY = 500  # characters
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's reply, read."""

    marks: tuple[Mark, ...] = ()
    """Of every fact once, in the order of the key; empty where there is a problem."""
    suspects: tuple[Suspect, ...] = ()
    """Those whose quote stands in the text."""
    dropped: int = 0
    """Suspects whose quote does not, or that cannot be read."""
    problem: str = ""
    """Why the marks do not hold; empty where they do."""


def read_reply(reply: str, text: QuotedText, facts: Sequence[int]) -> Reply:
    """The marks and suspects of a reply, whatever it is.

    Args:
        reply: Verbatim.
        text: What was marked.
        facts: The numbers of the key.
    """
    found = objects_with("marks", reply)
    if len(found) != 1:
        return Reply(
            problem="there are no marks in the reply" if not found else "marks contradict each other"
        )
    marks: dict[int, Mark] = {}
    listed = found[0]["marks"]
    for one in listed if isinstance(listed, list) else [listed]:
        mark, problem = _mark(one, text)
        if mark is None:
            return Reply(problem=problem)
        if mark.fact not in facts or mark.fact in marks:
            how = "marked twice" if mark.fact in marks else "not in the key"
            return Reply(problem=f"fact {mark.fact} is {how}")
        marks[mark.fact] = mark
    missing = [number for number in facts if number not in marks]
    if missing:
        return Reply(problem=f"fact {missing[0]} has no mark")
    suspects, dropped = _suspects(found[0].get("suspects"), text)
    return Reply(tuple(marks[number] for number in facts), suspects, dropped)


def _mark(one: Any, text: QuotedText) -> tuple[Mark | None, str]:
    """One mark, or the problem that it has."""
    number = _number(one.get("fact")) if isinstance(one, dict) else None
    if number is None:
        return None, "a mark names no fact"
    verdict = text_of(one.get("verdict")).casefold()
    if verdict == "no":
        return Mark(fact=number, hit=False), ""
    if verdict != "yes":
        return None, f"the mark of fact {number} is neither yes nor no"
    quote = text_of(one.get("quote"))
    if not text.holds(quote):
        return None, f"the quote for fact {number} does not stand in the text"
    return Mark(fact=number, hit=True, quote=quote), ""


def _number(value: Any) -> int | None:
    if type(value) is int:
        return value
    digits = text_of(value)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS else None


def _suspects(listed: Any, text: QuotedText) -> tuple[tuple[Suspect, ...], int]:
    found: dict[str, Suspect] = {}
    dropped = 0
    for one in listed if isinstance(listed, list) else []:
        quote = text_of(one.get("quote")) if isinstance(one, dict) else ""
        if not text.holds(quote):
            dropped += 1
            continue
        why = " ".join(text_of(one.get("why")).split())[:_LONGEST_WHY]
        found.setdefault(plain(quote), Suspect(quote=quote, why=why))
    return tuple(found.values()), dropped
