"""``truerecall study``: does memory pay for a coding agent? An experiment on one's own repositories and sessions."""

from collections.abc import Mapping

import click

from truerecall.cli.lazy import LazyGroup

_COMMANDS: Mapping[str, tuple[str, str]] = {}
"""Every command: the module that holds it, and its line in ``--help``."""


@click.group("study", cls=LazyGroup, table=_COMMANDS)
def study_command() -> None:
    """Does memory pay for a coding agent? An experiment on your own repositories and recorded sessions."""
