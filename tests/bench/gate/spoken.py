"""Runs of every kind over a small made data set, with models that say what a test lets them say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from tiny import CLOCK

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.gate.baseline import GateRecord
from truerecall.bench.gate.made import Made, made_data
from truerecall.bench.gate.taking import take
from truerecall.bench.qa.folder import read_qa_manifest, read_qa_rows
from truerecall.bench.qa.options import Models, QaOptions
from truerecall.bench.qa.run import run_qa
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.run import RunOptions
from truerecall.bench.scoring import Ruler
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.protocol import System
from truerecall.errors import ChatFailed
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply

SMALL = Made(conversations=8, sessions=2, turns=8, questions=14)
RULER = Ruler(ks=(1, 5, 10), limit=10, k=20, budgets=(200,), seed=0)
ANSWER, JUDGES = "openai:answers", ("anthropic:first", "anthropic:second")


@dataclass(frozen=True)
class Speaks:
    """A chat model that says what ``says`` makes of the last message."""

    name: str
    says: Callable[[str], str]
    tokens_in: int = 900
    free: bool = True
    parameters: ChatParameters = field(default_factory=ChatParameters)
    weights: str = "1"

    @property
    def identity(self) -> str:
        return sha256(f"{self.name} {self.weights}".encode()).hexdigest()

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        text = self.says("\n".join(message.content for message in messages))
        return ChatReply(text, "stop", self.name, tokens_in=self.tokens_in, tokens_out=20)


def every(nth: int) -> Callable[[str], bool]:
    """Whether a text is one of about every nth, by its own digest."""
    return lambda text: int(sha256(text.encode()).hexdigest(), 16) % nth == 0


def answers(spoilt: Callable[[str], bool] = lambda text: False) -> Callable[[str], str]:
    """Says nothing that is right to some questions; one in five is wrong anyhow."""
    wrong = every(5)
    return lambda text: "SPOILT" if spoilt(text) or wrong(text) else "As it was told."


def verdict(text: str) -> str:
    return '{"verdict": "%s"}' % ("wrong" if "SPOILT" in text.rpartition("<answer>")[2] else "correct")


def fails(text: str) -> str:
    raise ChatFailed("nobody is there", remedy="Ask again.")


def data(tmp: Path, made: Made = SMALL) -> Dataset:
    return made_data(tmp / "data", made)


def repeats(
    out: Path, dataset: Dataset, systems: Sequence[System] | None = None, times: int = 1
) -> list[Path]:
    """Finished runs that repeat each other; counted time passes with every look at it."""
    ticks = iter(range(10**9))
    paths = [out / f"repeat-{number}" for number in range(times)]
    for path in paths:
        options = RunOptions(out, path.name, ruler=RULER)
        run_retrieval(
            [dataset], systems or [Bm25()], options, CLOCK, lambda progress: None, lambda: float(next(ticks))
        )
    return paths


def answered(
    out: Path,
    dataset: Dataset,
    says: Callable[[str], str] | None = None,
    judging: Callable[[str], str] = verdict,
    tokens_in: int = 900,
    weights: str = "1",
) -> Path:
    """A finished accuracy run of the bm25 control."""
    models = Models(
        Speaks(ANSWER, says or answers(), tokens_in, weights=weights),
        (Speaks(JUDGES[0], verdict), Speaks(JUDGES[1], judging)),
    )
    options = QaOptions(out, "qa", budget=200, uncalibrated=True, jobs=1)
    run_qa([dataset], [Bm25()], models, options, CLOCK, lambda progress: None, lambda: 0.0)
    return out / "qa"


def taken(runs: Sequence[Path], qa: Path | None = None) -> GateRecord:
    """A record of the bm25 control, of which no model is asked."""
    if qa is None:
        return take(runs, "bm25", "bm25")
    manifest = read_qa_manifest(qa)
    return take(runs, "bm25", "bm25", (qa, manifest, read_qa_rows(qa, manifest)))


__all__ = ["answered", "answers", "data", "every", "fails", "repeats", "replace", "taken", "verdict"]
