"""The options of commands that ask answering models and judges, gathered into records."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, get_args

import click

from truerecall.bench.datasets.known import Split
from truerecall.bench.qa.errata import load_errata
from truerecall.bench.qa.options import BUDGET, JUDGES, Models, QaOptions
from truerecall.bench.qa.rubrics import load_rubrics
from truerecall.bench.qa.sampling import Drawing
from truerecall.bench.systems.protocol import Granularity
from truerecall.errors import InvalidInput
from truerecall.measure.prices import PriceTable, load_prices, shipped
from truerecall.models.protocols import ChatModel, ChatParameters
from truerecall.models.specs import FORMS, opened, parse_spec
from truerecall.models.unsaid import SECRET, Unsaid

PARAMETERS = ChatParameters(max_tokens=1024, temperature=0.0)
"""What models are asked with where a spec says nothing else: the answer that they find most likely."""
_ADDRESS = re.compile(r"base_url\s*=[^,'\s]*")
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked, and on which terms."""

    answer: str
    judges: tuple[str, ...]
    rubrics: Path | None
    prices: Path | None
    unknown_price: bool
    max_cost: float | None
    jobs: int
    retry_failed: bool
    uncalibrated: bool

    def models(self, environment: Mapping[str, str]) -> Models:
        """The models, ready to be asked; ``InvalidInput`` says what is not set."""
        if not self.answer or len(self.judges) < JUDGES:
            missing = (
                "no answering model is named" if not self.answer else f"{len(self.judges)} judges are named"
            )
            raise InvalidInput(
                f"{missing}: accuracy takes a model that answers, and at least {JUDGES} that judge",
                where="--answer, --judge",
                remedy=f"Give --answer MODEL and --judge MODEL at least twice (or set TRUERECALL_ANSWER and "
                f"TRUERECALL_JUDGES), each as one of: {', '.join(FORMS)}.",
            )
        answer, *judges = (model_of(spec, environment) for spec in (self.answer, *self.judges))
        return Models(answer, tuple(judges))

    def table(self) -> PriceTable:
        """The prices; ours hold at the providers' own addresses only."""
        if self.prices is not None:
            return load_prices(self.prices)
        ours = shipped()
        specs = [parse_spec(spec, PARAMETERS) for spec in (self.answer, *self.judges) if spec]
        elsewhere = {spec.name for spec in specs if spec.base_url}
        return replace(ours, prices={n: price for n, price in ours.prices.items() if n not in elsewhere})

    def unsaid(self, environment: Mapping[str, str]) -> Unsaid:
        """The keys that the models are asked with."""
        specs = [parse_spec(spec, PARAMETERS) for spec in (self.answer, *self.judges) if spec]
        keys = [environment.get(spec.key_variable, "").strip() for spec in specs if spec.key_variable]
        return Unsaid([key for key in keys if len(key) >= SECRET])


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked."""

    data: Path
    split: str | None
    errata: Path | None
    drawing: Drawing
    budget: int
    granularity: Granularity
    seed: int


@dataclass(frozen=True, slots=True)
class Kept:
    """Where results are kept."""

    out: Path
    name: str | None
    cache: Path | None


def model_of(spec: str, environment: Mapping[str, str]) -> ChatModel:
    """The model of a spec, asked with what this command asks with."""
    return opened(parse_spec(spec, PARAMETERS), environment)


def qa_options(asking: Asking, kept: Kept, asked: Asked | None = None) -> QaOptions:
    """The same as the run takes them."""
    return QaOptions(
        out=kept.out,
        name=kept.name or "unnamed",
        cache=kept.cache,
        # Where a server listens is in no report: only that it was another than the provider's own.
        command=_ADDRESS.sub("base_url=ADDRESS", shlex.join(["truerecall", *sys.argv[1:]])),
        rubrics=load_rubrics(asking.rubrics),
        prices=asking.table(),
        max_cost=asking.max_cost,
        unknown_price=asking.unknown_price,
        jobs=asking.jobs,
        retry_failed=asking.retry_failed,
        uncalibrated=asking.uncalibrated,
        unsaid=asking.unsaid(os.environ),
        **({} if asked is None else _asked(asked)),
    )


def _asked(asked: Asked) -> dict[str, Any]:
    return {
        "granularity": asked.granularity,
        "budget": asked.budget,
        "seed": asked.seed,
        "drawing": asked.drawing,
        "errata": load_errata(asked.errata) if asked.errata else None,
    }


_KEPT = (
    click.option("--out", type=click.Path(path_type=Path), default="runs", show_default=True,
                 help="Where runs are kept, and every answer and verdict for later ones."),
    click.option("--name", help="The run's folder below --out; the default is made from what is run."),
    click.option("--cache", type=click.Path(file_okay=False, path_type=Path),
                 help="Where embedded texts are kept for later runs: below --out unless you say so."),
)  # fmt: skip
_JUDGE = click.option(
    "--judge", "judges", multiple=True, metavar="MODEL", envvar="TRUERECALL_JUDGES",
    help="A model that judges, written as --answer is; accuracy takes two or more.",
)  # fmt: skip
_TERMS = (
    click.option("--rubrics", type=_FOLDER, help="Rubrics of your own, in place of ours."),
    click.option("--prices", type=_FILE, help="Prices of your own, in place of ours or beside them."),
    click.option("--unknown-price", is_flag=True, help="Ask models whose price nobody knows."),
    click.option("--max-cost", type=float, metavar="USD", help="What this command may spend at most."),
    click.option("--jobs", type=click.IntRange(1, 64), default=4, show_default=True, help="Calls at once."),
    click.option("--retry-failed", is_flag=True, help="Ask again what failed before."),
)  # fmt: skip
_ASKING = (
    click.option("--answer", metavar="MODEL", default="", envvar="TRUERECALL_ANSWER",
                 help=f"Who answers: {'; '.join(FORMS)}. Options follow: ,max_tokens=512,key=VARIABLE."),
    _JUDGE,
    *_TERMS,
    click.option("--uncalibrated", is_flag=True,
                 help="Take judges as they are: every page says that it is no result."),
)  # fmt: skip
_ASKED = (
    click.option("--data", type=click.Path(path_type=Path), envvar="TRUERECALL_BENCH_DATA", required=True,
                 help="The folder (or one file) with the data sets."),
    click.option("--split", type=click.Choice(get_args(Split)), help="Of LoCoMo: dev unless asked otherwise."),
    click.option("--errata", type=_FILE, help="Corrections of gold that is wrong: both figures are made."),
    click.option("--sample", type=click.IntRange(1), metavar="N", help="Draw N questions of each data set, by type."),
    click.option("--per-type", type=click.IntRange(1), metavar="N", help="Draw N questions of each type."),
    click.option("--budget", type=click.IntRange(1), default=BUDGET, show_default=True,
                 help="Tokens of what is recalled."),
    click.option("--granularity", type=click.Choice(get_args(Granularity)), default="turn", show_default=True),
    click.option("--seed", type=int, default=0, show_default=True),
)  # fmt: skip


def kept_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add where results are kept; the command gets it as ``kept``."""

    @wraps(command)
    def call(out: Path, name: str | None, cache: Path | None, **rest: Any) -> None:
        command(kept=Kept(out, name, cache), **rest)

    return _with(call, _KEPT)


def asking_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add who is asked, and on which terms; the command gets it as ``asking``."""

    @wraps(command)
    def call(**given: Any) -> None:
        own = {name: given.pop(name) for name in Asking.__dataclass_fields__}
        command(asking=Asking(**own), **given)

    return _with(call, _ASKING)


def judging_options(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command that asks judges only."""

    @wraps(command)
    def call(**given: Any) -> None:
        own = {name: given.pop(name) for name in Asking.__dataclass_fields__ if name in given}
        command(asking=Asking(answer="", uncalibrated=False, **own), **given)

    return _with(call, (_JUDGE, *_TERMS))


def asked_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add what is asked; the command gets it as ``asked``."""

    @wraps(command)
    def call(sample: int | None, per_type: int | None, **given: Any) -> None:
        names = [name for name in Asked.__dataclass_fields__ if name != "drawing"]
        own = {name: given.pop(name) for name in names}
        command(asked=Asked(drawing=Drawing(sample, per_type), **own), **given)

    return _with(call, _ASKED)


def _with(
    command: Callable[..., None], options: tuple[Callable[[Callable[..., None]], Callable[..., None]], ...]
) -> Callable[..., None]:
    for option in reversed(options):
        command = option(command)
    return command
