"""``claims.toml``: suspected claims, for a person who is not told which side made them, to call wrong or not wrong."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, get_args

from truerecall.bench.outputs import below, write_whole
from truerecall.errors import StudyError
from truerecall.memory.write.mask import mask
from truerecall.study.files.tables import Document, Table
from truerecall.study.files.toml_text import toml_text
from truerecall.study.folder import StudyRun
from truerecall.study.grade.quoting import plain
from truerecall.study.planned import Plan, PlannedRun
from truerecall.study.records import Confirmed, Suspect

CLAIMS = "claims.toml"
"""The file in the run folder."""
_CHECKER = Literal["wrong", "right", "cannot tell", "not checked"]
_VERDICT = Literal["", "wrong", "not wrong"]
_SAYS_MOST = get_args(_CHECKER)
_DIGITS = 12  # of the hash that stands for a claim

_HEAD = """\
# Claims of answers that the judge takes for wrong, one a table; `runs` says how many runs make it in these words.
# Look each up, and set verdict to "wrong" or "not wrong"; leave it "" while you cannot tell. What an answer leaves out
# is no wrong claim, nor is anything true that it adds. `note` is yours. All else is written anew by the study.
# Which side made a claim is kept from you on purpose: the id is a hash, and the order is its order.
"""
_GONE = "# No finished run makes these claims any more; they are kept because somebody had judged them.\n"


@dataclass(frozen=True, slots=True)
class Made:
    """Where a claim was made."""

    run: PlannedRun
    followups: int
    suspect: Suspect


@dataclass(frozen=True, slots=True)
class Claim:
    """A suspected claim: what answers to one question say in the same words, to be decided once for all of them."""

    id: str
    question: str
    made: tuple[Made, ...]
    """In the order of the plan, then of the follow-ups."""

    @property
    def suspect(self) -> Suspect:
        """What is shown of it: of several one that the checker calls wrong, or else one of which it says something."""
        return min((one.suspect for one in self.made), key=lambda one: _SAYS_MOST.index(one.checker))

    @property
    def runs(self) -> int:
        """How many runs make it."""
        return len({(one.run.side, one.run.repeat) for one in self.made})


@dataclass(frozen=True, slots=True)
class _Entry:
    """What stands in the file."""

    id: str
    question: str
    runs: int
    quote: str
    why: str
    checker: str
    shown: str
    verdict: Literal["", "wrong", "not wrong"]
    note: str


def write_claims(run: StudyRun) -> int:
    """Write the file, or bring it up to date; verdicts and notes that stand in it stay. How many claims there are.

    Without a claim there is no file, unless one was there.

    Raises:
        StudyError: the file that is there has a fault, with its line; nothing was written.
    """
    path = _path(run)
    before = _entries(path)
    claims = claims_of(run)
    current = [_entry(claim, before.get(claim.id)) for claim in claims]
    known = {entry.id for entry in current}
    gone = [entry for entry in before.values() if entry.id not in known and (entry.verdict or entry.note)]
    if not current and not gone and not path.is_file():
        return 0
    parts = [_HEAD, *map(_text, current), *([_GONE] if gone else []), *map(_text, gone)]
    write_whole(path, "\n".join(parts))
    return len(current)


def read_claims(run: StudyRun) -> list[Confirmed]:
    """Every suspected claim of the finished runs, in the order of the plan, with what a person said of it.

    Raises:
        StudyError: the file has a fault, with its line.
    """
    entries = _entries(_path(run))
    order = {planned: place for place, planned in enumerate(run.plan().runs)}
    found = []
    for claim in claims_of(run):
        entry = entries.get(claim.id)
        verdict = entry.verdict or "unconfirmed" if entry else "unconfirmed"
        found += [(order[one.run], one.followups, _confirmed(one, verdict)) for one in claim.made]
    return [confirmed for *_, confirmed in sorted(found, key=lambda one: one[:2])]


def _confirmed(made: Made, verdict: Literal["wrong", "not wrong", "unconfirmed"]) -> Confirmed:
    return Confirmed(
        question=made.run.question,
        side=made.run.side,
        repeat=made.run.repeat,
        followups=made.followups,
        quote=made.suspect.quote,
        verdict=verdict,
    )


def claims_of(run: StudyRun) -> list[Claim]:
    """The suspected claims of the finished runs, by question and then by their ids, which say nothing of a side."""
    plan = run.plan()
    place = {question.id: number for number, question in enumerate(plan.questions)}
    found: dict[tuple[str, str], dict[tuple[PlannedRun, int], Made]] = {}
    for planned in plan.runs:
        for made in _of_run(run, planned):
            same = found.setdefault((planned.question, plain(made.suspect.quote)), {})
            same[planned, made.followups] = made
    claims = [
        Claim(_id(plan, question, quote), question, tuple(same.values()))
        for (question, quote), same in found.items()
    ]
    return sorted(claims, key=lambda claim: (place[claim.question], claim.id))


def _id(plan: Plan, question: str, quote: str) -> str:
    told = json.dumps([plan.name, plan.seed, question, quote])
    return sha256(told.encode("ascii")).hexdigest()[:_DIGITS]


def _of_run(run: StudyRun, planned: PlannedRun) -> Iterator[Made]:
    row = run.row(planned)
    if row is None or row.outcome == "out":
        return
    for graded in run.graded(planned, row.attempt):
        for suspect in graded.suspects:
            yield Made(planned, graded.followups, suspect)


def _entry(claim: Claim, before: _Entry | None) -> _Entry:
    suspect = claim.suspect
    return _Entry(
        id=claim.id,
        question=claim.question,
        runs=claim.runs,
        # A file of a study that holds what looks like a secret is refused.
        quote=mask(suspect.quote).text,
        why=mask(suspect.why).text,
        checker=suspect.checker,
        shown=mask(suspect.shown).text,
        verdict=before.verdict if before else "",
        note=before.note if before else "",
    )


def _text(entry: _Entry) -> str:
    return (
        "[[claim]]\n"
        f"id = {toml_text(entry.id)}\n"
        f"question = {toml_text(entry.question)}\n"
        f"runs = {entry.runs}\n"
        f"quote = {_block(entry.quote)}\n"
        f"why = {toml_text(entry.why)}\n"
        f"checker = {toml_text(entry.checker)}\n"
        f"shown = {_block(entry.shown)}\n"
        f"note = {_block(entry.note)}\n"
        f"verdict = {toml_text(entry.verdict)}\n"
    )


def _block(text: str) -> str:
    """A text as TOML; one of several lines as it stands, to be read, unless it holds what TOML takes for its own."""
    raw = all(character.isprintable() or character in "\n\t" for character in text)
    if "\n" not in text or "'''" in text or text.endswith("'") or not raw:
        return toml_text(text)
    return f"'''\n{text}'''"


def _entries(path: Path) -> Mapping[str, _Entry]:
    """What stands in the file, by id; nothing where there is none."""
    if not path.is_file():
        return {}
    table = Document.read(path).table
    entries: dict[str, _Entry] = {}
    for claim in table.tables("claim"):
        entry = _read(claim)
        if entry.id in entries:
            raise claim.refuse(f"the claim {entry.id} stands there twice", "Take one of them out.", "id")
        entries[entry.id] = entry
    table.end()
    return entries


def _read(claim: Table) -> _Entry:
    entry = _Entry(
        id=claim.text("id"),
        question=claim.text("question"),
        runs=claim.whole("runs", default=1, least=1),
        quote=claim.text("quote", ""),
        why=claim.text("why", ""),
        checker=claim.choice("checker", _CHECKER),
        shown=claim.text("shown", ""),
        verdict=claim.choice("verdict", _VERDICT, ""),
        note=claim.text("note", ""),
    )
    claim.end()
    return entry


def _path(run: StudyRun) -> Path:
    path = below(run.folder, CLAIMS)
    if path.exists() and not path.is_file():
        raise StudyError(
            f"{CLAIMS} is no file",
            where=str(path),
            remedy="Move it away: suspected claims are written there.",
        )
    return path
