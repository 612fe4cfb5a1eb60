"""How things are, as an agent reports it: what stands below the heading of a finding, a problem or an architecture.

These sections hold what a session found out, mostly without any of the words by which the other rules know a fact; so
this rule comes last, and takes only what says something by itself: no tasks, no praise, no bare names.
"""

import re

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.records import FactKind
from truerecall.agents.facts.wording import (
    Finding,
    Said,
    is_hanging,
    is_plan,
    is_question,
    is_unsure,
    labelled,
    subject_of,
    worded,
)

_PROBLEM = cues("described", "problem")
_FINDING = cues("described", "finding")
_DESIGN = cues("described", "design")
_CHANGES = cues("described", "changes")
_PATTERNS = cues("described", "patterns")
_RULE = cues("described", "rule")
_SETTLED = cues("described", "settled")
_PUT = cues("described", "put")
_OF_READING = cues("described", "of reading")
_PLAN = cues("described", "plan")
_SAYS = cues("described", "says")
_WHY = cues("described", "why")
_DEPENDS = cues("described", "depends")
_LABEL = cues("described", "label")
_CONSTRAINT = cues("described", "constraint")
_CONSEQUENCE = cues("described", "consequence")
_ACTS = cues("described", "acts")
_MISHAP = cues("cause", "mishap")
_NOTE = cues("described", "note")
_FIRM = cues("described", "firm")
_OURS = cues("described", "ours")
_SHOWN = cues("described", "shown")
_NOW = cues("described", "now")
_TASK = cues("described", "task")
_CHORE = cues("described", "chore")
_PRAISE = cues("described", "praise")
_PASSING = cues("described", "passing")
_DASH = re.compile(r"^([^:`]{3,50}?) [-\u2013\u2014] (?=\S)")
_OF_CODE = re.compile(r"^(`[^`]{2,80}`)(?: \([^)]{1,40}\))?(?: [-\u2013\u2014:] |: )[A-Za-z]+s\b")
_PLACE = re.compile(r"[\w.@-]+/[\w./@-]+|\b[\w-]+\.[a-z]{2,4}\b")
_ASIDE = re.compile(r"\([^()]{0,80}\)")
_LEAST_WORDS = 4
_MOST_OF_A_NAME = 8  # words
_LONGEST = 260  # characters; a longer one is a paragraph


def described(said: Said) -> Finding | None:
    """What the sentence tells of how something is."""
    text = said.text
    if said.user or said.proposal or said.shape in ("command", "task") or len(text) > _LONGEST:
        return None
    label, body = labelled(text)
    if (
        is_question(text)
        or is_plan(text)
        or _PASSING.search(text)
        or _MISHAP.search(text)
        or len(_words(text)) < _LEAST_WORDS
    ):
        return None
    if (
        _LABEL.match(label)
        and len(_words(body)) >= _LEAST_WORDS
        and not _TASK.match(body)
        and not _PRAISE.search(body)
    ):
        return _made(said, "cause", 1.8)
    if is_unsure(text):
        return None
    if _NOTE.match(label) and _CONSTRAINT.search(body) and not _TASK.match(body):
        return _made(said, "cause", 1.5)
    found = _told(said)
    if found is None and (listed := _listed(said, label, body)) is not None:
        return _made(said, *listed)
    return found


def _told(said: Said) -> Finding | None:
    """What a sentence tells by itself, wherever it stands."""
    text = said.text
    if said.shape == "row":
        return None
    if _CONSTRAINT.search(text) and _CONSEQUENCE.search(text) and _OURS.search(text) and not is_hanging(text):
        return _made(said, "cause", 1.5)
    if (_SHOWN.search(text) and _CONSTRAINT.search(text)) or _FIRM.search(text):
        return _made(said, "cause", 1.2)
    return _made(said, "decision", 1.2) if said.shape == "sentence" and _NOW.search(text) else None


def _listed(said: Said, label: str, body: str) -> tuple[FactKind, float] | None:
    """What it is by its section, and how much it weighs."""
    text = said.text
    if not label and (dash := _DASH.match(text)):
        label, body = dash.group(1), text[dash.end() :]
    if _TASK.match(body) or _TASK.match(text) or _PRAISE.search(text) or is_hanging(text):
        return None
    if any(_PLAN.search(one) for one in (*said.sentence.headings, said.sentence.lead)):
        return None
    if _OF_READING.match(said.sentence.lead):
        return None
    if said.shape == "sentence":
        first = not said.sentence.before and not said.sentence.lead
        is_problem = first and any(_named(_PROBLEM, one) for one in said.sentence.headings[-1:])
        return ("cause", 1.3) if is_problem and len(_words(text)) >= 6 else None
    if said.sentence.before or not (label or _SAYS.search(text) or _ACTS.search(text) or "→" in text):
        return None
    return _below(said, label, body)


def _below(said: Said, label: str, body: str) -> tuple[FactKind, float] | None:
    """What an item is that says something, by what it stands below and its own words."""
    text = said.text
    rich = (0.2 if label else 0.0) + (0.2 if "`" in body else 0.0)
    if _DEPENDS.search(said.sentence.lead) or any(_named(_PROBLEM, one) for one in said.above):
        return "cause", 1.3 + rich
    if any(_named(_PATTERNS, one) for one in said.above):
        return ("convention", 0.9 + rich) if label or len(_words(text)) >= 6 else None
    of_design = any(_named(_DESIGN, one) for one in said.above)
    of_finding = any(_named(_FINDING, one) for one in said.above)
    bare = _ASIDE.sub(" ", text)
    if of_finding and not of_design and _WHY.search(bare) and _SAYS.search(bare):
        return "cause", 1.2 + rich
    if (of_design or of_finding) and _SETTLED.search(text):
        return "decision", 1.0 + rich
    if (of_design or of_finding) and (_is_of_file(said) or _PUT.search(text)):
        return "path", 0.7
    if of_design and _RULE.search(text) and (_SAYS.search(text) or label):
        return "convention", 0.8 + rich
    if any(_named(_CHANGES, one) for one in said.above) and not _CHORE.match(text):
        return "decision", 0.7 + rich
    return None


def _is_of_file(said: Said) -> bool:
    """Whether it tells what a piece of code does, and it or its list names the file that it stands in."""
    match = _OF_CODE.match(said.text)
    return match is not None and any(_PLACE.search(one) for one in (match.group(1), *said.above))


def _named(cue: re.Pattern[str], name: str) -> bool:
    """Whether a section is called so: its name is short, else it is a sentence that happens to hold the word."""
    return len(name.split()) <= _MOST_OF_A_NAME and cue.search(name) is not None


def _made(said: Said, kind: FactKind, weight: float) -> Finding:
    return Finding(
        kind, worded(said), subject_of(said, said.sentence.text), labelled(said.sentence.text)[1], weight
    )


def _words(text: str) -> list[str]:
    return re.findall(r"\w[\w'.-]*", text)
