"""Claims about what may be published: what judges disagree on, what no test supports, what was never measured."""

import re
import tempfile
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, ValidationError

from truerecall.bench import ledger
from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import START, Fixture
from truerecall.bench.datasets.records import Conversation, Dataset, Question
from truerecall.bench.headtohead import manifest as headtohead
from truerecall.bench.ledger import Release
from truerecall.bench.measured import record_json
from truerecall.bench.qa.aggregate import ArmFacts, RunFacts, qa_dataset
from truerecall.bench.qa.manifest import QaDataset, Role
from truerecall.bench.qa.records import Judged, QaRow
from truerecall.bench.systems.protocol import Tuning
from truerecall.core.clock import isoformat
from truerecall.core.config import Settings
from truerecall.errors import RunError

_OURS, _CONTROL = "truerecall", "bm25"
_ANSWER, _FIRST, _SECOND = "one:answers", "two:judges", "three:judges"
_CONVERSATIONS = 10

_Marks = list[tuple[bool, bool]]
"""Question by question: whether the first judge calls the answer right, and whether the second does."""


def _marks(both: int, first: int, second: int, neither: int) -> _Marks:
    return (
        [(True, True)] * both
        + [(True, False)] * first
        + [(False, True)] * second
        + [(False, False)] * neither
    )


def _role(name: str) -> Role:
    provider, _, model = name.partition(":")
    kind = "answer" if name == _ANSWER else "judge"
    return Role.model_validate(
        {"role": kind, "name": name, "provider": provider, "model": model, "identity": _digest(name)}
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _judged(made: Fixture, arms: Mapping[str, Mapping[str, _Marks]]) -> QaDataset:
    """The figures of injected verdicts, by arm and question type, on the way that every accuracy run takes."""
    order = {kind: [*range(len(own))] for kind, own in next(iter(arms.values())).items()}
    for places in order.values():
        made.random.shuffle(places)
    rows, questions = [], {}
    for arm, types in arms.items():
        for kind, own in types.items():
            for number, place in enumerate(order[kind]):
                name, conversation = f"{kind}-{number}", f"c{number % _CONVERSATIONS}"
                questions[name] = (conversation, kind)
                rows.append(_row(name, conversation, kind, arm, own[place]))
    facts = [ArmFacts(arm, {}, Tuning(), control=arm == _CONTROL) for arm in arms]
    run = RunFacts(
        answer=_role(_ANSWER), judges=[_role(_FIRST), _role(_SECOND)], called={}, pricing=lambda name: None,
        seed=made.seed,
    )  # fmt: skip
    return qa_dataset(_dataset(questions), None, rows, facts, run)


def _row(question: str, conversation: str, kind: str, arm: str, marks: tuple[bool, bool]) -> QaRow:
    verdicts = {
        judge: Judged(verdict="correct" if right else "wrong", key=_digest(f"{judge} {arm} {question}"))
        for judge, right in zip((_FIRST, _SECOND), marks, strict=True)
    }
    return QaRow(
        dataset="made:claims",
        conversation=conversation,
        question=question,
        type=kind,
        abstention=False,
        system=arm,
        outcome="answered",
        answer="an answer",
        answer_key=_digest(f"{arm} {question}"),
        context_sha256=_digest(f"{arm} {question}"),
        context_tokens=100,
        verdicts=verdicts,
        ms_recall=1.0,
    )


def _dataset(questions: Mapping[str, tuple[str, str]]) -> Dataset:
    conversations = tuple(
        Conversation(
            id=f"c{number}",
            sessions=(),
            questions=tuple(
                Question(name, "asked", START, kind, "gold", frozenset(), frozenset({"s1"}))
                for name, (conversation, kind) in questions.items()
                if conversation == f"c{number}"
            ),
        )
        for number in range(_CONVERSATIONS)
    )
    return Dataset(
        name="made",
        variant="claims",
        file="made.json",
        sha256=_digest("made"),
        recognised=False,
        conversations=conversations,
        exclusions=(),
        planned=len(questions),
    )


_TYPES = {
    "five points apart": _marks(both=12, first=1, second=0, neither=7),
    "ten points apart": _marks(both=12, first=2, second=0, neither=6),
    "in full agreement": _marks(both=13, first=0, second=0, neither=7),
    "apart and even": _marks(both=10, first=3, second=3, neither=4),
}
"""Twenty questions each: five points are one of them."""


def _spread(settings: Settings, seed: int) -> Value:
    (arm,) = _judged(Fixture(seed), {_OURS: _TYPES}).arms
    return {
        "survive": [arm.types_stable, arm.types],
        "points": {one.type: one.spread for one in arm.agreements if one.type != "all"},
        "stable": sorted(one.type for one in arm.agreements if one.stable),
    }


_SUPERIOR = "more questions rightly"
_PAIRS: Mapping[str, tuple[_Marks, _Marks]] = {
    "an effect": (_marks(50, 0, 0, 10), _marks(20, 0, 0, 40)),
    "by one judge alone": (_marks(27, 3, 0, 30), _marks(21, 0, 3, 36)),
    "five questions": (_marks(30, 0, 0, 30), _marks(25, 0, 0, 35)),
    "none": (_marks(30, 0, 0, 30), _marks(30, 0, 0, 30)),
}
"""What the two judges say of ours and of the control's answers to sixty questions."""


def _superiority(settings: Settings, seed: int) -> Value:
    said = {}
    for name, (ours, control) in _PAIRS.items():
        pairs = _judged(Fixture(seed), {_OURS: {"any": ours}, _CONTROL: {"any": control}}).pairs
        said[name] = sorted({_SUPERIOR in pair.sentence for pair in pairs})
    return said


def _release(made: Fixture, days: int, label: str) -> Release:
    commit = _digest(f"commit {made.seed}")[:40]
    return Release(
        added=isoformat(START + timedelta(days=days)), truerecall="1", commit=commit, dirty=False, wiring_proof=False,
        label=label, manifests=[], figures=[],
    )  # fmt: skip


def _ledger(settings: Settings, seed: int) -> Value:
    """One release, then the same again, another of its commit on the same day, and one a day later."""
    made = Fixture(seed)
    with tempfile.TemporaryDirectory() as folder:
        book = ledger.ReleaseLedger(Path(folder))
        first = book.add(_release(made, 0, "first"))
        before = first.read_bytes()
        refused = []
        for days, label in ((0, "first"), (0, "another"), (1, "later")):
            try:
                book.add(_release(made, days, label))
            except RunError:
                refused.append(f"{label}, day {days}")
        return {
            "refused": refused,
            "untouched": first.read_bytes() == before,
            "files": len(list(Path(folder).iterdir())),
        }


def _overwriting(original: Any) -> Any:
    def add(self: Any, release: Release) -> Path:
        path: Path = self._folder / f"{release.added[:10]}-{release.commit[:12]}.json"
        path.write_text(record_json(release), encoding="utf-8")
        return path

    return add


_NUMBER = re.compile(r"\b(float|int|Decimal|Fraction)\b")


def _skipped(settings: Settings, seed: int) -> Value:
    """Every field that a measured arm has and a skipped one has not, put into a skipped one."""
    made = Fixture(seed)
    known = {
        "name": "another system", "spec": "other", "side": "rival", "setup": "default", "package": "other==1",
        "disclosure": [], "reason": "it needs a key",
    }  # fmt: skip
    own = headtohead.Skipped.model_fields
    figures = [
        name for name in headtohead.Measured.model_fields if name not in headtohead.Skipped.model_fields
    ]
    taken = []
    for field in [*figures, "recall", "score"]:
        try:
            headtohead.Skipped.model_validate({**known, field: made.random.random()})
        except ValidationError:
            continue
        taken.append(field)
    return {
        "without a number": headtohead.Skipped.model_validate(known).reason,
        "fields for a number": [name for name, field in own.items() if _NUMBER.search(str(field.annotation))],
        "taken": taken,
        "ten or more were tried": len(figures) >= 10,
    }


def _lax(original: Any) -> Any:
    return type("Skipped", (original,), {"__module__": __name__, "model_config": ConfigDict(extra="allow")})


def _with_a_number(original: Any) -> Any:
    body = {"__module__": __name__, "__annotations__": {"recall": float | None}, "recall": None}
    return type("Skipped", (original,), body)


CLAIMS = (
    Claim(
        name="judges-spread",
        sentence="Of four question types with injected verdicts, the three within five points between judges survive.",
        measures="types that survive, and points between the judges",
        scenario=_spread,
        arms=(
            Arm(
                "on",
                {
                    "survive": [3, 4],
                    "points": {
                        "apart and even": 0.0,
                        "five points apart": 5.0,
                        "in full agreement": 0.0,
                        "ten points apart": 10.0,
                    },
                    "stable": ["all", "apart and even", "five points apart", "in full agreement"],
                },
            ),
        ),
        breaks=(
            Break(
                "Whatever judges disagree on is stable.",
                "bench.qa.cells",
                "within_points",
                lambda original: lambda *given: True,
            ),
            Break(
                "Judges agree only where they say the same of as many.",
                "bench.qa.cells",
                "within_points",
                lambda original: lambda a, b, n, points: original(a, b, n, 0),
            ),
        ),
    ),
    Claim(
        name="superiority",
        sentence="No sentence calls a system better unless the tests of every judge support it.",
        measures="whether a sentence says so, of any judge",
        scenario=_superiority,
        arms=(
            Arm(
                "on",
                {
                    "an effect": [True],
                    "by one judge alone": [False],
                    "five questions": [False],
                    "none": [False],
                },
            ),
        ),
        breaks=(
            Break(
                "Every difference has p 0.",
                "bench.qa.pairs",
                "mcnemar_exact",
                lambda original: lambda b, c: 0.0,
            ),
            Break(
                "One judge is enough.",
                "bench.qa.pairs",
                "_shown",
                lambda original: lambda own, factors: original(own[:1], factors[:1]),
            ),
        ),
    ),
    Claim(
        name="ledger",
        sentence="A release that is in the ledger is never overwritten, and its commit is added once.",
        measures="what is refused, and what is left",
        scenario=_ledger,
        arms=(
            Arm(
                "on",
                {
                    "refused": ["first, day 0", "another, day 0", "later, day 1"],
                    "untouched": True,
                    "files": 1,
                },
            ),
        ),
        breaks=(
            Break("A file that is there is written over.", "bench.ledger", "ReleaseLedger.add", _overwriting),
            Break(
                "Nobody looks whether a commit is there.",
                "bench.ledger",
                "ReleaseLedger._of",
                lambda original: lambda self, mark: None,
            ),
        ),
    ),
    Claim(
        name="skipped-adapter",
        sentence="A system that was not measured has no place for a number, and takes none.",
        measures="fields that it has or takes",
        scenario=_skipped,
        arms=(
            Arm(
                "on",
                {
                    "without a number": "it needs a key",
                    "fields for a number": [],
                    "taken": [],
                    "ten or more were tried": True,
                },
            ),
        ),
        breaks=(
            Break("It takes any field.", "bench.headtohead.manifest", "Skipped", _lax),
            Break("It has a field for a figure.", "bench.headtohead.manifest", "Skipped", _with_a_number),
        ),
    ),
)
