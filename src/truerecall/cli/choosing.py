"""Systems as a command is given them."""

from truerecall.bench.systems.protocol import System
from truerecall.bench.systems.table import SYSTEMS, create
from truerecall.errors import InvalidInput


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
