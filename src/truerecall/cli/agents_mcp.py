"""``truerecall agents mcp``: the memory of the present project over the Model Context Protocol."""

import os
from pathlib import Path

import click

from truerecall import __version__


@click.command("mcp")
@click.option(
    "--project",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Another folder's project.",
)
def mcp_command(project: Path | None) -> None:
    """Serve recall, remember, correct and forget on standard input and output, until the client closes it.

    Agents start this themselves once it is installed. The project is the one of the folder that it is started in, the
    store and the user those of the agents' settings.
    """
    from truerecall.agents.exclusion import excluded
    from truerecall.agents.places import OFF, Places, switched_off
    from truerecall.agents.project import project_of
    from truerecall.agents.settings import load_agent_settings, scope_of
    from truerecall.core.config import Settings, StoreSettings
    from truerecall.models.optional import load

    load("mcp", "agents")
    from truerecall.agents.mcp.server import build
    from truerecall.agents.mcp.serving import Serving

    places = Places.of(os.environ)
    settings = load_agent_settings(places.settings)
    folder = project or Path.cwd()
    found = project_of(folder, os.environ)
    scope = scope_of(settings, found, os.environ)
    kept = Settings(store=StoreSettings(mode=settings.memory.mode))
    off = None
    if switched_off(os.environ):
        off = f"the agents' memory is switched off by {OFF}"
    elif pattern := excluded(folder, settings.capture.exclude, places.home):
        off = f"this folder is kept out of the memory by {pattern}"
    serving = Serving(settings.store(places), scope, found, kept, off=off)
    try:
        build(serving, __version__).run()
    finally:
        serving.close()
