"""Which line of a scenario answers a call: the one place where that is decided."""

import re
import threading
from dataclasses import dataclass

from truerecall.errors import ChatFailed, ModelError
from truerecall.models.scripted.lines import Endpoint, Line
from truerecall.models.scripted.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Chosen:
    """A line, and its reply with what its pattern matched."""

    line: Line
    text: str


class Chooser:
    """The first rule that matches, else the next line that is said in its turn; for any number of threads."""

    def __init__(self, scenario: Scenario) -> None:
        self._name = scenario.name
        self._lock = threading.Lock()
        self._rules = [_Left(line, line.times) for line in scenario.lines if line.when is not None]
        self._turns = [_Left(line, line.times or 1) for line in scenario.lines if line.when is None]

    def choose(self, said: str, model: str, endpoint: Endpoint) -> Chosen | None:
        """The line for a call, which then counts as used.

        Args:
            said: The texts of the messages, joined by blank lines.
            model: Which model is called.
            endpoint: Where.

        Returns:
            None where no line fails a call for embeddings.

        Raises:
            ChatFailed: no rule matches and nothing is left to be said.
            ModelError: the reply of the rule is no template.
        """
        with self._lock:
            for left in self._rules:
                line = left.line
                if left.usable(model, endpoint) and line.when and (found := line.when.search(said)):
                    left.use()
                    return Chosen(line, _expanded(line, found))
            for left in self._turns:
                if left.usable(model, endpoint):
                    left.use()
                    return Chosen(left.line, left.line.reply)
        if endpoint == "embeddings":
            return None
        turns, rules = len(self._turns), len(self._rules)
        raise ChatFailed(
            f"the script of {turns} replies" + (f" and {rules} rules" if rules else "") + " is over",
            where=self._name,
            remedy="Give it a reply for each call, or a rule that matches.",
        )


@dataclass(slots=True)
class _Left:
    line: Line
    times: int | None

    def usable(self, model: str, endpoint: Endpoint) -> bool:
        line = self.line
        here = endpoint == line.endpoint or (line.endpoint is None and endpoint != "embeddings")
        return here and self.times != 0 and (line.model is None or line.model.search(model) is not None)

    def use(self) -> None:
        if self.times is not None:
            self.times -= 1


def _expanded(line: Line, found: re.Match[str]) -> str:
    if "\\" not in line.reply:
        return line.reply  # expand reads every character of it in Python
    try:
        return found.expand(line.reply)
    except (re.error, IndexError) as error:
        raise ModelError(
            f"the reply to {found.re.pattern!r} is no template: {error}",
            where=line.where or "a rule",
            remedy="Write \\1 for the first group, and \\\\ for a backslash.",
        ) from None
