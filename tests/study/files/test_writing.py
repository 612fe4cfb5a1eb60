"""What is written is read again the same, can be read by people, and never takes the place of what is there."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truerecall.errors import StudyError
from truerecall.memory.write.mask import mask
from truerecall.study.design import (
    Approval,
    Checkout,
    FilePlace,
    GraderChoice,
    KeyFact,
    MemoryChoice,
    Question,
    Repository,
    SessionPlace,
    Side,
    SolverChoice,
    Study,
)
from truerecall.study.files.reading import read_study
from truerecall.study.files.writing import question_files, study_text, write_study

NAMES = st.from_regex(r"[a-z0-9][a-z0-9-]{0,10}", fullmatch=True).filter(lambda name: name != "report")
ANYTHING = st.text(st.characters(blacklist_categories=("Cs",)), max_size=30)
SAID = ANYTHING.filter(lambda text: bool(text.strip()))
LINE = (
    st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1)
    .map(str.strip)
    .filter(bool)
)
WORDS = st.lists(SAID, max_size=4).map(tuple)
VARIABLES = st.dictionaries(st.from_regex(r"[A-Z][A-Z_]{0,8}", fullmatch=True), ANYTHING, max_size=3)
INSTANTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # bounds
COMMITS = st.from_regex(r"[0-9a-f]{40}", fullmatch=True)

SOLVERS = st.builds(
    SolverChoice,
    name=st.sampled_from(["claude-code", "codex", "command"]),
    model=SAID,
    command=WORDS.filter(bool),
    max_turns=st.integers(1, 1000),
    timeout=st.floats(0.001, 1e9),
    environment=VARIABLES,
)
OTHERS = st.sampled_from(
    [Side("none", "none"), Side("redo", "redo"), Side("grep", "grep"), Side("p", "placebo")]
)
RIVALS = st.builds(Side, name=NAMES, kind=st.just("memory"), mcp=WORDS.filter(bool), load=WORDS, environment=VARIABLES,
                   marker=ANYTHING)  # fmt: skip


def numbered(drawn: list[tuple[str, bool]], place: FilePlace | SessionPlace) -> tuple[KeyFact, ...]:
    wrongly = isinstance(place, SessionPlace)
    return tuple(KeyFact(n, text, place, wrong and wrongly) for n, (text, wrong) in enumerate(drawn, start=1))


@st.composite
def studies(draw: st.DrawFn) -> Study:
    """A study that lies nowhere yet."""
    facts = st.lists(st.tuples(LINE, st.booleans()), min_size=1, max_size=3)
    names = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    asked = []
    for name in draw(st.lists(NAMES, min_size=1, max_size=2, unique=True)):
        control = draw(st.booleans())
        place = FilePlace(names[0], "src/a b.py", 2, draw(st.integers(2, 9)))
        asked.append(
            Question(
                id=name,
                text=draw(SAID),
                request="" if control else draw(SAID),
                asked_at=draw(INSTANTS),
                checkouts=tuple(Checkout(one, draw(COMMITS)) for one in names),
                control=control,
                sessions=tuple(dict.fromkeys(draw(WORDS))),
                session_key=() if control else numbered(draw(facts), SessionPlace("0f3a/1")),
                truth_key=numbered(draw(facts), place),
                approval=draw(st.none() | st.builds(Approval, SAID, INSTANTS, st.just("0" * 64))),
            )
        )
    sides = draw(st.lists(OTHERS | RIVALS, min_size=1, max_size=4, unique_by=lambda side: side.name))
    return Study(
        folder=Path(),
        name=draw(NAMES),
        solver=draw(SOLVERS),
        graders=GraderChoice(checker=draw(st.sampled_from(["", "openai:x"]))),
        memory=MemoryChoice(("memory/é x",), draw(st.none() | st.floats(0, 1e6))),
        repositories=tuple(Repository(name, draw(SAID), draw(ANYTHING)) for name in names),
        sides=tuple(
            side
            for n, side in enumerate(sides)
            if side not in [replace(o, name=side.name) for o in sides[:n]]
        ),
        questions=tuple(sorted(asked, key=lambda question: question.id)),
        repeats=draw(st.integers(1, 9)),
        followups=draw(st.integers(0, 9)),
        seed=draw(st.integers(0, 2**40)),
    )


def without_lines(study: Study) -> Study:
    """Where a fact stands is known of one that was read alone."""

    def bare(facts: tuple[KeyFact, ...]) -> tuple[KeyFact, ...]:
        return tuple(replace(fact, line=0) for fact in facts)

    questions = (
        replace(one, session_key=bare(one.session_key), truth_key=bare(one.truth_key))
        for one in study.questions
    )
    return replace(study, questions=tuple(questions))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(studies())
def test_what_is_written_is_read_again(study: Study) -> None:
    texts = [study_text(study), *(text for one in study.questions for text in question_files(one).values())]
    if any(mask(text).count for text in texts):  # drawn texts that look like secrets are refused, rightly
        return
    with TemporaryDirectory() as folder:
        (Path(folder) / "memory" / "é x").mkdir(parents=True)
        study = replace(study, folder=Path(folder))

        write_study(study)

        assert without_lines(read_study(study.folder)) == study


EXAMPLE = Study(
    folder=Path(),
    name="retries",
    solver=SolverChoice(environment={"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}),
    graders=GraderChoice(),
    memory=MemoryChoice(("memory/app",)),
    repositories=(Repository("app", "../app"),),
    sides=(Side("memory", "memory"), Side("none", "none")),
    questions=(
        Question(
            id="limit",
            text="How often do we retry?",
            request="Add retries.",
            asked_at=datetime(2024, 5, 7, 9, 30, tzinfo=UTC),
            checkouts=(Checkout("app", "a" * 40),),
            sessions=("0f3a",),
            session_key=(KeyFact(1, "The limit is 5.", SessionPlace("0f3a"), wrong=True),),
            truth_key=(KeyFact(1, "The limit is 4.", FilePlace("app", "src/retry.py", 1, 2)),),
        ),
    ),
)


def test_a_study_reads_as_a_person_would_write_it(tmp_path: Path) -> None:
    study = replace(EXAMPLE, folder=tmp_path)

    written = write_study(study, {"limit": {"keys.md": "One fact a line."}})

    asked = tmp_path / "questions" / "limit"
    names = ("question.toml", "question.md", "keys.md", "request.md")
    assert written == (tmp_path / "study.toml", *(asked / name for name in names))
    assert (
        (asked / "question.toml").read_text()
        == f"""\
# What the memory learned before this moment is in its cut, and nothing else.
asked_at = 2024-05-07T09:30:00Z
# Where it was first discussed.
sessions = ["0f3a"]

# The commits that were current then; the first is where the solver works.
[commits]
app = "{"a" * 40}"
"""
    )
    assert (
        (asked / "keys.md").read_text()
        == """\
<!--
One fact a line.
-->

# Session key

- The limit is 5. [session 0f3a] (wrong)

# Truth key

- The limit is 4. [app: src/retry.py:1-2]
"""
    )
    assert (asked / "question.md").read_bytes() == b"How often do we retry?\n"


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    study = replace(EXAMPLE, folder=tmp_path)
    mine = tmp_path / "questions" / "limit" / "keys.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")

    with pytest.raises(StudyError) as caught:
        write_study(study)

    assert (caught.value.problem, caught.value.where) == ("the file is there already", str(mine))
    assert mine.read_text() == "mine"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["keys.md"]
