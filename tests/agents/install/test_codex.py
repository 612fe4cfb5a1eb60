"""What is written for Codex, and what of the user's stays."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.install import codex
from truerecall.agents.install.records import Setup
from truerecall.agents.install.toml_edit import MARK
from truerecall.errors import InstallError

HOOK = "/usr/local/bin/truerecall-hook codex"


def hook(**values: int) -> list[dict[str, Any]]:
    return [{"hooks": [{"type": "command", "command": HOOK, **values}]}]


def config(setup: Setup) -> str:
    """What ``config.toml`` is to become."""
    (_, change) = codex.changes(setup)
    assert change.after is not None
    return change.after.decode()


def test_an_empty_home_gets_hooks_server_and_notify(home: Path, setup: Setup) -> None:
    (hooks, settings) = codex.changes(setup)

    assert (hooks.path, settings.path) == (home / ".codex" / "hooks.json", home / ".codex" / "config.toml")
    assert json.loads(hooks.after or b"") == {
        "hooks": {
            "SessionStart": hook(timeout=10, additionalContextLimit=0),
            "UserPromptSubmit": hook(timeout=10, additionalContextLimit=0),
            "Stop": hook(timeout=15),
            "SubagentStop": hook(timeout=15),
            "PreCompact": hook(timeout=15),
            "SessionEnd": hook(timeout=3),
        }
    }
    assert tomllib.loads((settings.after or b"").decode()) == {
        "notify": ["/usr/local/bin/truerecall-hook", "codex-notify"],
        "mcp_servers": {"truerecall": {"command": "/usr/local/bin/truerecall", "args": ["agents", "mcp"]}},
    }


def test_trust_and_approval_are_left_to_the_user(setup: Setup) -> None:
    written = b"".join(change.after or b"" for change in codex.changes(setup))

    assert b"trust" not in written.replace(b"truerecall", b"")
    assert b"approval" not in written
    assert codex.notes(setup) == [
        "start codex and give /hooks: it runs the hooks only after you have looked at them there"
    ]


def test_a_named_folder_is_used(home: Path, setup: Setup) -> None:
    named = replace(setup, environment={"CODEX_HOME": str(home / "cx")})

    assert {change.path.parent for change in codex.changes(named)} == {home / "cx"}


def test_the_notify_of_the_user_stays(home: Path, setup: Setup) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('notify = ["mine"]\n')

    assert config(setup) == (
        f'notify = ["mine"]\n\n{MARK}\n[mcp_servers.truerecall]\n'
        'command = "/usr/local/bin/truerecall"\nargs = ["agents", "mcp"]\n'
    )


def test_entries_of_an_older_installation_are_replaced(home: Path, setup: Setup) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(
        'notify = ["/old/truerecall-hook", "codex-notify"]\n[mcp_servers.truerecall]\n'
        'command = "/old/truerecall"\nargs = ["agents", "mcp"]\nstartup_timeout_sec = 5\n'
    )

    assert tomllib.loads(config(setup)) == {
        "notify": ["/usr/local/bin/truerecall-hook", "codex-notify"],
        "mcp_servers": {
            "truerecall": {
                "command": "/usr/local/bin/truerecall",
                "args": ["agents", "mcp"],
                "startup_timeout_sec": 5,
            }
        },
    }


def test_a_server_of_somebody_else_under_our_name_is_not_touched(home: Path, setup: Setup) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[mcp_servers.truerecall]\nurl = "http://127.0.0.1:1/mcp"\n')

    with pytest.raises(InstallError, match="another MCP server is called truerecall already"):
        codex.changes(setup)
    assert [change for change in codex.removed(setup) if change.before != change.after] == []


@pytest.mark.parametrize(
    ("name", "data"), [("hooks.json", "{"), ("config.toml", "a = "), ("hooks.json", "[]")]
)
def test_a_broken_file_is_an_error_that_names_it(name: str, data: str, home: Path, setup: Setup) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / name).write_text(data)

    with pytest.raises(InstallError, match=name):
        codex.changes(setup)
