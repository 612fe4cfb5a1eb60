"""The programs that are installed: those of the environment that runs."""

import os
import shutil
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from truerecall.agents.install.records import HOOK_NAME, SERVER_NAME, Setup
from truerecall.agents.places import Places
from truerecall.errors import InstallError

PLUGIN = Path(__file__).with_name("plugin")
"""The marketplace with the plugin for Claude Code: a folder that ``claude plugin marketplace add`` takes."""


def setup_of(environment: Mapping[str, str]) -> Setup:
    """What this environment installs; ``InstallError`` where its own programs cannot be found."""
    hook = program(HOOK_NAME, environment)
    server = program(SERVER_NAME, environment)
    return Setup(Places.of(environment), environment, (str(hook),), (str(server), "agents", "mcp"))


def program(name: str, environment: Mapping[str, str]) -> Path:
    """The whole path of a program of this package: beside this Python, else on PATH."""
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        found = shutil.which(name, path=sysconfig.get_path("scripts", scheme))
        if found is not None:
            return Path(os.path.abspath(found))  # noqa: PTH100 - a link to it is its name, and stays over upgrades
    found = shutil.which(name, path=environment.get("PATH"))
    if found is None:
        raise InstallError(
            f"{name} is neither beside this Python nor on PATH",
            where=sysconfig.get_path("scripts"),
            remedy="Install the package with pip, as truerecall[agents].",
        )
    return Path(os.path.abspath(found))  # noqa: PTH100 - as above
