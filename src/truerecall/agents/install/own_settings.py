"""Our own settings file, where installing names the memory that the tools share."""

import tomllib
from pathlib import Path

from truerecall.agents.install.records import Change, Setup
from truerecall.agents.install.toml_edit import edit_toml
from truerecall.agents.settings import AgentSettings, check_agent_settings, missing_folder
from truerecall.core.entry import Scope
from truerecall.core.filling import filled
from truerecall.errors import InstallError


def settings_change(setup: Setup, store: Path | None, tenant: str | None, user: str | None) -> list[Change]:
    """What naming a store, a tenant or a user changes in the settings; nothing where none is named.

    Raises:
        InvalidScope: a tenant or user that could mean everyone.
        InvalidSettings: the file holds what we do not know.
        InstallError: it cannot be read or is no TOML; or the store has no folder, or is one.
    """
    if store is not None:
        _check_store(store, setup)
    named = {"store": None if store is None else str(store), "tenant": tenant, "user": user}
    values = {name: value for name, value in named.items() if value is not None}
    if not values:
        return []
    Scope(values.get("tenant", "local"), "any", values.get("user", "any"))
    path = setup.places.settings
    change = edit_toml(
        path, lambda document: document.put_table(("memory",), values, marked=False), mode=0o600
    )
    settings: AgentSettings = filled(
        AgentSettings(), tomllib.loads((change.after or b"").decode()), str(path)
    )
    check_agent_settings(settings, path)
    return [change]


def _check_store(store: Path, setup: Setup) -> None:
    """Refuse what no capture could write to."""
    try:
        missing, folder = missing_folder(store, setup.places), store.is_dir()
    except OSError as error:
        raise InstallError(
            f"the store cannot be reached: {error.strerror}",
            where=str(store),
            remedy="Name a file in a folder that you can write to.",
        ) from None
    if folder:
        raise InstallError(
            "the store is to be a file, and this is a folder",
            where=str(store),
            remedy=f"Name a file in it: {store / 'memory.db'}.",
        )
    if missing is not None:
        raise InstallError(
            f"there is no folder {missing}",
            where=str(store),
            remedy="Make it, so that all who share the memory can write there, then install again.",
        )
