"""What the commands of the benchmark are given alike: data, the folder of runs, systems."""

from pathlib import Path

import click

from truerecall.bench.systems.protocol import System
from truerecall.bench.systems.table import SYSTEMS, create
from truerecall.errors import InvalidInput

data_option = click.option(
    "--data",
    "folder",
    type=click.Path(path_type=Path),
    envvar="TRUERECALL_BENCH_DATA",
    required=True,
    help="The folder (or one file) with the data sets.",
)
"""Adds the data sets; the command gets their place as ``folder``."""
out_option = click.option(
    "--out", type=click.Path(path_type=Path), default="runs", show_default=True, help="Where runs are kept."
)
"""Adds the folder of runs; the command gets it as ``out``."""


def system_of(spec: str, remedy: str) -> System:
    """The system of ``NAME`` or ``NAME,option=value,option=value``.

    Args:
        spec: As it was typed.
        remedy: How a control gets in.

    Raises:
        InvalidInput: it is a control, or nothing that names a system.
    """
    name, *given = spec.split(",")
    if name in SYSTEMS and SYSTEMS[name].control:
        raise InvalidInput(f"{name} is a control", remedy=remedy)
    options = dict(part.split("=", 1) for part in given if "=" in part)
    if len(options) != len(given):
        raise InvalidInput(
            f"{spec!r} is not a system", remedy="Write NAME or NAME,option=value,option=value."
        )
    return create(name, options)
