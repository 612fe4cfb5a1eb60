"""Which systems can be measured: adding one is one file and one row here."""

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from truerecall.bench.rivals.making import make_rival, options_of
from truerecall.bench.rivals.table import RIVALS, Rival
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.folds import load_folds
from truerecall.bench.systems.full_dump import FullDump
from truerecall.bench.systems.null import Null
from truerecall.bench.systems.oracle import Oracle
from truerecall.bench.systems.protocol import System
from truerecall.bench.systems.random_order import RandomOrder
from truerecall.bench.systems.recent import Recent
from truerecall.bench.systems.subprocess_system import SubprocessSystem
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.core.config import Settings, load_settings
from truerecall.errors import InvalidSettings
from truerecall.models.registry import embedder

Options = Mapping[str, str]
"""As given on a command line: ``bm25`` takes none, ``random`` takes ``seed=1``."""


@dataclass(frozen=True, slots=True)
class Row:
    """A system that can be named."""

    make: Callable[[Options], System]
    options: tuple[str, ...] = ()
    """The options that it takes; any other is refused."""
    control: bool = True
    """Whether it belongs in every run."""
    inapplicable: Mapping[str, str] | None = None
    """Conformance checks that say nothing about it, with the reason."""


_NO_SEARCH = "it does not look at the question"


def _command(options: Options) -> System:
    try:
        command = shlex.split(options.get("command", ""))
    except ValueError as error:
        raise InvalidSettings(f"the command cannot be read: {error}", remedy="Mend its quotes.") from None
    if not command:
        raise InvalidSettings(
            "the system 'command' needs a command", remedy="Give command='python3 adapter.py'."
        )
    return SubprocessSystem(command, timeout=_number(options, "timeout", 600.0))


def _truerecall(options: Options) -> System:
    settings = load_settings(Path(options["settings"])) if "settings" in options else Settings()
    name = options.get("name", "truerecall")
    if not name.strip():
        raise InvalidSettings("the name is empty", remedy="Give one, such as name=tuned.")
    folds = load_folds(Path(options["folds"])) if "folds" in options else None
    return Truerecall(embedder(options.get("embedder", "auto")), settings, name, folds)


def _number(options: Options, name: str, default: float) -> float:
    try:
        value = float(options.get(name, default))
    except ValueError:
        value = -1.0
    if not 0.0 < value < float("inf"):
        raise InvalidSettings(f"{name} is {options[name]!r}", remedy="Give seconds above 0, such as 600.")
    return value


def _seed(options: Options) -> int:
    try:
        return int(options.get("seed", 0))
    except ValueError:
        raise InvalidSettings(f"seed is {options['seed']!r}", remedy="Give a whole number.") from None


def _rival(rival: Rival) -> Row:
    return Row(
        lambda options: make_rival(rival, options, os.environ),
        options=options_of(rival),
        control=False,
        inapplicable=rival.inapplicable,
    )


SYSTEMS: Mapping[str, Row] = {
    "null": Row(lambda options: Null(), inapplicable={"needle found": "it recalls nothing"}),
    "random": Row(
        lambda options: RandomOrder(_seed(options)),
        options=("seed",),
        inapplicable={"needle found": _NO_SEARCH},
    ),
    "recent": Row(lambda options: Recent(), inapplicable={"needle found": _NO_SEARCH}),
    "full-dump": Row(lambda options: FullDump(), inapplicable={"needle found": _NO_SEARCH}),
    "oracle": Row(
        lambda options: Oracle(),
        inapplicable={"needle found": "it finds only what the harness reveals to it"},
    ),
    "bm25": Row(lambda options: Bm25()),
    "truerecall": Row(_truerecall, options=("embedder", "settings", "name", "folds"), control=False),
    "command": Row(_command, options=("command", "timeout"), control=False),
    **{name: _rival(rival) for name, rival in RIVALS.items()},
}


def create(name: str, options: Options | None = None) -> System:
    """The named system; ``InvalidSettings`` for a name or an option that is not in the table."""
    given = dict(options or {})
    row = SYSTEMS.get(name)
    if row is None:
        raise InvalidSettings(f"there is no system {name!r}", remedy=f"Use one of: {', '.join(SYSTEMS)}.")
    for option in given:
        if option not in row.options:
            taken = f"It takes: {', '.join(row.options)}." if row.options else "It takes no options."
            raise InvalidSettings(f"{name} does not know the option {option!r}", remedy=taken)
    return row.make(given)


def controls(seed: int = 0) -> list[System]:
    """The systems that belong in every run, in the order of the table."""
    return [
        create(name, {"seed": str(seed)} if "seed" in row.options else {})
        for name, row in SYSTEMS.items()
        if row.control
    ]
