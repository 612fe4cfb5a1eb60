"""A command that worked and is worth knowing: one that builds, tests, checks, migrates or deploys."""

import re
from collections.abc import Iterator, Sequence

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.records import Fact, Kept
from truerecall.agents.facts.wording import Finding, Said, is_negated, is_plan, is_question, is_unsure, worded
from truerecall.core.entry import Trust

LONGEST = 200
"""Characters of a command; a longer one is a script of the moment."""

_RUNNER = cues("command", "runner").pattern
_WORTH = re.compile(rf"(?:[A-Z_][A-Z0-9_]*=\S+ )*(?:sudo |time |timeout \S+ )?(?:\./)?{_RUNNER}")
_TAIL = re.compile(
    r"\s*(?:2>&1)?\s*\|\s*(?:tail|head|grep|rg|cat|less|sed|awk|tee)\b[^|&;`]*$|\s*2>&1\s*$|\s*\|\|\s*true\s*$"
)
_STEP = re.compile(r"\s*(?:&&|;)\s*")
_PASSING = re.compile(r"\s(?:--version|-[vV]|--help|-h)$|<<|\$\(|/tmp/|\bsleep\b|\becho\b|-e ['\"]|-c ['\"]")
_FAILED = cues("command", "failed")
_NONE_FAILED = cues("command", "none failed")
_TOLD = cues("command", "told")
_CONDITIONAL = cues("command", "conditional")
_PASSED = cues("command", "passed")
_UNDER_WAY = cues("command", "under way")
_BLOCK = cues("command", "block")
_CODE = re.compile(r"`([^`]{3,200})`")


def command(said: Said) -> Finding | None:
    """A command that is named as the way to do something, in prose or in a shell block."""
    text = said.sentence.text
    if said.shape == "command":
        lead = next((one for one in said.above if one), "")
        if said.proposal or not _BLOCK.search(lead):
            return None
        told = said.sentence.lead.rsplit(". ", 1)[-1]
        return _told(said, text, f"{told}: `{text}`" if told else f"`{text}`")
    if (
        is_question(text)
        or is_unsure(said.text)
        or is_plan(said.text)
        or said.proposal
        or said.shape == "task"
    ):
        return None
    if _CONDITIONAL.match(said.text):
        return None
    for code in _CODE.finditer(text):
        if _UNDER_WAY.match(said.text[code.end() :]) or is_negated(said.text, code.start()):
            continue
        if _TOLD.search(said.text[: code.start()]) or _PASSED.match(said.text[code.end() :]):
            found = _told(said, code.group(1).strip(), worded(said))
            if found is not None:
                return found
    return None


def _told(said: Said, given: str, text: str) -> Finding | None:
    if not is_worth_knowing(given) or "<" in given or len(text) > 300:
        return None
    return Finding("command", text, head_of(given), given, 2.0)


def ran(new: Sequence[Kept], before: Sequence[Kept]) -> Iterator[Fact]:
    """The commands among the new turns that were run and worked; the shortest of each head, once."""
    known = {head_of(said): len(said) for kept in before if (said := worked(kept)) is not None}
    best: dict[str, tuple[str, Kept]] = {}
    announced = _announced(new, before)
    for kept in new:
        said = worked(kept)
        if said is None or known.get(head_of(said), LONGEST + 1) <= len(said):
            continue
        head = head_of(said)
        if head not in best or len(said) < len(best[head][0]):
            best[head] = said, kept
    for head, (said, kept) in best.items():
        sources = (announced.get(kept.turn.position, kept.entry_id),)
        yield Fact("command", f"`{said}` worked", head, said, sources, kept.turn.position, kept.turn.at)


def _announced(new: Sequence[Kept], before: Sequence[Kept]) -> dict[int, str]:
    """The entries of the agent's words that name a command right before it was run, by the place of its turn.

    Such a command is the agent's own, and the exit code is the harness's: nothing of the fact comes from an output. Not
    so where an earlier output holds the command, which may have been read there; or where what was run is more than
    what is told, so that the exit code may be another's.
    """
    found: dict[int, str] = {}
    words: Kept | None = None
    outputs: list[str] = []
    for kept in (*before, *new):
        action = kept.turn.action
        if action is None:
            words = kept if kept.turn.role == "assistant" and kept.trust > Trust.EXTERNAL else None
            continue
        said = worked(kept)
        if said is not None and words is not None and said == (action.command or "").strip():
            named = f"`{said}`" in words.text
            if named and not any(said in output for output in outputs):
                found[kept.turn.position] = words.entry_id
        outputs.append(" ".join(action.output.split()))
    return found


def worked(kept: Kept) -> str | None:
    """The command of a turn, where it is worth knowing and came out well; without what only cut its output."""
    action = kept.turn.action
    if action is None or action.kind != "command" or action.outcome != "ok" or not action.command:
        return None
    said = stripped(action.command)
    if not is_worth_knowing(said):
        return None
    hides = said != action.command.strip()  # what is piped away also takes the exit code along
    if hides and _FAILED.search(_NONE_FAILED.sub("", action.output)):
        return None
    return said


def stripped(given: str) -> str:
    """A command without the pipe that cut its output, and without the ``cd`` into the project."""
    said = " ".join(given.split()) if given.count("\n") < 2 else given
    while (shorter := _TAIL.sub("", said)) != said:
        said = shorter
    return re.sub(r"^cd [^&;|]{1,200} && ", "", said).strip()


def is_worth_knowing(given: str) -> bool:
    """Whether each step of a command builds, tests, checks, migrates or deploys something."""
    if (
        not given
        or len(given) > LONGEST
        or "\n" in given
        or "`" in given
        or "|" in given
        or _PASSING.search(given)
    ):
        return False
    steps = [step for step in _STEP.split(given) if step and not step.startswith(("cd ", "export "))]
    return bool(steps) and all(_WORTH.match(step) for step in steps)


def head_of(given: str) -> str:
    """What kind of command it is: its first two words, without variables that are set for it."""
    words = [word for word in given.split() if not re.fullmatch(r"[A-Z_][A-Z0-9_]*=\S*", word)]
    if words[1:2] == ["run"] or words[:2] in (["python", "-m"], ["python3", "-m"]):
        return " ".join(words[:3])
    return " ".join(words[:2]) or given
