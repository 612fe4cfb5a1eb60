"""``truerecall study``: does memory pay for a coding agent? An experiment on one's own repositories and sessions."""

from collections.abc import Mapping

import click

from truerecall.cli.lazy import LazyGroup

_COMMANDS: Mapping[str, tuple[str, str]] = {
    "init": ("study_init", "Begin a study: propose questions from what your agents' memory has captured."),
    "keys": ("study_keys", "The facts that decide what is correct: draft, check, approve."),
    "plan": ("study_run", "Say what would be run and what it may cost; nothing is asked."),
    "run": ("study_run", "Run it, and write the report; a second start goes on where the first one ended."),
    "status": ("study_run", "Show how far a run is and what it has spent."),
    "audit": ("study_report", "Hold a run's ledger against its transcripts; list what was thrown out."),
    "report": ("study_report", "Write the report of a run from its folder alone."),
    "demo": ("study_demo", "The sample study with the real Claude Code and a scripted model, without a key."),
}
"""Every command: the module that holds it, and its line in ``--help``."""


@click.group("study", cls=LazyGroup, table=_COMMANDS)
def study_command() -> None:
    """Does memory pay for a coding agent? An experiment on your own repositories and recorded sessions."""
