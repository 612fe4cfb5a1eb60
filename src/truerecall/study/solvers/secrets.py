"""The key of the provider: taken from our own environment by its name, and never left in what a run keeps."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from truerecall.agents.transcripts.fields import words
from truerecall.errors import StudyError
from truerecall.models.scripted.server.handling import is_loopback
from truerecall.study.design import SolverChoice

MASKED = "[masked]"
STAND_IN = "scripted"
"""The key for a provider on loopback, which asks for none."""
_DEEPEST = 32
_SHORTEST = 8
"""Characters of a value that is masked; a shorter one stands in ordinary words."""
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_ADDRESSES = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL")


def key_of(choice: SolverChoice, environment: Mapping[str, str]) -> str | None:
    """The value of the key variable; a stand-in where the provider is on loopback; None where no key is named.

    Raises:
        StudyError: it is named, and not set.
    """
    if not choice.key_variable:
        return None
    found = environment.get(choice.key_variable, "").strip()
    if found:
        return found
    addresses = [choice.environment[name] for name in _ADDRESSES if choice.environment.get(name)]
    if addresses and all(is_loopback(_host(address)) for address in addresses):
        return STAND_IN
    raise StudyError(
        "the key of the solver's provider is not set",
        where=choice.key_variable,
        remedy=f"Set it (export {choice.key_variable}=…), or name another variable in key_variable of study.toml.",
    )


class Masking:
    """Takes known secrets out of texts."""

    def __init__(self, key: str | None, *environments: Mapping[str, str]) -> None:
        named = [value for one in environments for name, value in one.items() if _SECRET.search(name)]
        named = [value for value in named if not value.isdigit()]  # a limit of tokens is no secret
        inside = [_password(value) for one in environments for value in one.values()]
        secrets = (key or "", *named, *inside)
        found = {value for value in secrets if len(value) >= _SHORTEST and value != STAND_IN}
        self._secrets = sorted(found, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text without them, and with nothing that no file can hold."""
        text = words(text)
        for secret in self._secrets:
            text = text.replace(secret, MASKED)
        return text

    def keep(self, printed: bytes, path: Path) -> None:
        """Write what a program printed, without them, into a file whose folder is made where it is missing."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(printed.decode("utf-8", "replace")), encoding="utf-8", newline="\n")

    def value(self, value: object, depth: int = 0) -> object:
        """A value of JSON without them; what is nested deeper than any tool's input is cut off."""
        if isinstance(value, str):
            return self.text(value)
        if depth > _DEEPEST:
            return None
        if isinstance(value, dict):
            return {self.text(str(name)): self.value(one, depth + 1) for name, one in value.items()}
        if isinstance(value, list):
            return [self.value(one, depth + 1) for one in value]
        if isinstance(value, float) and not math.isfinite(value):
            return None
        return value


def _password(address: str) -> str:
    """The one within an address, as it stands there."""
    try:
        return urlsplit(address).password or ""
    except ValueError:
        return ""


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
