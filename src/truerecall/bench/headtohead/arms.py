"""The arms of a head-to-head: what stands for each side, and what must be said of it whatever comes out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from truerecall.bench.headtohead.manifest import Arm, Setup, Side
from truerecall.bench.rivals.making import check_chat, options_of
from truerecall.bench.rivals.table import RIVALS, Rival
from truerecall.bench.systems.table import SYSTEMS
from truerecall.errors import InvalidInput

CONTROLS = "controls"
"""Stands for all controls together."""
_OURS = "truerecall"
_PRIVATE = ("command", "settings", "chat_url", "chat_key")
"""Options whose values belong to somebody's machine: left out of the record."""
_PATHS = ("folds", "mapping", "program")
"""Of these the file's name is kept."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One arm, not yet looked at."""

    system: str
    options: Mapping[str, str] = field(default_factory=dict)
    setup: Setup = "default"

    @property
    def rival(self) -> Rival | None:
        """Its row, where it is a rival of the table."""
        return RIVALS.get(self.system)

    @property
    def side(self) -> Side:
        """Whose it is."""
        if self.system == CONTROLS:
            return "control"
        return "ours" if self.system == _OURS else "rival"

    @property
    def spec(self) -> str:
        """As ``--system`` takes it, without what belongs to this machine."""
        kept = [(name, value) for name, value in self.options.items() if name not in _PRIVATE]
        shown = (f"{name}={_file(value) if name in _PATHS else value}" for name, value in kept)
        return ",".join((self.system, *shown))

    @property
    def folder(self) -> str:
        """Names its run."""
        return "arm-" + re.sub(r"[^a-z0-9]+", "-", self.spec.lower()).strip("-")[:80]

    def known(self, name: str) -> Arm:
        """What is said of it in any case; ``name`` as it is printed."""
        rival = self.rival
        return Arm(
            name=name,
            spec=self.spec,
            side=self.side,
            setup=self.setup,
            package=rival.package if rival else "",
            disclosure=list(rival.disclosures) if rival else [],
        )


def _file(path: str) -> str:
    return re.split(r"[\\/]", path)[-1]


def planned(specs: Sequence[str], folds: str | None, chat: Mapping[str, str]) -> list[Planned]:
    """The arms that were named, or all that this package knows; the controls come in any case.

    Args:
        specs: ``NAME`` or ``NAME,option=value``; empty for ours with and without a model, and every rival.
        folds: Out-of-fold weights for ours.
        chat: ``chat_url``, ``chat_model`` and ``chat_key`` for the rivals that ask a model.

    Raises:
        InvalidInput: a spec names no system, an option that it does not take, or comes twice; or what stands for
            the name of a key's variable can be none.
        InvalidSettings: ``chat_url`` is no plain address.
    """
    arms = [_parsed(spec) for spec in specs] if specs else _all()
    for told in (chat, *(arm.options for arm in arms)):
        check_chat(told)
    given = [_with(arm, folds, chat) for arm in arms]
    folders = [arm.folder for arm in given]
    if len(set(folders)) < len(folders):
        raise InvalidInput("two arms are one and the same", remedy="Name each once.")
    if not any(arm.side == "ours" for arm in given):
        raise InvalidInput("no arm is ours", remedy="Name truerecall too: the rivals are compared with it.")
    return [*given, Planned(CONTROLS, setup="control")]


def _all() -> list[Planned]:
    ours = [
        Planned(_OURS, {"embedder": "local"}),
        Planned(_OURS, {"embedder": "none", "name": "truerecall-no-model"}),
    ]
    return ours + [
        Planned(rival.name, arm.options, arm.setup) for rival in RIVALS.values() for arm in rival.arms
    ]


def _parsed(spec: str) -> Planned:
    system, *given = spec.split(",")
    options = dict(part.split("=", 1) for part in given if "=" in part)
    row = SYSTEMS.get(system)
    if row is None or row.control or len(options) != len(given):
        named = [name for name, known in SYSTEMS.items() if not known.control]
        raise InvalidInput(
            f"{spec!r} is not a system", remedy=f"Write NAME,option=value with one of {', '.join(named)}."
        )
    for option in options:
        if option not in row.options:
            raise InvalidInput(
                f"{system} does not know the option {option!r}", remedy=f"It takes: {', '.join(row.options)}."
            )
    return Planned(system, options, _setup(system, options))


def _setup(system: str, options: Mapping[str, str]) -> Setup:
    rival = RIVALS.get(system)
    same = [arm.setup for arm in rival.arms if arm.options == options] if rival else []
    return same[0] if same else "default" if system == _OURS and "settings" not in options else "best"


def _with(arm: Planned, folds: str | None, chat: Mapping[str, str]) -> Planned:
    added: dict[str, str] = {}
    if arm.side == "ours" and folds is not None:
        added = {"folds": folds}
    elif arm.rival is not None and "chat_url" in options_of(arm.rival):
        asks = arm.rival.chat == "required" or arm.options.get("infer") == "true"
        added = dict(chat) if asks else {}
    return Planned(arm.system, {**added, **arm.options}, arm.setup)
