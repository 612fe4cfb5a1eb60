"""What may be set for the agents' memory: one record, read strictly from TOML."""

from collections.abc import Mapping
from pathlib import Path

from truerecall.agents.places import Places
from truerecall.agents.project import Project
from truerecall.core.entry import Scope
from truerecall.core.records import dataclass, field
from truerecall.errors import InvalidScope, InvalidSettings

_MOST_MINUTES = 1440  # a day: who wants longer wants something else


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Which memory the agents share."""

    store: str = ""
    """The SQLite file; empty for the one in the home folder. A team names one that all can write. ``~/`` is the home; a
    relative path begins at the folder of this settings file."""
    tenant: str = "local"
    """The team."""
    user: str = ""
    """Who works here; empty for git's ``user.email`` of the repository, else the login name."""
    mode: int = 0o600
    """File mode of a new store; 0o660 shares it with the folder's group."""


@dataclass(frozen=True, slots=True)
class HookSettings:
    """What the hooks do."""

    recall: bool = True
    """Whether past work is recalled into a prompt."""
    digest: bool = True
    """Whether a session begins with a short digest of the project."""
    capture: bool = True
    """Whether sessions are captured."""
    tokens: int = 1200
    """Of the recalled block, at most; three bytes count as one."""
    digest_tokens: int = 400
    """Of the digest, at most."""
    limit: int = 12
    """Entries in the recalled block, at most."""
    external: bool = False
    """Whether what tools put out is recalled as well, quoted as data."""
    resident: bool = False
    """Whether a process stays beside the agents that recalls by meaning as well as by words, and ends by itself."""
    idle_minutes: float = 10.0
    """After so many minutes without a prompt it ends."""


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """What is captured."""

    outputs: bool = True
    """Whether what tools put out is kept (as external, with its middle cut out)."""
    exclude: tuple[str, ...] = ()
    """Folders of which nothing is captured or recalled: paths, with ``*`` and ``**``."""
    extractor: str = "rules"
    """``rules``, or the chat model ``provider:model`` that extracts facts besides them."""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """Everything that can be set for the agents."""

    memory: MemorySettings = field(default_factory=MemorySettings)
    hook: HookSettings = field(default_factory=HookSettings)
    capture: CaptureSettings = field(default_factory=CaptureSettings)

    def store(self, places: Places) -> Path:
        """The memory's file; one that is named relatively lies by the settings, wherever an agent works."""
        named = self.memory.store
        if not named:
            return places.store
        return places.home / named[2:] if named.startswith("~/") else places.settings.parent / named


def missing_folder(store: Path, places: Places) -> Path | None:
    """The folder without which nothing can be captured; None where it is there, or is the one that a capture makes.

    That is the folder of the memory at home alone: who names another knows who is to write there.
    """
    return None if store == places.store or store.parent.is_dir() else store.parent


def load_agent_settings(path: Path) -> AgentSettings:
    """The settings of a TOML file, the defaults where there is none; ``InvalidSettings`` for anything unknown."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return AgentSettings()
    except OSError as error:
        raise InvalidSettings(
            f"the agents' settings cannot be read: {error.strerror}",
            where=str(path),
            remedy="Make the file readable, or remove it.",
        ) from None
    import tomllib  # on first use, as what fills the record: most have no such file

    from truerecall.core.filling import filled

    try:
        data = tomllib.loads(text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidSettings(
            f"the agents' settings are not TOML: {error}",
            where=str(path),
            remedy="Mend the line that it names.",
        ) from None
    settings: AgentSettings = filled(AgentSettings(), data, str(path))
    check_agent_settings(settings, path)
    return settings


def check_agent_settings(settings: AgentSettings, path: Path) -> None:
    """Refuse values that nothing could work with; ``InvalidSettings`` names the table of ``path`` and what to write."""
    hook, mode, extractor = settings.hook, settings.memory.mode, settings.capture.extractor
    for name, number in (
        ("tokens", hook.tokens),
        ("digest_tokens", hook.digest_tokens),
        ("limit", hook.limit),
    ):
        if number < 1:
            raise InvalidSettings(
                f"{name} is {number}", where=f"{path}: hook", remedy="Give a whole number from 1."
            )
    if not 0 < hook.idle_minutes <= _MOST_MINUTES:
        raise InvalidSettings(
            f"idle_minutes is {hook.idle_minutes}",
            where=f"{path}: hook",
            remedy=f"Give minutes, more than 0 and at most {_MOST_MINUTES:,}.",
        )
    if not 0 <= mode <= 0o777 or mode & 0o600 != 0o600:  # as the store wants it: 660 without 0o is 0o1224
        meant = f"0o{mode}" if str(mode) in ("600", "640", "644", "660", "664", "666") else "0o600 or 0o660"
        raise InvalidSettings(
            f"mode = {mode} is the file mode {oct(mode)}",
            where=f"{path}: memory",
            remedy=f"Write {meant}: a file mode begins with 0o, and lets its owner read and write.",
        )
    provider, _, model = extractor.partition(":")
    if extractor != "rules" and not (provider.strip() and model.strip()):
        raise InvalidSettings(
            f"extractor = {extractor!r} names no provider",
            where=f"{path}: capture",
            remedy='Write "rules", or "provider:model" such as "openai:gpt-4.1".',
        )


def scope_of(settings: AgentSettings, project: Project, environment: Mapping[str, str]) -> Scope:
    """Who works on what: the settings' user, else git's of the repository, else the login name."""
    names = (settings.memory.user, project.email, environment.get("LOGNAME"), environment.get("USER"))
    named = next((name for name in names if name and name.strip()), "me")
    try:
        return Scope(settings.memory.tenant, project.space, named)
    except InvalidScope:
        if settings.memory.user or named == "me":
            raise
        return Scope(settings.memory.tenant, project.space, "me")  # what git is told may be anything
