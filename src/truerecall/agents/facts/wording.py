"""What the rules share: a sentence with its speaker, whether it is meant, and the text of a fact that stands alone."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.naming import entitles
from truerecall.agents.facts.records import FactKind
from truerecall.agents.facts.sentences import Sentence, Shape

LONGEST: Final = 300
"""Characters of a fact's text."""
_LONGEST_NAME = 80  # of a subject

_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\uff1f\uff1a", "''\"\"?:")
_PROPOSAL = cues("wording", "proposal")
_PLAN = cues("wording", "plan")
_UNSURE = cues("wording", "unsure")
_NEGATION = cues("wording", "negation")
_DANGLING = cues("wording", "dangling")
_HANGING = cues("wording", "hanging")
_EMPTY_TOPIC = cues("wording", "empty topic")
_OPENERS = cues("wording", "openers")
_LABEL = re.compile(r"^([^:`]{1,50}?(?: ?`[^`]{1,40}`)?):\s*(?=\S)")
_NUMBER = re.compile(r"^\d{1,2}[.)]\s+|\s+[-\u2013\u2014] [A-Z]{4,}$")  # of a heading, and its state
_CODE = re.compile(r"`([^`]{1,200})`")
_MOST_WORDS = 6  # of a label
_LONGEST_TOPIC = 140


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, and who said it."""

    sentence: Sentence
    text: str
    """It with straight quotes, which is as long: what cues are looked for in."""
    user: bool
    """Whether a person said it; else the agent."""
    project: str
    """The project's name."""
    proposal: bool = False
    """Whether its section, or the list above it, weighs what might be done."""

    @property
    def shape(self) -> Shape:
        """Of the sentence."""
        return self.sentence.shape

    @property
    def above(self) -> tuple[str, ...]:
        """What it stands below: the line above its list, and the name of its section."""
        return (self.sentence.lead, *self.sentence.headings[-1:])


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule takes out of a sentence."""

    kind: FactKind
    text: str
    subject: str
    value: str
    weight: float = 1.0
    """Which stay where a turn has too many: those of the greatest weight."""


Rule = Callable[[Said], Finding | None]


def name_of(project: str) -> str:
    """What people call a project, by its space: ``github.com/acme/shop`` is ``shop``."""
    if project.startswith("folder:"):
        return project.split(":")[1] or "project"
    return "project" if project.startswith("root:") else project.rstrip("/").rsplit("/", 1)[-1] or "project"


def said_in(sentence: Sentence, user: bool, project: str) -> Said:
    """A sentence with what is to be known of it."""
    around = (*sentence.headings, sentence.lead)
    proposal = not user and any(_PROPOSAL.search(one) for one in around)
    return Said(sentence, straight(sentence.text), user, project, proposal)


def straight(text: str) -> str:
    """The text with straight quotes, and the same length."""
    return text if text.isascii() else text.translate(_QUOTES)


def is_question(text: str) -> bool:
    """Whether it asks."""
    return text.rstrip("\"')*_` ").endswith("?")


@lru_cache(maxsize=4)  # one rule after the other asks of the same sentence
def is_plan(text: str) -> bool:
    """Whether it only tells what the agent will do next."""
    return _PLAN.match(text) is not None


@lru_cache(maxsize=4)  # one rule after the other asks of the same sentence
def is_unsure(text: str) -> bool:
    """Whether it says that something may be so, or would be."""
    return _UNSURE.search(text) is not None


def is_negated(text: str, at: int) -> bool:
    """Whether the words before a place deny what follows."""
    return _NEGATION.search(text[max(0, at - 30) : at]) is not None


def is_hanging(text: str) -> bool:
    """Whether it says something of what only an earlier sentence names."""
    return _HANGING.match(straight(text)) is not None


@lru_cache(maxsize=4)  # one rule after the other asks of the same sentence
def labelled(text: str) -> tuple[str, str]:
    """A label of a few words and what follows its colon: ``("Runtime", "Node.js 20")``; else no label."""
    match = _LABEL.match(straight(text))
    if (
        match is None
        or len(match.group(1).split()) > _MOST_WORDS
        or text[match.end() - 1 : match.end() + 1] == "//"
    ):
        return "", text
    return text[: match.end(1)], text[match.end() :]


def topic_of(sentence: Sentence) -> str:
    """What the section or list is about; empty where its name says nothing.

    A name that only sorts ("Data paths") takes the nearest one around it along that names something.
    """
    near = ""
    for name in (sentence.lead, *reversed(sentence.outer), *reversed(sentence.headings)):
        said = _NUMBER.sub("", name.rstrip(" :").strip())
        if not said or len(said) > _LONGEST_NAME or said.endswith("?") or _EMPTY_TOPIC.match(straight(said)):
            continue
        if entitles(said):
            return f"{said}: {near}" if near and len(said) + len(near) + 2 <= _LONGEST_TOPIC else near or said
        near = near or said
    return near


def subject_of(said: Said, text: str, topic: bool = True) -> str:
    """What a sentence is about: the first code in it, its label, with ``topic`` its section; else the project."""
    code = _CODE.search(text)
    if code and code.group(1).strip() and len(code.group(1)) <= _LONGEST_NAME:
        return code.group(1).strip()
    return labelled(text)[0] or (topic_of(said.sentence) if topic else "") or said.project


def worded(said: Said, topic: bool | None = None) -> str:
    """The sentence so that it can be read alone, in its own words, of at most ``LONGEST`` characters.

    What begins with a pronoun takes the sentence before along; an item takes the name of its list.

    Args:
        said: The sentence.
        topic: Whether the name of the section goes before it; by default that of items and rows does.
    """
    sentence = said.sentence
    core = shortened(_without_opener(sentence.text), LONGEST)
    before = _without_opener(sentence.before)
    if _DANGLING.match(straight(core)) and before and not is_question(before):
        joined = f"{before} {core}"
        core = joined if len(joined) <= LONGEST else core
    named = topic_of(sentence) if (sentence.shape != "sentence" if topic is None else topic) else ""
    if named and len(core) + len(named) + 2 <= LONGEST and named.lower() not in core.lower():
        core = f"{named}: {core}"
    return core


def shortened(text: str, most: int) -> str:
    """The text, or its beginning up to the last clause that fits."""
    if len(text) <= most:
        return text
    head = text[: most - 2]
    ends = [head.rfind(mark) for mark in ("; ", ". ", " \u2014 ", " \u2013 ", " - ", ", ")]
    cut = max((end for end in ends if end >= most // 2), default=-1)
    if cut < 0:
        cut = head.rfind(" ") if " " in head[most // 2 :] else len(head)
    kept = head[:cut].rstrip(" ,;:\u2013\u2014-")
    return kept + "`…" if kept.count("`") % 2 else kept + "…"


def _without_opener(text: str) -> str:
    stripped = text[end.end() :] if (end := _OPENERS.match(straight(text))) else text
    return stripped if len(stripped) >= min(20, len(text)) else text
