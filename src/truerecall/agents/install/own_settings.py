"""Our own settings file, where installing names the memory that the tools share."""

import tomllib
from pathlib import Path

from truerecall.agents.install.records import Change, Setup
from truerecall.agents.install.toml_edit import edit_toml
from truerecall.agents.settings import AgentSettings
from truerecall.core.entry import Scope
from truerecall.core.filling import filled


def settings_change(setup: Setup, store: Path | None, tenant: str | None, user: str | None) -> list[Change]:
    """What naming a store, a tenant or a user changes in the settings; nothing where none is named.

    Raises:
        InvalidScope: a tenant or user that could mean everyone.
        InvalidSettings: the file holds what we do not know.
        InstallError: it cannot be read or is no TOML.
    """
    named = {"store": None if store is None else str(store), "tenant": tenant, "user": user}
    values = {name: value for name, value in named.items() if value is not None}
    if not values:
        return []
    Scope(values.get("tenant", "local"), "any", values.get("user", "any"))
    path = setup.places.settings
    change = edit_toml(
        path, lambda document: document.put_table(("memory",), values, marked=False), mode=0o600
    )
    filled(AgentSettings(), tomllib.loads((change.after or b"").decode()), str(path))
    return [change]
