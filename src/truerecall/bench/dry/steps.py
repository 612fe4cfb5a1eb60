"""The steps of a dry run: each a command as a user gives it, its exit code, and what must be true afterwards.

The models are files of rules beside this module. One judge accepts nearly everything: the calibration has to refuse it.
"""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shlex import quote, split

from truerecall.bench.datasets.fixtures import fixture_folder
from truerecall.bench.headtohead.manifest import read_head_to_head
from truerecall.bench.qa.folder import read_qa_manifest
from truerecall.bench.run import read_manifest
from truerecall.errors import RunError

SCRIPTS = ("answers", "judge-words", "judge-last-word", "judge-lenient")
"""The scripted models, by the names of their files."""
DATA = "data"
"""Where the fixtures lie below the folder of a dry run."""
_NOT_INSTALLED = "mem0"
_OURS = "truerecall,embedder=none"


def _holds(out: Path) -> str:
    return "as it should be"


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the protocol."""

    what: str
    """In a few words."""
    arguments: tuple[str, ...]
    """Behind ``truerecall``; run in the folder of the dry run."""
    code: int = 0
    """The exit code that it must have."""
    check: Callable[[Path], str] = _holds
    """What is true of the folder afterwards, as a sentence; ``RunError`` where it is not."""


def lay_out(out: Path) -> None:
    """Put the fixtures and the scripted models into the folder: commands then name them by short paths."""
    out.mkdir(parents=True, exist_ok=True)
    (out / DATA).mkdir(exist_ok=True)
    for path in fixture_folder().glob("*.json"):
        shutil.copy(path, out / DATA / path.name)
    for name in SCRIPTS:
        shutil.copy(Path(__file__).with_name(f"{name}.jsonl"), out / f"{name}.jsonl")


def steps() -> tuple[Step, ...]:
    """The protocol, in order."""
    qa = (
        f"bench qa --data {DATA} --out runs --answer scripted:answers.jsonl --uncalibrated"
        f" --system {_OURS} --judge scripted:judge-words.jsonl"
    )
    controls = "--control full-dump --control oracle --control null"
    last_word, lenient = "--judge scripted:judge-last-word.jsonl", "--judge scripted:judge-lenient.jsonl"
    served = quote(f"command,command={quote(sys.executable)} -m truerecall.bench.systems.serve bm25")
    return (
        _step("read the data sets", f"bench data check {DATA}"),
        _step(
            "measure retrieval beside the controls",
            f"bench retrieval --data {DATA} --out runs --name retrieval --system {_OURS}",
            check=_is_wiring_proof,
        ),
        _step("compare with plain BM25", "bench compare runs/retrieval"),
        _step("refuse a judge that accepts wrong answers", f"bench calibrate {lenient} --out runs", code=1),
        _step(
            "recall, answer, judge twice",
            f"{qa} {last_word} {controls} --name qa",
            check=_every_question_accounted_for,
        ),
        _step(
            "again: no call is made",
            f"{qa} {last_word} {controls} --name qa",
            check=lambda out: _calls(out, "qa", judged=False),
        ),
        _step(
            "another judge: only it is asked",
            f"{qa} {lenient} {controls} --name qa-other-judge",
            check=lambda out: _calls(out, "qa-other-judge", judged=True),
        ),
        _step(
            "flip every switch of recall",
            f"{qa} {last_word} --control none --name qa-switches --ablate --sample 6",
        ),
        _step(
            "head-to-head: one system in a process of its own, one that is not installed",
            f"bench head-to-head --data {DATA} --out runs --name head-to-head --system {_OURS}"
            f" --system {served} --system {_NOT_INSTALLED}",
            check=_skipped_without_a_number,
        ),
        _step("make the reports anew", "bench report runs/qa"),
        _step(
            "show the runs side by side",
            "bench pages runs/retrieval runs/qa runs/qa-other-judge --out pages",
        ),
        _step("take a baseline", "bench gate take runs/retrieval --qa runs/qa --out baseline.json"),
        _step(
            "hold the runs against it",
            "bench gate check runs/retrieval --qa runs/qa --baseline baseline.json",
        ),
        _step("injected text, contradictions and secrets", "bench suite --seeds 1 --out runs/suite"),
    )


def _step(what: str, command: str, code: int = 0, check: Callable[[Path], str] = _holds) -> Step:
    return Step(what, tuple(split(command)), code, check)


def _is_wiring_proof(out: Path) -> str:
    manifest = read_manifest(out / "runs" / "retrieval")
    if not manifest.wiring_proof:
        raise RunError("figures of fixtures are not labelled", remedy="Report this: it is a fault.")
    return "labelled as a wiring proof"


def _every_question_accounted_for(out: Path) -> str:
    manifest = read_qa_manifest(out / "runs" / "qa")
    for dataset in manifest.datasets:
        for arm in dataset.arms:
            for judge in arm.judges:
                cells = [cell for cell in judge.cells if cell.type == "all"]
                if [c.correct + c.wrong + c.invalid + c.failed for c in cells] != [dataset.asked]:
                    raise RunError(
                        f"{arm.system}: a question is lost",
                        where=judge.judge,
                        remedy="Report this: it is a fault.",
                    )
    asked = sum(dataset.asked for dataset in manifest.datasets)
    return f"all {asked} questions of every arm are correct, wrong, invalid or failed"


def _calls(out: Path, name: str, *, judged: bool) -> str:
    """No answer was asked for, and no verdict unless ``judged``; a dry run that goes on asks for none either."""
    made = read_qa_manifest(out / "runs" / name).calls.made
    answers, verdicts = made.get("answer", 0), made.get("judge", 0)
    if answers or (verdicts and not judged):
        raise RunError(
            f"{answers} answers and {verdicts} verdicts were asked for",
            where=name,
            remedy="Remove the folder and try again; if it stays so, report it.",
        )
    return f"{answers} answers and {verdicts} verdicts asked for"


def _skipped_without_a_number(out: Path) -> str:
    manifest = read_head_to_head(out / "runs" / "head-to-head" / "manifest.json")
    arms = [arm for dataset in manifest.datasets for arm in dataset.arms]
    skipped = [arm for arm in arms if arm.outcome == "skipped"]
    return f"{len(arms) - len(skipped)} measured, {len(skipped)} skipped"
