"""How things are done here: what a person wants always or never, and what the agent found to be the rule."""

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.wording import (
    Finding,
    Said,
    is_plan,
    is_question,
    is_unsure,
    labelled,
    subject_of,
    worded,
)

_LABEL = cues("convention", "label")
_SECTION = cues("convention", "section")
_USER = cues("convention", "user")
_DO_NOT = cues("convention", "do not")
_AGENT = cues("convention", "agent")
_MOMENT = cues("convention", "moment")
_LIMIT = cues("convention", "limit")
_GATE = cues("convention", "gate")
_OF_EVENTS = cues("convention", "of events")
_MOST_OF_A_PERSON = 300  # characters of a sentence


def convention(said: Said) -> Finding | None:
    """A convention that the sentence tells."""
    text = said.text
    if (
        is_question(text)
        or said.shape in ("command", "task", "row")
        or is_unsure(text)
        or _OF_EVENTS.search(text)
    ):
        return None
    weight = _of_user(text) if said.user else _of_agent(said)
    if weight is None:
        return None
    value = said.sentence.text
    return Finding(
        "convention", worded(said), subject_of(said, value, topic=False), labelled(value)[1], weight
    )


def _of_user(text: str) -> float | None:
    if len(text) > _MOST_OF_A_PERSON:
        return None
    return 3.0 if _USER.search(text) or (_DO_NOT.match(text) and not _MOMENT.search(text)) else None


def _of_agent(said: Said) -> float | None:
    listed = said.shape in ("item", "done")
    if listed and any(_GATE.search(one) for one in said.above) and len(said.text.split()) >= 3:
        return 1.5
    if said.proposal or is_plan(said.text):
        return None
    label, body = labelled(said.text)
    if _LABEL.match(label) and len(body.split()) >= 3:
        return 2.0
    if listed and any(_SECTION.search(one) for one in said.above):
        return 1.5
    if listed and _LIMIT.search(said.text):
        return 1.4
    return 1.5 if _AGENT.search(body) or _AGENT.search(said.text) else None
