"""The one loader of optional libraries: it says what to install."""

import importlib
from types import ModuleType

from truerecall.errors import ModelMissing


def load(module: str, extra: str) -> ModuleType:
    """Imports ``module``, which belongs to the extra ``extra``.

    Raises:
        ModelMissing: it is not installed; the remedy is the one command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A library that is there but lacks one of its own is the same for the reader: install the extra.
        raise ModelMissing(
            f"{error.name or module} is not installed", where=module, remedy=install(extra)
        ) from error


def install(extra: str) -> str:
    """The sentence that tells how to install ``extra``."""
    return f"Run: pip install 'truerecall[{extra}]'"
