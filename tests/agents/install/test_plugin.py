"""The plugin for Claude Code, as it lies in the package."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

import truerecall
from truerecall.agents.install.claude_code import TIMEOUTS
from truerecall.agents.install.programs import PLUGIN
from truerecall.agents.install.records import Setup

SCRIPT = PLUGIN / "hooks" / "hook.sh"


def read(name: str) -> dict[str, object]:
    value = json.loads((PLUGIN / name).read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


def test_the_plugin_has_the_version_of_the_package() -> None:
    assert read(".claude-plugin/plugin.json")["version"] == truerecall.__version__


def test_the_plugin_listens_to_what_installing_listens_to() -> None:
    hooks = read("hooks/hooks.json")["hooks"]

    assert hooks == {
        event: [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/hook.sh"',
                        "timeout": seconds,
                    }
                ]
            }
        ]
        for event, seconds in TIMEOUTS.items()
    }


def test_the_readme_says_enough_for_a_catalogue() -> None:
    assert len((PLUGIN / "README.md").read_text(encoding="utf-8").split()) >= 40


def test_every_file_of_the_plugin_would_be_packed() -> None:
    # Patterns of package data pass over names that begin with a dot, but for the folder that is named by itself.
    hidden = sorted(
        str(path.relative_to(PLUGIN))
        for path in PLUGIN.rglob("*")
        if path.is_file() and any(part.startswith(".") for part in path.relative_to(PLUGIN).parts)
    )

    assert hidden == [".claude-plugin/marketplace.json", ".claude-plugin/plugin.json"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home and a hook that echoes what it gets."""
    folder = tmp_path / "a bin"
    folder.mkdir()
    (folder / "truerecall-hook").write_text('#!/bin/sh\necho "$1"\ncat\n')
    (folder / "truerecall-hook").chmod(0o755)
    (tmp_path / ".claude").mkdir()
    return {"HOME": str(tmp_path), "PATH": f"{folder}:/usr/bin:/bin"}


def called(environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        ["sh", str(SCRIPT)], env=environment, input="{}", capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


needs_sh = pytest.mark.skipif(os.name == "nt", reason="there is no sh")


@needs_sh
def test_the_plugin_calls_the_hook(environment: dict[str, str]) -> None:
    assert called(environment) == "claude-code\n{}"


@needs_sh
def test_without_the_package_it_is_silent(environment: dict[str, str]) -> None:
    assert called({**environment, "PATH": "/usr/bin:/bin"}) == ""


@needs_sh
@pytest.mark.parametrize("hook", ["/usr/bin/truerecall-hook", "/a b/truerecall-hook"])
@pytest.mark.parametrize("variable", [False, True])
def test_it_stands_down_where_the_settings_hold_the_hooks(
    hook: str, variable: bool, environment: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "a cfg" if variable else tmp_path / ".claude"
    folder.mkdir(exist_ok=True)
    setup = Setup(None, {}, (hook,), ())  # type: ignore[arg-type]
    settings = {"hooks": {"Stop": [{"hooks": [{"command": setup.hook_command("claude-code")}]}]}}
    (folder / "settings.json").write_text(json.dumps(settings))

    assert called(environment | ({"CLAUDE_CONFIG_DIR": str(folder)} if variable else {})) == ""


@needs_sh
def test_settings_that_only_name_the_hook_do_not_silence_it(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / ".claude" / "settings.json").write_text(
        '{"permissions": {"allow": ["Bash(truerecall-hook *)"]}}'
    )

    assert called(environment) == "claude-code\n{}"
