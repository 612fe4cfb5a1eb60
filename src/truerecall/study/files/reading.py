"""Reading the files of a study, strictly: whatever is wrong is told with its file and line."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.design import (
    GraderChoice,
    MemoryChoice,
    Question,
    Repository,
    Side,
    SideKind,
    SolverChoice,
    SolverName,
    Study,
)
from truerecall.study.files.commands import whole_paths, words_of
from truerecall.study.files.graders import grader_spec
from truerecall.study.files.questions import read_question
from truerecall.study.files.tables import Document, Table

STUDY, QUESTIONS = "study.toml", "questions"
"""What lies in the folder of a study."""
_MEMORY_ONLY = ("plugin_dir", "mcp", "command", "load", "environment")
_DELIVERIES = ("plugin_dir", "mcp", "command")

_MANY = 1_000
"""More repeats, follow-ups or attempts than anybody means; every run stands in the plan."""


def read_study(folder: Path, unfinished: bool = False) -> Study:
    """All of a study.

    Args:
        folder: Holds ``study.toml`` and ``questions/``.
        unfinished: Let a question have no commit and no truth key yet: for what helps to write them.

    Raises:
        StudyError: Something is missing, unknown, of a wrong type or without a meaning; ``where`` is ``path:line``.
    """
    if not (folder / STUDY).is_file():
        raise StudyError(
            "this is no study",
            where=str(folder),
            remedy="Name the folder that `truerecall study init` wrote.",
        )
    table = Document.read(folder / STUDY).table
    study = Study(
        folder=folder,
        name=table.name("name"),
        solver=_solver(table.table("solver"), folder),
        graders=_graders(table.table("models"), folder),
        memory=_memory(table.table("memory"), folder),
        repositories=_repositories(table),
        sides=_sides(table, folder),
        questions=(),
        repeats=table.whole("repeats", 3, 1, _MANY),
        followups=table.whole("followups", 3, 0, _MANY),
        again=table.whole("again", 2, 0, _MANY),
        seed=table.whole("seed", 0, 0),
    )
    table.end()
    _check_whole(study, table)
    return replace(study, questions=_questions(study, unfinished))


def _solver(table: Table, folder: Path) -> SolverChoice:
    default = SolverChoice()
    name: SolverName = table.choice("name", SolverName, default.name)
    solver = SolverChoice(
        name=name,
        model=table.text("model") if "model" in table else default.model,
        command=tuple(whole_paths(words_of(table, "command", folder), folder)),
        max_turns=table.whole("max_turns", default.max_turns, 1),
        timeout=table.number("timeout", default.timeout, above=0) or default.timeout,
        environment=table.variables("environment"),
        key_variable=table.variable("key_variable", default.key_variable),
        where=table.where("name"),
    )
    table.end()
    if name == "command" and not solver.command:
        raise table.refuse(
            "the command solver has no command", 'Add command = ["program", "argument"].', "name"
        )
    if solver.key_variable in solver.environment:
        raise table.refuse(
            f"{solver.key_variable} is a key, and no key stands in a file",
            "Take it out: it is taken from the environment in which the study is run.",
            "environment",
        )
    return solver


def _graders(table: Table, folder: Path) -> GraderChoice:
    default = GraderChoice()
    graders = GraderChoice(
        grader_spec(table, "rewriter", default.rewriter, folder, free="rules"),
        grader_spec(table, "judge", default.judge, folder),
        grader_spec(table, "checker", default.checker, folder, free=""),
    )
    table.end()
    return graders


def _memory(table: Table, folder: Path) -> MemoryChoice:
    memory = MemoryChoice(table.texts("exports"), table.number("extraction_cost", None))
    table.end()
    for name in memory.exports:
        if not (folder / name).is_dir():
            raise table.refuse(
                f"there is no folder {name}",
                "`truerecall export` writes one; name it from the folder of the study.",
                "exports",
            )
    if len(set(memory.exports)) < len(memory.exports):
        raise table.refuse("an export stands there twice", "Name each once.", "exports")
    return memory


def _repositories(table: Table) -> tuple[Repository, ...]:
    found: list[Repository] = []
    for one in table.tables("repository"):
        repository = Repository(one.name("name"), one.text("source"), one.text("origin", ""))
        one.end()
        _refuse_twice(repository.name, [other.name for other in found], one, "repository")
        found.append(repository)
    return tuple(found)


def _sides(table: Table, folder: Path) -> tuple[Side, ...]:
    found: list[Side] = []
    for one in table.tables("side"):
        side = _side(one, folder)
        _refuse_twice(side.name, [other.name for other in found], one, "side")
        same = next((other for other in found if replace(other, name=side.name) == side), None)
        if same is not None:
            raise one.refuse(
                f"the sides {same.name} and {side.name} differ in nothing but their name",
                "Take one out: repeats = N runs every side N times.",
            )
        found.append(side)
    return tuple(found)


def _side(table: Table, folder: Path) -> Side:
    name = table.name("name")
    kind: SideKind = table.choice("kind", SideKind)
    side = Side(
        name=name,
        kind=kind,
        plugin_dir=table.text("plugin_dir", ""),
        mcp=words_of(table, "mcp", folder),
        command=words_of(table, "command", folder),
        load=words_of(table, "load", folder),
        environment=table.variables("environment"),
        marker=table.text("marker", ""),
    )
    table.end()
    if kind != "memory":
        meaningless = [*_MEMORY_ONLY, *(("marker",) if kind != "placebo" else ())]
        for key in meaningless:
            if key in table:
                raise table.refuse(f"{key} means nothing for a side of kind {kind}", "Take it out.", key)
    given = [key for key in _DELIVERIES if getattr(side, key)]
    if len(given) > 1:
        raise table.refuse(
            f"the side has {' and '.join(given)}", "Name one way by which the memory is brought.", given[1]
        )
    if side.plugin_dir and not (folder / side.plugin_dir).is_dir():
        raise table.refuse(
            f"there is no folder {side.plugin_dir}", "Name it from the folder of the study.", "plugin_dir"
        )
    return side


def _check_whole(study: Study, table: Table) -> None:
    """What only all of the file tells; our own memory, and the sessions as files, are made out of exports."""
    if not study.repositories:
        raise table.refuse(
            "the study names no repository", 'Add [[repository]] with name = "app" and source = "../app".'
        )
    if not study.sides:
        raise table.refuse("the study has no side", 'Add [[side]] with name = "none" and kind = "none".')
    needy = [
        side.name
        for side in study.sides
        if side.kind == "grep"
        or (side.kind == "memory" and not (side.plugin_dir or side.mcp or side.command))
    ]
    if needy and not study.memory.exports:
        raise table.refuse(
            f"the side {needy[0]} needs a frozen memory, and the study names none",
            'Add [memory] with exports = ["memory/app"]; `truerecall export` writes such a folder.',
            "memory",
        )


def _questions(study: Study, unfinished: bool) -> tuple[Question, ...]:
    above = study.folder / QUESTIONS
    folders = sorted(path for path in above.glob("*") if path.is_dir() and not path.name.startswith("."))
    if not folders:
        raise StudyError(
            "the study has no question",
            where=str(above),
            remedy="`truerecall study init` proposes some; each is a folder with question.toml and question.md.",
        )
    return tuple(read_question(path, study, unfinished) for path in folders)


def _refuse_twice(name: str, others: Sequence[str], table: Table, what: str) -> None:
    if name in others:
        raise table.refuse(f"there are two of the name {name}", f"Give this {what} another name.", "name")
