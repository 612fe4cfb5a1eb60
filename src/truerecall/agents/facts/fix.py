"""An error and what mended it: as it is told, and as it is seen where a command fails, files change and it works."""

import re
from collections.abc import Iterator, Sequence

from truerecall.agents.facts.command import LONGEST as LONGEST_COMMAND
from truerecall.agents.facts.command import stripped
from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.records import Fact, Kept
from truerecall.agents.facts.wording import (
    LONGEST,
    Finding,
    Said,
    is_negated,
    is_plan,
    is_question,
    is_unsure,
    labelled,
    shortened,
    subject_of,
    worded,
)

_LABEL = cues("fix", "label")
_SECTION = cues("fix", "section")
_FIXED = cues("fix", "fixed")


def fix(said: Said) -> Finding | None:
    """A fix that the sentence tells."""
    text = said.text
    if is_question(text) or said.proposal or is_unsure(text) or said.shape in ("command", "task", "row"):
        return None
    label, body = labelled(said.sentence.text)
    if _LABEL.match(label) and len(body.split()) >= 3 and not said.user:
        return _made(said, body, 2.5, with_before=True)
    if is_plan(text):
        return None
    match = _FIXED.search(text)
    if match and not is_negated(text, match.start()) and len(text.split()) >= 4:
        return _made(said, said.sentence.text, 2.5)
    if said.shape in ("item", "done") and not said.user and any(_SECTION.search(one) for one in said.above):
        return _made(said, said.sentence.text, 1.5)
    return None


def _made(said: Said, value: str, weight: float, with_before: bool = False) -> Finding:
    text = worded(said)
    before = said.sentence.before
    if with_before and before and not is_question(before) and len(before) + len(text) < LONGEST:
        text = f"{before} {text}"  # what it mended
    return Finding("fix", text, subject_of(said, value), value, weight)


_MOST_BETWEEN = 200  # turns from a failure to the run that works
_ERROR = re.compile(
    r"^.*\b(?:[A-Z]\w*(?:Error|Exception)|error|Error|ERROR|FAIL(?:ED)?|failed|fatal|panic)\b.*$", re.M
)
_FAINT = re.compile(
    r"^(?:exit code \d+|process exited.*|.{0,12})$|\b\d+ (?:tests? )?(?:failed|errors?|failures?)\b"
    r"|\b(?:failed|errors?):? \d+\b|^\W*FAIL(?:ED)?\b[^:]*$",
    re.I,
)
_OF_TEST = re.compile(
    r"(?:^|[/\\])(?:tests?|__tests__|specs?)[/\\]|(?:^|[/\\])test_|[._-](?:tests?|spec)\.", re.I
)


def mended(new: Sequence[Kept], before: Sequence[Kept]) -> Iterator[Fact]:
    """Commands that failed, and after files were changed came out well, in the new turns."""
    failed: dict[str, tuple[int, Kept]] = {}
    edits: list[tuple[int, Kept]] = []
    first = len(before)
    asks = False  # whether the last edit was one of tests alone
    for number, kept in enumerate((*before, *new)):
        action = kept.turn.action
        if action is None:
            continue
        if action.kind == "edit" and action.outcome != "failed" and action.files:
            edits.append((number, kept))
            asks = all(_OF_TEST.search(name) for name in action.files)
        if action.kind != "command" or not action.command:
            continue
        said = stripped(action.command)
        if action.outcome == "failed":
            if not asks:  # else a new test asks for what is written next: no error, but a step
                failed[said] = number, kept
        elif action.outcome == "ok" and said in failed:
            began, broken = failed.pop(said)
            between = [one for place, one in edits if place > began]
            if (
                number >= first
                and between
                and number - began <= _MOST_BETWEEN
                and len(said) <= LONGEST_COMMAND
                and "\n" not in said
            ):
                yield from _mended(said, broken, between, kept)


def _mended(said: str, broken: Kept, between: Sequence[Kept], works: Kept) -> Iterator[Fact]:
    """The fix; none where the output does not tell the error, or there is no room to say what changed."""
    files = list(dict.fromkeys(name for one in between if one.turn.action for name in one.turn.action.files))
    named = ", ".join(f"`{name}`" for name in files[:3]) + (
        f" and {len(files) - 3} more" if len(files) > 3 else ""
    )
    error = _error_in(broken.turn.action.output if broken.turn.action else "")
    text = f"`{said}` failed ({error}); it worked after {named} changed"
    if not error or len(text) > LONGEST:
        return
    sources = tuple(dict.fromkeys((works.entry_id, broken.entry_id, *(one.entry_id for one in between[:8]))))
    yield Fact("fix", text, error, f"changed {named}", sources, works.turn.position, works.turn.at)


def _error_in(output: str) -> str:
    """The line of an output that says best what went wrong; empty where none does."""
    for line in _ERROR.finditer(output[:5000]):
        said = " ".join(line.group().split()).replace("`", "'")
        if not _FAINT.search(said):
            return shortened(said, 100)
    return ""
