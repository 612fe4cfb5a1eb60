"""Writing the files of a study so that a person can read and edit them; what is there already is never overwritten."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from truerecall.bench.outputs import write_whole
from truerecall.errors import StudyError
from truerecall.study.design import Approval, Question, Side, SolverChoice, Study
from truerecall.study.files.key_lines import key_text
from truerecall.study.files.questions import APPROVED, KEYS, QUESTION, REQUEST, TEXT
from truerecall.study.files.reading import QUESTIONS, STUDY
from truerecall.study.files.toml_text import toml_instant, toml_key, toml_text, toml_texts


def write_study(study: Study, notes: Mapping[str, Mapping[str, str]] | None = None) -> tuple[Path, ...]:
    """Write ``study.toml`` and the folder of each question; the paths of what was written.

    Args:
        study: Written to its ``folder``.
        notes: Of a question's files, by its id and the file's name, a text that is put in as a comment.

    Raises:
        StudyError: A file is there already, and then nothing was written; or the folder cannot be written.
    """
    files = {study.folder / STUDY: study_text(study)}
    for question in study.questions:
        folder = study.folder / QUESTIONS / question.id
        own = question_files(question, (notes or {}).get(question.id, {}))
        files |= {folder / name: text for name, text in own.items()}
    return write_new(files)


def write_new(files: Mapping[Path, str]) -> tuple[Path, ...]:
    """Write files that are not there yet; where one is, none is written, and ``StudyError`` names it."""
    taken = next((path for path in files if path.exists() or path.is_symlink()), None)
    if taken is not None:
        raise StudyError(
            "the file is there already",
            where=str(taken),
            remedy="Nothing was written. Name a new folder, or move the file away.",
        )
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
    except OSError as error:
        raise StudyError(
            f"the file cannot be written: {error.strerror}",
            where=str(path),
            remedy="Make its folder writable.",
        ) from None
    return tuple(files)


def study_text(study: Study) -> str:
    """``study.toml``, with a comment on each part."""
    parts = [
        f"name = {toml_text(study.name)}",
        "# Runs of every question on every side.",
        f"repeats = {study.repeats}",
        "# Neutral follow-ups at most, until an answer is correct.",
        f"followups = {study.followups}",
        "# How often a run that was thrown out is done again, at most.",
        f"again = {study.again}",
        f"seed = {study.seed}",
        "",
        *_memory(study),
        "",
        *_solver(study.solver),
        "",
        '# The models that grade; the rewriter may be "rules", and the checker left out: it is the judge then.',
        "[models]",
        f"rewriter = {toml_text(study.graders.rewriter)}",
        f"judge = {toml_text(study.graders.judge)}",
        *([f"checker = {toml_text(study.graders.checker)}"] if study.graders.checker else []),
    ]
    parts += ["", "# Where the code is: a folder, from here, or an address that git fetches from."]
    for repository in study.repositories:
        parts += ["[[repository]]", f"name = {toml_text(repository.name)}"]
        parts += [f"source = {toml_text(repository.source)}"]
        parts += [f"origin = {toml_text(repository.origin)}"] if repository.origin else []
        parts.append("")
    parts.append("# What is compared: memory, none, redo, and if wanted placebo, grep and further memories.")
    for side in study.sides:
        parts += [*_side(side), ""]
    return "\n".join(parts)


def _memory(study: Study) -> Iterable[str]:
    yield "# The frozen memory: folders that `truerecall export` wrote."
    yield "[memory]"
    yield f"exports = {toml_texts(study.memory.exports)}"
    if study.memory.extraction_cost is not None:
        yield f"extraction_cost = {float(study.memory.extraction_cost)!r}"


def _solver(solver: SolverChoice) -> Iterable[str]:
    yield "# Who answers, the same on every side: claude-code, codex, opencode or command."
    yield "[solver]"
    yield f"name = {toml_text(solver.name)}"
    yield f"model = {toml_text(solver.model)}"
    if solver.command:
        yield f"command = {toml_texts(solver.command)}"
    yield f"max_turns = {solver.max_turns}"
    yield f"timeout = {float(solver.timeout)!r}"
    yield "# The variable that holds the key; the key itself stands in no file."
    yield f"key_variable = {toml_text(solver.key_variable)}"
    yield from _variables(solver.environment)


def _side(side: Side) -> Iterable[str]:
    yield "[[side]]"
    yield f"name = {toml_text(side.name)}"
    yield f"kind = {toml_text(side.kind)}"
    if side.plugin_dir:
        yield f"plugin_dir = {toml_text(side.plugin_dir)}"
    for name, words in (("mcp", side.mcp), ("command", side.command), ("load", side.load)):
        if words:
            yield f"{name} = {toml_texts(words)}"
    yield from _variables(side.environment)
    if side.marker:
        yield f"marker = {toml_text(side.marker)}"


def _variables(environment: Mapping[str, str]) -> Iterable[str]:
    if environment:
        pairs = ", ".join(f"{toml_key(name)} = {toml_text(value)}" for name, value in environment.items())
        yield f"environment = {{ {pairs} }}"


def question_files(question: Question, notes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The files of a question by their names, as ``read_question`` reads them; ``notes`` are put in as comments."""
    notes = notes or {}
    files = {
        QUESTION: _question(question, notes.get(QUESTION, "")),
        TEXT: question.text + "\n",
        KEYS: _commented(notes.get(KEYS, ""))
        + key_text(question.session_key, question.truth_key, question.control),
    }
    if question.request:
        files[REQUEST] = question.request + "\n"
    if question.approval is not None:
        files[APPROVED] = approval_text(question.approval)
    return files


def approval_text(approval: Approval) -> str:
    """``approved.toml``."""
    lines = (
        "# Written by `truerecall study keys approve`. Any later edit of the question makes it void.",
        f"by = {toml_text(approval.by)}",
        f"at = {toml_instant(approval.at)}",
        f"sha256 = {toml_text(approval.sha256)}",
    )
    return "\n".join(lines) + "\n"


def _question(question: Question, note: str) -> str:
    lines = [
        "# What the memory learned before this moment is in its cut, and nothing else.",
        f"asked_at = {toml_instant(question.asked_at)}",
    ]
    if question.control:
        lines += ["# Memory holds nothing relevant: it prices the ordinary prompt.", "control = true"]
    if question.sessions:
        lines += ["# Where it was first discussed.", f"sessions = {toml_texts(question.sessions)}"]
    lines += ["", "# The commits that were current then; the first is where the solver works.", "[commits]"]
    lines += [f"{toml_key(one.repository)} = {toml_text(one.commit)}" for one in question.checkouts]
    lines += [f"# {line}".rstrip() for line in note.splitlines()]
    return "\n".join(lines) + "\n"


def _commented(note: str) -> str:
    return f"<!--\n{note.replace('-->', '->').strip()}\n-->\n\n" if note else ""
