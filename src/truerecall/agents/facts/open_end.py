"""What was left to do, or is not known."""

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.wording import Finding, Said, is_plan, is_question, labelled, subject_of, worded

_LABEL = cues("open_end", "label")
_SECTION = cues("open_end", "section")
_DONE_LIST = cues("open_end", "done list")
_OPEN = cues("open_end", "open")
_RESOLVED = cues("open_end", "resolved")
_CHOICE = cues("open_end", "choice")
_RUN = cues("open_end", "run")
_PLANNED_LIST = cues("open_end", "planned list")
_PLANNED = cues("open_end", "planned")
_LEAST_WORDS = 3
_LEAST_OF_A_QUESTION = 5


def open_end(said: Said) -> Finding | None:
    """An open end that the sentence tells."""
    text = said.text
    if said.shape in ("command", "row", "done") or _CHOICE.search(text) or _RESOLVED.search(text):
        return None
    label, body = labelled(said.sentence.text)
    if _LABEL.match(label) and len(body.split()) >= _LEAST_WORDS:
        return _made(said, body, 2.5)
    if _is_listed(said):
        return _made(
            said, said.sentence.text, 0.9 if said.shape == "task" or is_question(text) else 1.4, topic=True
        )
    if is_question(text) or is_plan(text) or said.proposal or (said.user and "TODO" in text):
        return None
    return _made(said, said.sentence.text, 2.0) if _OPEN.search(text) else None


def _is_listed(said: Said) -> bool:
    """Whether it stands in a list of such; of an item with several sentences the first."""
    if said.user or said.shape not in ("item", "task") or said.sentence.before or _RUN.match(said.text):
        return False
    if _DONE_LIST.search(said.sentence.lead) or len(said.text.split()) < _LEAST_WORDS:
        return False
    if is_question(said.text) and len(said.text.split()) < _LEAST_OF_A_QUESTION:
        return False
    around = (*said.above, *said.sentence.headings, *said.sentence.outer)
    if _PLANNED.search(said.text) or any(_PLANNED_LIST.search(one) for one in around):
        return False
    return any(_SECTION.search(one) for one in said.above)


def _made(said: Said, value: str, weight: float, topic: bool | None = None) -> Finding:
    return Finding("open_end", worded(said, topic=topic), subject_of(said, value, topic=False), value, weight)
