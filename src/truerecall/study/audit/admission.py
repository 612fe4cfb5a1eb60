"""Whether a run was what its side says, by what the transcript proves: never by an exit code."""

from collections.abc import Sequence
from hashlib import sha256

from truerecall.study.planned import PlannedSide
from truerecall.study.records import Admission, Exchange, HookRun, Injected, ToolUse

NO_MARKER = "what was injected does not hold the marker of the side"
CUT_SHORT = "what was injected was too long: the model was shown its beginning alone"
NOT_CALLED = "no tool of the memory was called"
CANNOT_TELL = "nothing was injected, and whether the memory was asked cannot be told"
ONLY_LATER = "it was injected after the question alone"
INJECTED = "a text was injected"
CALLED = "a tool of a memory was called"
NO_PLACEBO = "the neutral text did not arrive"
NOT_ASKED = "the question was not asked"

_EVENTS = frozenset({"SessionStart", "UserPromptSubmit"})
_PROMPT = "UserPromptSubmit"
_CUT_SHORT = "<persisted-output>"
_EMPTY = frozenset({"", "[]", "{}", "null", "none", '""'})


def admission(side: PlannedSide, exchanges: Sequence[Exchange]) -> Admission:
    """What reached the model, and whether that makes the run one of its side.

    A memory counts where a text with its marker (without one: any text) was injected up to the question's prompt, or a
    tool of its MCP server was really called. A memory that answered with nothing counts as well, and is recorded as
    such, where that is proven: its tool gave nothing, or its hook ran at the question and did not fail. Where nothing
    was injected and no hook is known to have run, a failure cannot be told from a memory without an answer: not
    per-protocol. A placebo counts where its text arrived, and the other sides where no hook injected anything and no
    tool of a memory was called.
    """
    asked = next((place for place, one in enumerate(exchanges) if one.kind == "question"), None)
    if asked is None:
        return Admission(delivered=False, per_protocol=False, reason=NOT_ASKED)
    called = [use for one in exchanges for use in one.uses if _calls_memory(use, one)]
    texts = [
        text
        for one in exchanges[: asked + 1]
        for text in one.injected
        if text.event in _EVENTS and text.text.strip()
    ]
    later = [text for one in exchanges[asked + 1 :] for text in one.injected if text.text.strip()]
    if side.kind in ("memory", "placebo"):
        found = _memory(side, texts, later, called, exchanges[asked].hooks)
    else:
        found = _without(texts, later, called, exchanges)
    block = "\n\n".join(text.text for text in texts)
    return found.model_copy(
        update={
            "tool_calls": len(called),
            "block": block,
            "block_sha256": sha256(block.encode()).hexdigest() if block else "",
        }
    )


def _memory(
    side: PlannedSide,
    texts: Sequence[Injected],
    later: Sequence[Injected],
    called: Sequence[ToolUse],
    hooks: Sequence[HookRun],
) -> Admission:
    marked = [text for text in texts if side.marker in text.text]
    if any(text.text.lstrip().startswith(_CUT_SHORT) for text in texts):
        return Admission(delivered=bool(marked), per_protocol=False, reason=CUT_SHORT)
    if marked:
        if side.kind == "placebo" and called:
            return Admission(delivered=True, per_protocol=False, reason=CALLED)
        return Admission(delivered=True, per_protocol=True)
    if side.kind == "placebo":
        return Admission(delivered=False, per_protocol=False, reason=NO_MARKER if texts else NO_PLACEBO)
    answered = [use for use in called if use.outcome == "ok"]
    if answered:
        nothing = all(use.output.strip().casefold() in _EMPTY for use in answered)
        return Admission(delivered=not nothing, nothing_found=nothing, per_protocol=True)
    if texts:
        return Admission(delivered=False, per_protocol=False, reason=NO_MARKER)
    if any(side.marker in text.text for text in later):
        return Admission(delivered=False, per_protocol=False, reason=ONLY_LATER)
    return _silent(side, called, [hook for hook in hooks if hook.event == _PROMPT])


def _silent(side: PlannedSide, called: Sequence[ToolUse], hooks: Sequence[HookRun]) -> Admission:
    """A memory of which nothing reached the model."""
    if called:
        return Admission(
            delivered=False, per_protocol=False, reason="no call of a tool of the memory was answered"
        )
    if side.delivery == "mcp":
        return Admission(delivered=False, per_protocol=False, reason=NOT_CALLED)
    if not hooks:
        return Admission(delivered=False, per_protocol=False, reason=CANNOT_TELL)
    failed = [hook for hook in hooks if hook.outcome == "failed" or hook.errors.strip()]
    if failed:
        said = " ".join(failed[0].errors.split())
        reason = f"the hook of the memory failed: {said}" if said else "the hook of the memory failed"
        return Admission(delivered=False, per_protocol=False, reason=reason)
    return Admission(delivered=False, nothing_found=True, per_protocol=True)


def _without(
    texts: Sequence[Injected],
    later: Sequence[Injected],
    called: Sequence[ToolUse],
    exchanges: Sequence[Exchange],
) -> Admission:
    others = [text for one in exchanges for text in one.injected if text.text.strip()]
    reason = INJECTED if others else CALLED if called else ""
    delivered = bool(texts or later or any(use.outcome == "ok" for use in called))
    return Admission(delivered=delivered, per_protocol=not reason, reason=reason)


def _calls_memory(use: ToolUse, exchange: Exchange) -> bool:
    """Whether it is a call of an MCP server's tool that was not denied: no other server is configured."""
    return use.name.startswith("mcp__") and use.outcome != "denied" and use.id not in exchange.denied
