"""The real Codex in a home of its own, its model played by the scripted server on loopback."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from running import Ran, clean_environment, run

from truerecall.models.scripted import ScriptedServer

_CONFIG = """\
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{base_url}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
"""
TRUST_ALL = "--dangerously-bypass-hook-trust"
"""Runs hooks that nobody has reviewed: for an isolated home only."""


@dataclass(frozen=True, slots=True)
class CodexHome:
    """One user's Codex."""

    command: Path
    home: Path
    environment: dict[str, str]
    server: ScriptedServer | None = None

    @property
    def folder(self) -> Path:
        """CODEX_HOME: ``config.toml``, ``hooks.json``, ``sessions``."""
        return self.home / ".codex"

    def ask(
        self, prompt: str, *arguments: str, cwd: Path, resume: str | None = None, timeout: float = 120.0
    ) -> Ran:
        """One prompt without a terminal; ``out`` is an event a line. ``TRUST_ALL`` among the arguments runs hooks."""
        begin = ["exec", "resume"] if resume else ["exec"]
        end = [resume, "-"] if resume else ["-"]
        return run(
            [self.command, *begin, "--json", "--skip-git-repo-check", *arguments, *end],
            environment=self.environment, cwd=cwd, server=self.server, stdin=prompt, timeout=timeout,
        )  # fmt: skip

    def call(self, *arguments: str, cwd: Path | None = None) -> Ran:
        """Another of its commands: ``mcp list``."""
        return run(
            [self.command, *arguments], environment=self.environment, cwd=cwd or self.home, server=self.server
        )

    def trust(self) -> None:
        """Review every hook, as its user does by ``/hooks``: Codex notes it in ``config.toml``."""
        asked = (
            {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "1"}}},
            {"method": "initialized"},
            {"id": 2, "method": "hooks/list", "params": {"cwds": [str(self.home)]}},
        )
        process = subprocess.Popen(
            [self.command, "app-server"], env=self.environment, cwd=self.home, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        for message in asked:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        answer = next(line for line in map(json.loads, process.stdout) if line.get("id") == 2)
        process.stdin.close()  # it ends by itself then
        process.wait(30)
        process.stdout.close()
        hooks = [hook for item in answer["result"]["data"] for hook in item["hooks"]]
        with (self.folder / "config.toml").open("a", encoding="utf-8") as file:
            for hook in hooks:
                key = json.dumps(hook["key"])
                file.write(f'\n[hooks.state.{key}]\ntrusted_hash = "{hook["currentHash"]}"\n')


def fresh_codex(
    command: Path, home: Path, server: ScriptedServer | None = None, *, path: tuple[Path, ...] = ()
) -> CodexHome:
    """A home in which Codex was never started, its model set in ``config.toml``; ``path`` comes first on its PATH.

    The scenario answers ``POST /v1/responses``: one request a turn, and one more for each round of tools.
    """
    (home / ".codex").mkdir(parents=True, exist_ok=True)
    base_url = server.base_url if server is not None else "http://127.0.0.1:9/v1"
    (home / ".codex" / "config.toml").write_text(_CONFIG.format(base_url=base_url), encoding="utf-8")
    environment = {**clean_environment(home, path=path), "SCRIPTED_KEY": "dummy"}
    return CodexHome(command, home, environment, server)
