"""What a hook prints, as each agent wants it."""

import json

from truerecall.agents.hook.events import Asked


def shown(asked: Asked, text: str) -> bytes:
    """The agent's JSON that puts ``text`` before the model, in ASCII: it is the same in every locale."""
    said: dict[str, object]
    match asked.tool:
        case "cursor":
            said = {"additional_context": text}
            if asked.event == "beforeSubmitPrompt":
                said = {"continue": True, **said}
        case "opencode":
            said = {"additionalContext": text}
        case _:
            said = {"hookSpecificOutput": {"hookEventName": asked.event, "additionalContext": text}}
            if asked.tool == "claude-code":
                said["suppressOutput"] = True  # Codex's schema has no other field
    return f"{json.dumps(said)}\n".encode("ascii")
