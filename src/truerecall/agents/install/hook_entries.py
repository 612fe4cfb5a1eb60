"""Hooks in the JSON that Claude Code and Codex share: event → groups → hooks, ours beside the user's own."""

from collections.abc import Iterator, Mapping
from typing import Any

from truerecall.agents.install.json_edit import JsonText
from truerecall.agents.install.records import is_our_hook

_HOOKS = "hooks"


def with_hooks(document: JsonText, wanted: Mapping[str, Mapping[str, Any]]) -> JsonText:
    """With one hook of ours for each event, and no other of ours; groups and hooks of the user keep their places.

    Args:
        document: The settings.
        wanted: By event the hook itself: ``type``, ``command``, ``timeout``.
    """
    for event, hook in wanted.items():
        found = [place for place in _ours(document) if place[1] == event]
        for place in reversed(found[1:]):
            document = document.drop(place)
        if not found:
            document = document.append((_HOOKS, event), {_HOOKS: [dict(hook)]})
        elif document.get(*found[0]) != hook:
            document = document.put(found[0], dict(hook))
    for place in reversed(list(_ours(document))):
        if place[1] not in wanted:  # of a version that listened to more
            document = document.drop(place)
    return document


def without_hooks(document: JsonText) -> JsonText:
    """Without ours, and without what is empty then around them."""
    for place in reversed(list(_ours(document))):
        document = document.drop(place)
    return document


def our_hooks(document: JsonText) -> dict[str, list[dict[str, Any]]]:
    """By event the hooks of ours that stand in the settings."""
    found: dict[str, list[dict[str, Any]]] = {}
    for place in _ours(document):
        found.setdefault(str(place[1]), []).append(document.get(*place))
    return found


def _ours(document: JsonText) -> Iterator[tuple[str | int, ...]]:
    """The places of our hooks, in the order of the text; anything of another shape is passed over."""
    events = document.get(_HOOKS)
    for event, groups in events.items() if isinstance(events, dict) else ():
        for group, value in enumerate(groups if isinstance(groups, list) else ()):
            hooks = value.get(_HOOKS) if isinstance(value, dict) else None
            for index, hook in enumerate(hooks if isinstance(hooks, list) else ()):
                if isinstance(hook, dict) and is_our_hook(hook.get("command")):
                    yield (_HOOKS, event, group, _HOOKS, index)
