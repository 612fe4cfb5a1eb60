"""The real Claude Code in a home of its own, its model played by the scripted server on loopback."""

from dataclasses import dataclass
from pathlib import Path

from running import Ran, clean_environment, run

from truerecall.models.scripted import ScriptedServer

MODEL = "claude-sonnet-5-5"
QUIET = {
    # Without the first three it looks up names of hosts; traffic is to be loopback alone.
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",  # its own memory would be a second one
    "CLAUDE_CODE_MAX_RETRIES": "1",
    "IS_SANDBOX": "1",
}


@dataclass(frozen=True, slots=True)
class ClaudeHome:
    """One user's Claude Code."""

    command: Path
    home: Path
    environment: dict[str, str]
    server: ScriptedServer | None = None

    @property
    def settings(self) -> Path:
        """Where its hooks stand."""
        return self.home / ".claude" / "settings.json"

    def ask(self, prompt: str, *arguments: str, cwd: Path, timeout: float = 120.0) -> Ran:
        """One prompt without a terminal; ``out`` is the result as JSON. ``--resume ID`` goes on with a session."""
        return run(
            [self.command, "-p", "--model", MODEL, "--output-format", "json", "--permission-mode", "dontAsk",
             *arguments],
            environment=self.environment, cwd=cwd, server=self.server, stdin=prompt, timeout=timeout,
        )  # fmt: skip

    def call(self, *arguments: str, cwd: Path | None = None) -> Ran:
        """Another of its commands: ``mcp list``, ``plugin install``."""
        return run(
            [self.command, *arguments], environment=self.environment, cwd=cwd or self.home, server=self.server
        )


def fresh_claude(
    command: Path, home: Path, server: ScriptedServer | None = None, *, path: tuple[Path, ...] = ()
) -> ClaudeHome:
    """A home in which Claude Code was never started; folders of ``path`` come first on its PATH.

    The scenario answers ``POST /v1/messages`` alone: one request a turn, and one more for each round of tools.
    """
    home.mkdir(parents=True, exist_ok=True)
    environment = {**clean_environment(home, path=path), **QUIET, "ANTHROPIC_API_KEY": "dummy"}
    if server is not None:
        environment["ANTHROPIC_BASE_URL"] = server.root
    return ClaudeHome(command, home, environment, server)
