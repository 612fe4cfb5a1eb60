"""The settings without reading TOML at each prompt: to import its reader takes longer than all that is done with it.

What the file said is kept as JSON, as long as the file is the same, and is filled in and checked as the file's own.
"""

from truerecall.agents.hook.kept_file import keep, read_kept, stamp
from truerecall.agents.places import Places
from truerecall.agents.settings import AgentSettings, check_agent_settings, load_agent_settings
from truerecall.errors import InvalidSettings


def known_settings(places: Places) -> AgentSettings:
    """As ``load_agent_settings``.

    Raises:
        InvalidSettings: As it does.
    """
    path = places.settings
    before = stamp(path)
    if not before:
        return load_agent_settings(path)
    memo = places.state / "settings.json"
    found = read_kept(memo)
    if found.get("seen") == before and found.get("path") == str(path):
        from truerecall.core.filling import filled

        try:
            known: AgentSettings = filled(AgentSettings(), dict(found["said"]), str(path))  # type: ignore[call-overload]
            check_agent_settings(known, path)
        except (InvalidSettings, KeyError, TypeError, ValueError):
            pass  # kept by another version, or by nobody here
        else:
            return known
    settings = load_agent_settings(path)
    if stamp(path) == before:
        from dataclasses import asdict  # once for each change of the file

        keep(memo, {"path": str(path), "seen": before, "said": asdict(settings)})
    return settings
