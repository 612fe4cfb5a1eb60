"""``truerecall agents install``, ``uninstall``, ``doctor``, ``plugin``."""

import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import click

from truerecall.agents.records import ToolName
from truerecall.cli.text import Words, json_text, one_line, visible

if TYPE_CHECKING:
    from truerecall.agents.install.editing import Plan
    from truerecall.agents.install.records import Setup

_TOOL = click.Choice(get_args(ToolName))
_YES = click.option("--yes", is_flag=True, help="Do not ask; the diff is shown all the same.")
BAD_INPUT = 2


@click.command("install")
@click.argument("tools", metavar="TOOL...", nargs=-1, required=True, type=_TOOL)
@_YES
@click.option(
    "--store", type=click.Path(path_type=Path), help="The memory's file; a team names one they share."
)
@click.option("--tenant", type=Words(), help="The team.")
@click.option("--user", type=Words(), help="Who works here; git's user.email otherwise.")
def install_command(
    tools: tuple[str, ...], yes: bool, store: Path | None, tenant: str | None, user: str | None
) -> None:
    """Put hooks and the MCP server into each TOOL: claude-code, codex, opencode, cursor.

    The diff comes first. What is there stays; what is changed is backed up. --store, --tenant and --user are written
    into the settings of the agents' memory.
    """
    from truerecall.agents.install.editing import plan_install
    from truerecall.agents.install.own_settings import settings_change
    from truerecall.agents.install.present import lacking
    from truerecall.agents.install.programs import setup_of
    from truerecall.agents.install.table import tool_install

    setup = setup_of(os.environ)
    chosen = _chosen(tools)
    named = None if store is None else Path.cwd() / store.expanduser()
    settings = settings_change(setup, named, tenant, user)
    plan = plan_install(setup, {tool: tool_install(tool) for tool in chosen}, settings)
    if not plan.changes:
        click.echo(f"nothing to change: {', '.join(chosen)}")
    elif not _carried_out(setup, plan, yes, "Write this?"):
        return
    for tool in chosen:
        for note in tool_install(tool).notes(setup):
            click.echo(f"{tool}: {note}")
    for warning in lacking(setup, chosen):
        click.echo(f"truerecall: warning: {warning}", err=True)
    click.echo(f"check it: truerecall agents doctor {' '.join(chosen)}")


@click.command("uninstall")
@click.argument("tools", metavar="[TOOL...]", nargs=-1, type=_TOOL)
@_YES
def uninstall_command(tools: tuple[str, ...], yes: bool) -> None:
    """Take hooks and the MCP server out of each TOOL again, or of all that have them; the memory stays.

    A file that nobody changed since becomes what it was, to the byte; from another one only our pieces are taken out.
    """
    from truerecall.agents.install.editing import carry_out, plan_removal
    from truerecall.agents.install.present import installed_tools
    from truerecall.agents.install.programs import setup_of
    from truerecall.agents.install.table import tool_install

    setup = setup_of(os.environ)
    chosen = _chosen(tools) or installed_tools(setup)
    plan = plan_removal(setup, {tool: tool_install(tool) for tool in chosen})
    if not plan.changes:
        carry_out(setup, plan)  # a record of files that are gone
        click.echo(f"nothing of ours is in {', '.join(chosen) or 'any tool'}")
        return
    _carried_out(setup, plan, yes, "Take this out?")


@click.command("doctor")
@click.argument("tools", metavar="[TOOL...]", nargs=-1, type=_TOOL)
@click.option("--json", "as_json", is_flag=True, help="As one JSON array.")
def doctor_command(tools: tuple[str, ...], as_json: bool) -> None:
    """Check each TOOL end to end, or those that are installed; exit code 1 if something does not work.

    No model is called, and no memory is changed.
    """
    from truerecall.agents.doctor import examine
    from truerecall.agents.install.programs import setup_of
    from truerecall.core.clock import system_clock

    found = []
    for finding in examine(setup_of(os.environ), _chosen(tools), Path.cwd(), system_clock):
        found.append(finding)
        if not as_json:
            remedy = f" -> {one_line(finding.remedy)}" if finding.remedy else ""
            mark = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}[finding.level]
            click.echo(f"{mark} {finding.about}: {finding.check}: {one_line(finding.detail)}{remedy}")
    if as_json:
        click.echo(json_text([asdict(finding) for finding in found], indent=2))
    if any(finding.level == "fail" for finding in found):
        sys.exit(1)


@click.command("plugin")
def plugin_command() -> None:
    """Print the folder of the marketplace with the plugin for Claude Code."""
    from truerecall.agents.install.programs import PLUGIN

    click.echo(str(PLUGIN))


def _chosen(tools: Iterable[str]) -> tuple[ToolName, ...]:
    """Each once, in the order in which they were named."""
    return cast(tuple[ToolName, ...], tuple(dict.fromkeys(tools)))


def _carried_out(setup: "Setup", plan: "Plan", yes: bool, question: str) -> bool:
    """Show a plan, ask, and do it; leaves where nobody can be asked, or says no."""
    from truerecall.agents.install.editing import carry_out
    from truerecall.agents.install.showing import diff_of

    click.echo(visible(diff_of(plan.changes), keep="\n\t"), nl=False)
    if not yes and (sys.stdin is None or not sys.stdin.isatty()):
        click.echo(
            "truerecall: nothing was written. Look at the diff, then run it again with --yes.", err=True
        )
        sys.exit(BAD_INPUT)
    if not yes and not _confirmed(question):
        click.echo("nothing was written")
        sys.exit(1)
    carry_out(setup, plan)
    for change in plan.changes:
        click.echo(f"{'removed' if change.after is None else 'wrote'} {one_line(str(change.path))}")
    return True


def _confirmed(question: str) -> bool:
    try:
        return click.confirm(question)
    except click.Abort:  # Ctrl-C
        return False
