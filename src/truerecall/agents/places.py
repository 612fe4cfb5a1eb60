"""Where the agents' memory keeps its files; everything follows from the environment that is given."""

from collections.abc import Mapping
from pathlib import Path

from truerecall.core.records import dataclass

OFF = "TRUERECALL_AGENTS_OFF"
"""Set to anything but 0 or nothing: hooks do nothing at all."""
BELOW = "TRUERECALL_BELOW_A_HOOK"
"""Set for what a hook starts: the hooks of an agent that runs there do nothing, so that none calls itself."""
SETTINGS = "TRUERECALL_AGENTS_SETTINGS"
"""Names another settings file than the one of the home folder."""
HOOK_NOW = "TRUERECALL_HOOK_NOW"
"""An ISO 8601 instant with its zone: hooks recall what was valid then, from a memory of a day that is over."""


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one user."""

    home: Path
    settings: Path
    """TOML; see ``settings.AgentSettings``. Need not exist."""
    store: Path
    """The memory, unless the settings name another."""
    state: Path
    """A folder: what was read up to where, what the hooks did, what was installed. Nothing of it is memory."""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Places":
        """The places of an environment, by the XDG variables and HOME."""
        home = Path(environment.get("HOME") or Path.home())

        def base(variable: str, default: str) -> Path:
            given = environment.get(variable, "")
            return Path(given) if given.startswith("/") else home / default

        named = environment.get(SETTINGS)
        return cls(
            home=home,
            settings=Path(named) if named else base("XDG_CONFIG_HOME", ".config") / "truerecall/agents.toml",
            store=base("XDG_DATA_HOME", ".local/share") / "truerecall/memory.db",
            state=base("XDG_STATE_HOME", ".local/state") / "truerecall",
        )

    @property
    def progress(self) -> Path:
        """How far each transcript was read: an SQLite file."""
        return self.state / "agents.db"

    @property
    def journal(self) -> Path:
        """What the hooks did, a line each: never a prompt or a recalled text."""
        return self.state / "hooks.jsonl"

    @property
    def spool(self) -> Path:
        """A folder of what Cursor's hooks told, a file a conversation; masked before it is written."""
        return self.state / "cursor"

    @property
    def backups(self) -> Path:
        """A folder of what installing changed, as it was before."""
        return self.state / "installed"


def switched_off(environment: Mapping[str, str]) -> bool:
    """Whether no hook is to do anything: the user wants so, or this is below a hook."""
    return any(environment.get(name, "") not in ("", "0") for name in (OFF, BELOW))
