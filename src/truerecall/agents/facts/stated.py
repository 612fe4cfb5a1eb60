"""How things are, as a person tells it: what they know of their project, and the agent could not."""

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.wording import (
    Finding,
    Said,
    is_hanging,
    is_question,
    is_unsure,
    subject_of,
    worded,
)

_ABOUT = cues("stated", "about")
_PLACE = cues("stated", "place")
_PASSING = cues("stated", "passing")
_ASKS = cues("decision", "asks")
_LEAST_WORDS, _LONGEST = 5, 300


def stated(said: Said) -> Finding | None:
    """What a person says is so."""
    text = said.text
    if not said.user or said.shape == "command" or is_question(text) or is_hanging(text):
        return None
    if len(text.split()) < _LEAST_WORDS or len(text) > _LONGEST or _PASSING.search(text) or _ASKS.match(text):
        return None
    if is_unsure(text):
        return None
    value = said.sentence.text
    if _PLACE.search(text):
        return Finding("path", worded(said), subject_of(said, value, topic=False), value, 1.5)
    if _ABOUT.search(text):
        return Finding("cause", worded(said), subject_of(said, value, topic=False), value, 1.5)
    return None
