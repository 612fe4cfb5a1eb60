"""A small accuracy run: a data set with rubrics, scripted models that answer and judge, and running it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import tiny

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.qa import calibration
from truerecall.bench.qa.folder import read_qa_manifest, read_qa_rows
from truerecall.bench.qa.manifest import QaCell, QaManifest
from truerecall.bench.qa.options import Models, QaOptions
from truerecall.bench.qa.records import QaRow
from truerecall.bench.qa.run import run_qa
from truerecall.bench.systems.full_dump import FullDump
from truerecall.bench.systems.protocol import System
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.models.scripted import Rule, ScriptedChat

CORRECT = '{"verdict": "correct"}'
WRONG = '{"verdict": "wrong"}'


def dataset() -> Dataset:
    """Two conversations with four questions each; of the first one more without evidence, and one to abstain from."""
    one, two = (_typed(tiny.conversation(name)) for name in ("one", "two"))
    bare = tiny.question("gold-one-5", "Who won the game?", "Kim", [], "temporal")
    unknown = replace(
        tiny.question("gold-one-6", "What is the cat called?", "It is not told.", [], "multi-hop"),
        abstention=True,
    )
    return tiny.dataset(replace(one, without_gold=(bare, unknown)), two, name="locomo")


def _typed(conversation: Any) -> Any:
    kinds = {"gold-kind-single": "single-hop", "gold-kind-other": "multi-hop"}
    questions = tuple(replace(question, type=kinds[question.type]) for question in conversation.questions)
    return replace(conversation, questions=questions)


ANSWERS = {
    "What is the boat called?": "It is called Juniper.",
    "When does the night train leave?": "At nine.",
    "Who baked cake and who sells honey?": "Rosa baked, and the sister sells honey.",
    "What was the novel about?": "It was about trains.",
    "Who won the game?": "Kim won.",
    "What is the cat called?": "That was never said.",
}
RIGHT = (
    "It is called Juniper.",
    "At nine.",
    "Rosa baked, and the sister sells honey.",
    "Kim won.",
    "That was never said.",
)


def rule(text: str, reply: str, finish: str = "stop") -> Rule:
    """A reply to whatever holds a text."""
    return Rule(re.compile(re.escape(text)), reply, finish)


class Scripted(ScriptedChat):
    """Works out who it is once, and not for each of many requests."""

    @cached_property
    def identity(self) -> str:  # type: ignore[override]
        return super().identity


ANSWERING = tuple(rule(f"Question: {question}", answer) for question, answer in ANSWERS.items())


def judging(right: Iterable[str] = RIGHT) -> tuple[Rule, ...]:
    """Fit to judge, and finds these answers right."""
    accepted = [item.answer for item in calibration.items() if item.accept] + list(right)
    rules = [rule(f"<answer>\n{answer}\n</answer>", CORRECT) for answer in accepted]
    return (*rules, Rule(re.compile(""), WRONG))


def answerer(*before: Rule, name: str = "scripted:answerer") -> ScriptedChat:
    """Answers every question of the data set."""
    return Scripted([], rules=[*before, *ANSWERING], name=name)


def judge(name: str, *before: Rule, right: Iterable[str] = RIGHT) -> ScriptedChat:
    """Judges as ``judging`` says."""
    return Scripted([], rules=[*before, *judging(right)], name=name)


def models(answer: Any = None, *judges: Any) -> Models:
    """An answering model, and two judges of which the second does not believe that Kim won."""
    second = judge("scripted:strict", right=[text for text in RIGHT if text != "Kim won."])
    return Models(answer or answerer(), judges or (judge("scripted:mild"), second))


def asked(chosen: Models) -> dict[str, int]:
    """How many calls each model has had."""
    return {
        name: len(model.asked) for name, model in chosen.by_name.items() if isinstance(model, ScriptedChat)
    }


def run(
    out: Path,
    chosen: Models,
    systems: Sequence[System] | None = None,
    data: Sequence[Dataset] | None = None,
    **changes: Any,
) -> QaManifest:
    """A run called ``trial``; judges are not tried first unless ``uncalibrated`` is False."""
    options = replace(QaOptions(out=out, name="trial", budget=100, uncalibrated=True), **changes)
    beside = systems if systems is not None else [Truerecall(None), FullDump()]
    return run_qa(data or [dataset()], beside, chosen, options, tiny.CLOCK, lambda progress: None)


def rows(out: Path, name: str = "trial") -> list[QaRow]:
    """Of a finished run, held against its manifest."""
    return read_qa_rows(out / name, read_qa_manifest(out / name))


def whole(manifest: QaManifest, system: str, by: str) -> QaCell:
    """A judge's figure over all questions of the only data set."""
    (arm,) = [arm for arm in manifest.datasets[0].arms if arm.system == system]
    (result,) = [result for result in arm.judges if result.judge == by]
    return next(cell for cell in result.cells if cell.type == "all")


TIMES = {
    "created",
    "ms",
    "ms_recall",
    "ms_answer",
    "recall",
    "answer",
    "judge",
    "end_to_end",
    "rows_sha256",
    "calls",
}


def untimed(value: Any) -> Any:
    """A manifest or a row without what a clock or the process decided."""
    if isinstance(value, dict):
        return {
            k: untimed(v)
            for k, v in value.items()
            if not (k in TIMES and not isinstance(v, str | bool)) and k not in ("created", "rows_sha256")
        }
    return [untimed(v) for v in value] if isinstance(value, list) else value
