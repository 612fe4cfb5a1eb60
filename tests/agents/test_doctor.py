"""``doctor``: each way in which the memory does not work in a tool is found, and said what to do about."""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.agents.doctor import Finding, examine
from truerecall.agents.install import claude_code, codex
from truerecall.agents.install.editing import carry_out, plan_install
from truerecall.agents.install.probing import hook_trust, try_hook, version_of
from truerecall.agents.install.records import Setup
from truerecall.agents.install.table import TOOLS, tool_install
from truerecall.agents.journal import Note, NoteOutcome, note
from truerecall.agents.places import Places
from truerecall.agents.records import ToolName
from truerecall.core.clock import ManualClock

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are scripts of sh")

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
CODEX = """\
import json, sys
if sys.argv[1:] == ["--version"]:
    print("codex-cli 0.171.0")
    sys.exit()
if "{trust}" == "dumb":
    sys.exit(1)
if "{trust}" == "slow":
    import time
    time.sleep(60)
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("id") == 1:
        print("not JSON")
        print(json.dumps({{"id": 1, "result": {{}}}}), flush=True)
    elif asked.get("id") == 2:
        print(json.dumps({{"method": "configWarning"}}))
        hooks = json.load(open("{hooks}"))["hooks"]
        names = {{event: event[0].lower() + event[1:] for event in hooks}}
        found = [
            {{"eventName": names[event], "command": hook["command"], "trustStatus": "{trust}", "enabled": {enabled}}}
            for event, groups in hooks.items() for group in groups for hook in group["hooks"]
        ]
        print(json.dumps({{"id": 2, "result": {{"data": [{{"cwd": asked["params"]["cwds"][0], "hooks": found}}]}}}}), flush=True)
"""  # noqa: E501


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder / "truerecall-hook", "-m", "truerecall.agents.hook.main")
    script(folder / "claude", "echo '2.1.332 (Claude Code)'")
    return folder


@pytest.fixture
def setup(tmp_path: Path, bin_folder: Path) -> Setup:
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": f"{bin_folder}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    return Setup(
        Places.of(environment),
        environment,
        (str(bin_folder / "truerecall-hook"),),
        (str(bin_folder / "truerecall"), "agents", "mcp"),
    )


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def program(path: Path, *arguments: str) -> None:
    words = " ".join(f'"{word}"' for word in (sys.executable, *arguments))
    script(path, f'exec {words} "$@"')


def codex_program(folder: Path, setup: Setup, trust: str = "trusted", enabled: bool = True) -> Path:
    code = folder / "codex.py"
    code.write_text(
        CODEX.format(trust=trust, enabled=enabled, hooks=codex.hooks_path(setup)), encoding="utf-8"
    )
    program(folder / "codex", str(code))
    return folder / "codex"


def install(setup: Setup, *tools: ToolName) -> None:
    carry_out(setup, plan_install(setup, {tool: tool_install(tool) for tool in tools}))


def examined(setup: Setup, *tools: ToolName) -> tuple[Finding, ...]:
    return tuple(examine(setup, tools, setup.places.home, ManualClock(NOON)))


def of(findings: tuple[Finding, ...], check: str) -> Finding:
    (finding,) = (finding for finding in findings if finding.check == check)
    return finding


def told(
    setup: Setup,
    outcome: NoteOutcome,
    minute: int,
    tool: str = "claude-code",
    event: str = "UserPromptSubmit",
    **values: object,
) -> None:
    note(setup.places, Note(NOON.replace(minute=minute), tool, event, outcome, **values))  # type: ignore[arg-type]


def test_a_tool_that_works_passes_every_check(setup: Setup, bin_folder: Path) -> None:
    install(setup, "claude-code")
    told(setup, "injected", 1, entries=3)
    told(setup, "captured", 2, entries=7)

    findings = examined(setup, "claude-code")

    assert {finding.level for finding in findings} == {"ok"}
    assert [(finding.check, finding.detail) for finding in findings if finding.check != "hook"] == [
        ("settings", "the defaults"),
        ("store", f"{setup.places.store}: not there yet, the first capture makes it"),
        ("command line", f"{bin_folder / 'claude'}, 2.1.332 (Claude Code)"),
        ("installed", "all pieces are in place"),
        ("fired", "2024-05-07 12:02:00Z"),
        ("recalled", "2024-05-07 12:01:00Z, 3 entries"),
        ("captured", "2024-05-07 12:02:00Z, 7 entries"),
    ]


def test_every_tool_is_checked_alike(setup: Setup) -> None:
    install(setup, *TOOLS)

    findings = examined(setup)

    for check in ("installed", "hook"):
        found = [(finding.about, finding.level) for finding in findings if finding.check == check]
        assert found == [(tool, "ok") for tool in TOOLS]


def test_without_a_name_the_installed_tools_are_checked(setup: Setup) -> None:
    install(setup, "claude-code")

    assert {finding.about for finding in examined(setup)} == {"memory", "claude-code"}


def test_where_nothing_is_installed_that_is_a_failure(setup: Setup) -> None:
    assert of(examined(setup), "tools") == Finding(
        "memory", "tools", "fail", "it is installed in no tool", "truerecall agents install TOOL"
    )


def test_nothing_of_the_home_is_changed_and_nothing_is_left_running(setup: Setup) -> None:
    install(setup, "claude-code")
    before = {path: path.stat().st_mtime_ns for path in setup.places.home.rglob("*")}

    examined(setup, "claude-code")

    assert {path: path.stat().st_mtime_ns for path in setup.places.home.rglob("*")} == before


def test_a_tool_without_its_command_line_is_a_warning(setup: Setup, bin_folder: Path) -> None:
    (bin_folder / "claude").unlink()

    assert of(examined(setup, "claude-code"), "command line").level == "warn"


def test_a_command_line_that_fails_or_hangs_is_a_failure(setup: Setup, bin_folder: Path) -> None:
    script(bin_folder / "claude", "exit 3")
    assert of(examined(setup, "claude-code"), "command line").level == "fail"

    script(bin_folder / "claude", "exec sleep 60")
    began = time.monotonic()
    assert version_of(str(bin_folder / "claude"), setup.environment, 0.2) is None
    assert time.monotonic() - began < 30


def test_what_is_not_installed_or_was_changed_is_a_failure(setup: Setup) -> None:
    missing = of(examined(setup, "claude-code"), "installed")
    assert (missing.level, missing.remedy) == ("fail", "truerecall agents install claude-code")
    assert missing.detail.startswith("it is not installed: ")

    install(setup, "claude-code")
    path = claude_code.settings_path(setup)
    path.write_text(path.read_text().replace('"timeout": 15', '"timeout": 1'))
    changed = of(examined(setup, "claude-code"), "installed")
    assert changed.detail == f"the pieces are not those of this installation: {path}"


def test_broken_settings_of_the_tool_are_a_failure(setup: Setup) -> None:
    install(setup, "claude-code")
    claude_code.settings_path(setup).write_text("{")

    assert of(examined(setup, "claude-code"), "installed").level == "fail"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("exit 1", "it ended with code 1"),
        ("echo ImportError: no such module >&2; exit 1", "it ended with code 1: ImportError: no such module"),
        ("echo hello", "it printed what is no JSON"),
        ("exit 0", "it wrote nothing into its journal"),
        ("exec sleep 60", "it did not answer within 0.3 s"),
    ],
)
def test_a_hook_that_does_not_work_is_found_though_it_fails_open(
    text: str, problem: str, setup: Setup, bin_folder: Path
) -> None:
    script(bin_folder / "truerecall-hook", text)

    assert try_hook(setup.hook_command("claude-code"), setup.environment, 0.3).problem == problem


def test_a_hook_whose_program_is_gone_is_a_failure(setup: Setup, bin_folder: Path) -> None:
    install(setup, "claude-code")
    (bin_folder / "truerecall-hook").unlink()

    finding = of(examined(setup, "claude-code"), "hook")

    assert finding.level == "fail"
    assert finding.detail.endswith(f"there is no program {bin_folder / 'truerecall-hook'}")


def test_the_hook_is_tried_for_every_tool_without_its_switches(setup: Setup) -> None:
    environment = {**setup.environment, "TRUERECALL_AGENTS_OFF": "1", "CURSOR_VERSION": "3"}

    for tool in ("claude-code", "codex", "opencode", "cursor"):
        assert try_hook(setup.hook_command(tool), environment).problem is None


@pytest.mark.parametrize(
    ("trust", "enabled", "level", "detail"),
    [
        ("trusted", True, "ok", "6 hooks"),
        ("managed", True, "ok", "6 hooks"),
        ("untrusted", True, "fail", "codex skips what nobody reviewed: preCompact, sessionEnd"),
        ("modified", True, "fail", "codex skips what nobody reviewed: preCompact, sessionEnd"),
        ("trusted", False, "fail", "codex skips what nobody reviewed: preCompact, sessionEnd"),
        ("dumb", True, "warn", "codex does not say which hooks it trusts"),
    ],
)
def test_codex_is_asked_whether_it_trusts_the_hooks(
    trust: str, enabled: bool, level: str, detail: str, setup: Setup, bin_folder: Path
) -> None:
    codex_program(bin_folder, setup, trust, enabled)
    install(setup, "codex")

    finding = of(examined(setup, "codex"), "trusted")

    assert (finding.level, finding.detail[: len(detail)]) == (level, detail)
    assert finding.remedy == ("" if level == "ok" else "start codex and give /hooks")


def test_a_codex_that_does_not_answer_is_ended(setup: Setup, bin_folder: Path) -> None:
    install(setup, "codex")
    slow = codex_program(bin_folder, setup, "slow")

    assert hook_trust(str(slow), setup.environment, setup.places.home, 0.3) is None


def test_settings_of_ours_that_are_broken_are_a_failure(setup: Setup) -> None:
    setup.places.settings.parent.mkdir(parents=True)
    setup.places.settings.write_text("[hok]\n")

    assert of(examined(setup, "claude-code"), "settings").level == "fail"


def test_what_is_switched_off_is_a_warning(setup: Setup) -> None:
    setup.places.settings.parent.mkdir(parents=True)
    setup.places.settings.write_text("[hook]\ncapture = false\n")
    off = replace(setup, environment={**setup.environment, "TRUERECALL_AGENTS_OFF": "1"})

    findings = examined(off, "claude-code")

    assert ("warn", "TRUERECALL_AGENTS_OFF is set here: hooks do nothing") in levels(findings)
    assert ("warn", "capture is off") in levels(findings)


def levels(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(finding.level, finding.detail) for finding in findings]


def test_a_store_that_does_not_open_is_a_failure(setup: Setup) -> None:
    setup.places.store.parent.mkdir(parents=True)
    setup.places.store.write_bytes(b"not a store" * 100)

    assert of(examined(setup, "claude-code"), "store").level == "fail"


def test_a_store_of_something_else_is_a_failure(setup: Setup) -> None:
    setup.places.store.parent.mkdir(parents=True)
    with sqlite3.connect(setup.places.store) as other:
        other.execute("CREATE TABLE t (x)")
    other.close()

    assert of(examined(setup, "claude-code"), "store").level == "fail"


def test_a_named_store_without_its_folder_is_a_failure_until_the_folder_is_there(setup: Setup) -> None:
    folder = setup.places.home / "team"
    setup.places.settings.parent.mkdir(parents=True)
    setup.places.settings.write_text('[memory]\nstore = "~/team/memory.db"\n')

    assert of(examined(setup, "claude-code"), "store") == Finding(
        "memory",
        "store",
        "fail",
        f"{folder}/memory.db: there is no folder {folder}, so every capture fails",
        f"make it for all who share the memory, or name another store in {setup.places.settings}",
    )
    assert not folder.exists()

    folder.mkdir()
    assert of(examined(setup, "claude-code"), "store").level == "ok"


def test_without_git_a_warning_says_what_a_project_is_then(setup: Setup, bin_folder: Path) -> None:
    bare = replace(setup, environment={**setup.environment, "PATH": str(bin_folder)})

    finding = of(examined(bare, "claude-code"), "git")

    assert (finding.level, finding.remedy) == ("warn", "install git, or mend PATH")
    assert "known by its folder alone" in finding.detail


def test_a_server_whose_library_is_missing_is_a_failure(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truerecall.agents.install.present.find_spec", lambda name: None)

    assert of(examined(setup, "claude-code"), "MCP server").remedy == "install truerecall[agents]"


def test_another_installation_on_path_is_a_warning(setup: Setup, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    script(other / "truerecall-hook", "exit 0")
    path = f"{other}{os.pathsep}{setup.environment['PATH']}"

    finding = of(
        examined(replace(setup, environment={**setup.environment, "PATH": path}), "claude-code"),
        "installations",
    )

    assert (finding.level, finding.detail) == (
        "warn",
        f"PATH has another truerecall-hook: {other / 'truerecall-hook'}",
    )


def settings(setup: Setup, values: Mapping[str, object]) -> None:
    path = claude_code.settings_path(setup)
    path.parent.mkdir(parents=True, exist_ok=True)
    held = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**held, **values}))


PLUGIN = {"enabledPlugins": {"truerecall@truerecall": True}}


def test_the_plugin_beside_hooks_in_the_settings_is_a_warning(setup: Setup) -> None:
    install(setup, "claude-code")
    settings(setup, PLUGIN)

    finding = of(examined(setup, "claude-code"), "installations")

    assert finding.level == "warn"
    assert finding.remedy == "truerecall agents uninstall claude-code, or disable the plugin"


def test_the_plugin_alone_is_an_installation(setup: Setup) -> None:
    settings(setup, PLUGIN)

    assert of(examined(setup), "installed") == Finding(
        "claude-code", "installed", "ok", "the plugin brings them"
    )


def test_the_plugin_without_the_hook_on_path_is_a_failure(setup: Setup) -> None:
    settings(setup, PLUGIN)
    bare = replace(setup, environment={**setup.environment, "PATH": "/usr/bin:/bin"})

    assert of(examined(bare, "claude-code"), "plugin").level == "fail"


def test_hooks_that_are_all_disabled_are_a_failure(setup: Setup) -> None:
    install(setup, "claude-code")
    settings(setup, {"disableAllHooks": True})

    assert of(examined(setup, "claude-code"), "hooks").detail == "disableAllHooks is set"


def test_hooks_that_never_fired_are_a_warning(setup: Setup) -> None:
    told(setup, "injected", 1, tool="codex")

    assert of(examined(setup, "claude-code"), "fired").level == "warn"


def test_the_last_error_is_a_failure_until_a_later_call_went_well(setup: Setup) -> None:
    told(setup, "nothing", 1)
    told(setup, "failed", 2, error="StoreLocked: the store is locked")
    failed = of(examined(setup, "claude-code"), "last error")
    assert (failed.level, failed.detail) == (
        "fail",
        "2024-05-07 12:02:00Z, UserPromptSubmit: StoreLocked: the store is locked",
    )

    told(setup, "nothing", 3)
    mended = of(examined(setup, "claude-code"), "last error")
    assert (mended.level, mended.detail, mended.remedy) == (
        "warn",
        f"{failed.detail} (mended since: 2024-05-07 12:03:00Z)",
        "",
    )


def test_a_capture_that_failed_is_not_mended_by_prompts_that_went_well(setup: Setup) -> None:
    told(setup, "failed", 2, event="capture", error="StoreError: there is no such folder")
    told(setup, "injected", 3, entries=2)
    told(setup, "started", 4, event="Stop")
    assert of(examined(setup, "claude-code"), "last error").level == "fail"

    told(setup, "captured", 5, event="sweep", entries=2)
    assert of(examined(setup, "claude-code"), "last error").level == "warn"
