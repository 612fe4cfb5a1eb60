"""The real OpenCode in a home of its own, its model played by the scripted server on loopback."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from running import Ran, clean_environment, run

from truerecall.models.scripted import ScriptedServer

_QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
}
_PLUGINS = "@opencode-ai/plugin"
"""A package that OpenCode installs into its folder for plugins unless the lock file there names it: 80 s offline."""


@dataclass(frozen=True, slots=True)
class OpenCodeHome:
    """One user's OpenCode."""

    command: Path
    home: Path
    environment: dict[str, str]
    server: ScriptedServer | None = None

    @property
    def folder(self) -> Path:
        """The folder of settings: ``opencode.json``, ``plugin``."""
        return self.home / ".config" / "opencode"

    @property
    def database(self) -> Path:
        """Where the sessions are."""
        return self.home / ".local" / "share" / "opencode" / "opencode.db"

    def ask(
        self, prompt: str, *arguments: str, cwd: Path, resume: str | None = None, timeout: float = 120.0
    ) -> Ran:
        """One prompt without a terminal; ``out`` is an event a line.

        ``said`` begins with the request for a title where the session is new, which has the prompt as well.
        """
        going_on = ["--session", resume] if resume else []
        return run(
            [self.command, "run", "--format", "json", *going_on, *arguments],
            environment=self.environment, cwd=cwd, server=self.server, stdin=prompt, timeout=timeout,
        )  # fmt: skip

    def call(self, *arguments: str, cwd: Path | None = None) -> Ran:
        """Another of its commands: ``mcp list``, ``export SESSION``."""
        return run(
            [self.command, *arguments], environment=self.environment, cwd=cwd or self.home, server=self.server
        )


def session_of(ran: Ran) -> str:
    """The id of the session that a prompt was asked in."""
    found: str = json.loads(ran.out.splitlines()[0])["sessionID"]
    return found


def fresh_opencode(
    command: Path, home: Path, server: ScriptedServer | None = None, *, path: tuple[Path, ...] = ()
) -> OpenCodeHome:
    """A home in which OpenCode was never started, its model set in ``opencode.json``; ``path`` comes first on its PATH.

    The scenario answers chat completions: one request for a title, one a turn, and one more for each round of tools.
    Its own search tools need ``rg`` on PATH.
    """
    folder = home / ".config" / "opencode"
    (folder / "node_modules").mkdir(parents=True, exist_ok=True)
    _write(folder / "package.json", {"dependencies": {_PLUGINS: "*"}})
    _write(
        folder / "package-lock.json",
        {"lockfileVersion": 3, "packages": {"": {"dependencies": {_PLUGINS: "*"}}}},
    )
    base_url = server.base_url if server is not None else "http://127.0.0.1:9/v1"
    limits = {"context": 200_000, "output": 8_000}
    model = {"tool_call": True, "limit": limits, "cost": {"input": 2, "output": 10}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": base_url, "apiKey": "dummy"},
        "models": {"scripted": model},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "fake/scripted",
        "small_model": "fake/scripted",
        "provider": {"fake": provider},
    }
    _write(folder / "opencode.json", settings)
    return OpenCodeHome(command, home, {**clean_environment(home, path=path), **_QUIET}, server)


def _write(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
