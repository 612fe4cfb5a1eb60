"""The options that name a memory, the same for every command, and opening it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truerecall.cli.text import Words
from truerecall.core.clock import parse_instant
from truerecall.core.config import Settings, load_settings
from truerecall.core.entry import Scope
from truerecall.errors import InvalidInput, InvalidScope, InvalidTime, StoreError

if TYPE_CHECKING:
    from truerecall.memory.memory import Memory


@dataclass(frozen=True, slots=True)
class Place:
    """Which memory a command works on."""

    store: Path
    user: str
    tenant: str
    space: str
    embedder: str
    settings: Settings

    def scope(self) -> Scope:
        """Who works in it; ``InvalidScope`` if that could mean everyone."""
        return Scope(self.tenant, self.space, self.user)

    def open(self, create: bool = False) -> "Memory":
        """Open it; only ``create`` makes a store where there is none."""
        from truerecall.memory.memory import Memory  # numpy loads here, not for --help

        if not create and not self.store.exists():
            raise StoreError(
                "there is no store yet",
                where=str(self.store),
                remedy="`truerecall remember` makes one; or name another with --store.",
            )
        return Memory.open(
            self.store,
            user=self.user,
            tenant=self.tenant,
            space=self.space,
            embedder=self.embedder,
            settings=self.settings,
        )


_OPTIONS = (
    click.option("--store", type=click.Path(path_type=Path), default="truerecall.db", envvar="TRUERECALL_STORE",
                 show_default=True, help="The SQLite file."),
    click.option("--user", type=Words(), default="me", envvar="TRUERECALL_USER", show_default=True,
                 help="Who writes and reads."),
    click.option("--tenant", type=Words(), default="local", envvar="TRUERECALL_TENANT", show_default=True,
                 help="A team or a customer."),
    click.option("--space", type=Words(), default="default", envvar="TRUERECALL_SPACE", show_default=True,
                 help="What the memory belongs to: an agent, a repository."),
    click.option("--embedder", default="auto", envvar="TRUERECALL_EMBEDDER", show_default=True,
                 help="auto (the local model if installed), none, local, hashing."),
    click.option("--settings", type=click.Path(path_type=Path), envvar="TRUERECALL_SETTINGS", help="A TOML file."),
)  # fmt: skip


def memory_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name a memory; the command gets them as one ``place``."""

    @wraps(command)
    def call(
        store: Path, user: str, tenant: str, space: str, embedder: str, settings: Path | None, **rest: Any
    ) -> None:
        for name in ("TRUERECALL_USER", "TRUERECALL_TENANT", "TRUERECALL_SPACE"):
            # click takes an empty one for unset, and a slip in a script would mean somebody else
            if os.environ.get(name) == "":
                raise InvalidScope(f"{name} is empty", where=name, remedy="Set it to a name, or unset it.")
        if str(store) == ":memory:":
            raise InvalidInput("a command keeps its memory in a file", where="--store", remedy="Name a file.")
        chosen = Settings() if settings is None else load_settings(settings)
        command(place=Place(store, user, tenant, space, embedder, chosen), **rest)

    for option in reversed(_OPTIONS):
        call = option(call)
    return call


class Instant(click.ParamType[datetime]):
    """An ISO 8601 instant with its zone."""

    name = "instant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Parse it; our own error says what is wrong."""
        if isinstance(value, datetime):
            return value
        option = param.opts[0] if param else "time"
        try:
            return parse_instant(value, option)
        except InvalidTime as error:
            raise InvalidTime(
                error.problem, where=option, remedy="Write it like 2024-05-07T09:30:00Z."
            ) from None
