"""``truerecall agents env``: the variables with which every other command works on this folder's memory."""

import os
import shlex
from pathlib import Path

import click


@click.command("env")
def env_command() -> None:
    """Print the variables that make `list`, `recall`, `correct`, `purge` … work on the memory of this folder's project.

    For a shell: eval "$(truerecall agents env)". They name the store, the team, the user and the project that the
    hooks use here, so that what is private to you is yours there as well.
    """
    from truerecall.agents.places import Places
    from truerecall.agents.project import project_of
    from truerecall.agents.settings import load_agent_settings, scope_of

    places = Places.of(os.environ)
    settings = load_agent_settings(places.settings)
    scope = scope_of(settings, project_of(Path.cwd(), os.environ), os.environ)
    named = {
        "TRUERECALL_STORE": str(settings.store(places)),
        "TRUERECALL_TENANT": scope.tenant,
        "TRUERECALL_USER": scope.user,
        "TRUERECALL_SPACE": scope.space,
    }
    for name, value in named.items():
        click.echo(f"export {name}={shlex.quote(value)}")
