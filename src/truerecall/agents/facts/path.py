"""Where something lives: a file, a folder, a setting."""

import re

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.naming import entitles
from truerecall.agents.facts.wording import (
    Finding,
    Said,
    is_plan,
    is_question,
    is_unsure,
    labelled,
    topic_of,
    worded,
)

_LABEL = cues("path", "label")
_NAMELESS = cues("path", "nameless")
_PLACES = cues("path", "places")
_PLANNED = cues("path", "planned")
_IMPERATIVE = cues("path", "imperative")
_PASSING = cues("path", "passing")
_CHANGED = cues("path", "changed")
_DOING = cues("path", "doing")

_ENDINGS = (
    r"json[cl]?|ya?ml|toml|ini|cfg|conf|env|lock|md|tsx?|jsx?|mjs|py|rs|go|java|kt|rb|php|sh|sql|db|css|html|xml|log|txt"
    r"|csv|proto|tf"
)
_ROOT = r"~|(?:s3|gs|az|abfss|hdfs|file|sqlite):/|\.{1,2}|[A-Za-z]:|\$\{?[A-Z_]{2,30}\}?|[\w@.{}*\[\]-]{1,60}"
_PATH = (
    rf"(?:{_ROOT})?(?:[/\\][\w@.{{}}*$\[\]+-]{{1,100}}){{1,30}}[/\\]?|[\w@.-]{{1,60}}/(?![\w/])"
    rf"|\.?[\w-]{{1,60}}(?:\.[\w-]{{1,40}}){{0,4}}\.(?:{_ENDINGS})(?!\w)"
)
_SPAN = re.compile(rf"`({_PATH})(?::\d[\d-]*)?`")
_KEPT = (
    r"stored|kept|saved|written|located|defined|configured|found|implemented|declared|placed|cached|persisted|handled"
    r"|logged|generated"
)
_LIVES = re.compile(
    rf"\b(?:lives?|lies|sits?|resides?|(?:is|are|was|were|gets?|be)(?: now| all| only)? (?:{_KEPT})"
    r"|stored|saved|written|located|defined|configured|kept|tracks? [\w ]{1,30}?)(?: \w+)?"
    r" (?:in|at|under|below|inside|to|within|by) (?:the |a )?(?:file |folder |directory )?"
    rf"`?({_PATH})`?(?![\w/])",
    re.I,
)
_KEEPS_IN = re.compile(
    r"\b(?:maintains?|keeps?|stores?|writes|saves|records|persists?|exists?|goes?)\b[^:?]{1,70}? (?:in|at|to|under) "
    rf"`({_PATH})`",
    re.I,
)
_MOVED = re.compile(
    rf"\b(?:moved|renamed|relocated|migrated|renames|moves)\b.{{1,100}}?(?:\bto\b|→|->)\s*`?({_PATH})`?",
    re.I,
)
_ITEM = re.compile(rf"^`({_PATH})`\s*(?:\([^)]{{1,40}}\)\s*)?(?:[-\u2013\u2014:]|→)\s+(?=\S)")
_FOUND = re.compile(
    r"\b(?:found|located|traced) (?!it\b|this\b|that\b|them\b|the (?:file|issue|bug|problem)\b)"
    rf"[\w' -]{{3,60}}? (?:in|under|at|inside) `({_PATH})`",
    re.I,
)
_FLOW = re.compile(r"^(`[^`]{2,80}`(?: ?\([^)]{1,40}\))?) ?(?:→|->|=>) ?`[^`]{2,80}`")
_TITLED = re.compile(rf"^(?!\d)(`?[\w ./-]{{3,40}}`?) (?:in|under|at) `({_PATH})`$", re.I)
_NEAR = 40  # characters from a label to its path


def path(said: Said) -> Finding | None:
    """A place that the sentence tells."""
    text = said.sentence.text
    if is_question(text) or is_unsure(said.text) or said.proposal or said.shape in ("command", "task", "row"):
        return None
    label, body = labelled(text)
    if match := _LIVES.search(text):
        return _made(said, match.group(1), label, 2.0)
    if said.shape in ("sentence", "item") and not is_plan(said.text) and (match := _KEEPS_IN.search(text)):
        return _made(said, match.group(1), label, 1.2)
    if match := _MOVED.search(text):
        return _made(said, match.group(1), label, 1.5)
    if _LABEL.match(label) and not _PLANNED.search(f"{label} {body}"):
        match = _SPAN.search(body[:200])
        if match and match.start() <= _NEAR:
            return _made(said, match.group(1), label, 1.5)
    if not is_plan(said.text) and (match := _FOUND.search(text)):
        return _made(said, match.group(1), label, 1.5)
    if said.shape not in ("item", "done"):
        return None
    flow = _FLOW.match(body)
    if flow and entitles(topic_of(said.sentence)):
        return _made(said, body[flow.start() :], label, 1.3)
    if not label and _PLACES.search(said.sentence.lead) and "`" in text and len(text.split()) >= 3:
        return _made(said, text, said.sentence.lead, 1.3)
    return _of_item(said, text)


def _of_item(said: Said, text: str) -> Finding | None:
    if (match := _TITLED.match(text)) and not _IMPERATIVE.match(text):
        return _made(said, match.group(2), match.group(1), 1.3)
    if (match := _ITEM.match(text)) and "/" in f"{match.group(1).rstrip('/')} {said.sentence.lead}":
        described = text[match.end() :]
        if (
            len(described.split()) >= (3 if "/" in match.group(1) else 4)
            and not _DOING.match(described)
            and not _CHANGED.search(described)
        ):
            return _made(said, match.group(1), described, 0.8)
    return None


def _made(said: Said, place: str, about: str, weight: float) -> Finding | None:
    if _PASSING.search(place) or len(place) > 200 or not re.search(r"[A-Za-z]", place):
        return None
    named = about.strip("` ") if len(about) <= 80 and not _NAMELESS.match(about) else ""
    topic = None if said.shape != "sentence" else len(said.text) < 80
    return Finding(
        "path", worded(said, topic=topic), named or topic_of(said.sentence) or said.project, place, weight
    )
