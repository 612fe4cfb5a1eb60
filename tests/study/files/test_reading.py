"""A study's files are read strictly: each thing that is wrong with them is told with its file and line."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.errors import StudyError
from truerecall.models.protocols import ChatMessage, ChatParameters
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
from truerecall.study.files.commands import whole_paths
from truerecall.study.files.graders import grader_model
from truerecall.study.files.reading import read_study
from truerecall.study.solvers.table import solver

STUDY = """name = "retries"
repeats = 2
[memory]
exports = ["memory/app"]
extraction_cost = 0.25
[solver]
name = "claude-code"
max_turns = 12
timeout = 60
environment = { ANTHROPIC_BASE_URL = "http://127.0.0.1:8080" }
[models]
rewriter = "rules"
[[repository]]
name = "app"
source = "../app"
origin = "https://example.org/team/app.git"
[[repository]]
name = "web"
source = "../web"
[[side]]
name = "memory"
kind = "memory"
[[side]]
name = "rival"
kind = "memory"
mcp = ["rival", "serve"]
load = ["rival", "load"]
marker = "[rival]"
[side.environment]
RIVAL_HOME = "here"
[[side]]
name = "none"
kind = "none"
[[side]]
name = "redo"
kind = "redo"
"""
QUESTION = f"""asked_at = 2024-05-07T11:30:00+02:00
sessions = ["0f3a"]
[commits]
web = "{"b" * 40}"
app = "{"a" * 40}"
"""
KEYS = """# Session key
- The limit is 5. [session 0f3a]
# Truth key
- The limit is 4. [app: src/retry.py:1-2]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of one question and one control, as somebody wrote it."""
    (tmp_path / "memory" / "app").mkdir(parents=True)
    write(tmp_path / "study.toml", STUDY)
    asked = tmp_path / "questions" / "retry-limit"
    write(asked / "question.toml", QUESTION)
    write(asked / "question.md", "How often\r\ndo we retry?\n\n")
    write(asked / "request.md", "Add retries.")
    write(asked / "keys.md", KEYS)
    write(asked / "keys.draft.md", "anything")
    write(asked / "approved.toml", f'by = "Ada"\nat = 2024-06-01T08:00:00Z\nsha256 = "{"c" * 64}"\n')
    control = tmp_path / "questions" / "a-control"
    write(control / "question.toml", QUESTION.replace("sessions = ", "control = true\n# "))
    write(control / "question.md", "Which licence?\n")
    write(control / "keys.md", "# Truth key\n- It is MIT. [web: LICENSE:1]\n")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def refused(folder: Path) -> tuple[str, str]:
    """The problem, and where it is, below the folder of the study."""
    with pytest.raises(StudyError) as caught:
        read_study(folder)
    assert caught.value.remedy
    return caught.value.problem, (caught.value.where or "").removeprefix(f"{folder}/")


def test_a_study_is_read_whole(folder: Path) -> None:
    checkouts = (Checkout("web", "b" * 40), Checkout("app", "a" * 40))
    asked_at = datetime(2024, 5, 7, 9, 30, tzinfo=UTC)
    assert read_study(folder) == Study(
        folder=folder,
        name="retries",
        solver=SolverChoice(
            max_turns=12, timeout=60.0, environment={"ANTHROPIC_BASE_URL": "http://127.0.0.1:8080"}
        ),
        graders=GraderChoice(rewriter="rules"),
        memory=MemoryChoice(("memory/app",), 0.25),
        repositories=(
            Repository("app", "../app", "https://example.org/team/app.git"),
            Repository("web", "../web"),
        ),
        sides=(
            Side("memory", "memory"),
            Side(
                "rival",
                "memory",
                mcp=("rival", "serve"),
                load=("rival", "load"),
                environment={"RIVAL_HOME": "here"},
                marker="[rival]",
            ),
            Side("none", "none"),
            Side("redo", "redo"),
        ),
        questions=(
            Question(
                id="a-control",
                text="Which licence?",
                request="",
                asked_at=asked_at,
                checkouts=checkouts,
                control=True,
                truth_key=(KeyFact(1, "It is MIT.", FilePlace("web", "LICENSE", 1, 1), line=2),),
            ),
            Question(
                id="retry-limit",
                text="How often\r\ndo we retry?\n",
                request="Add retries.",
                asked_at=asked_at,
                checkouts=checkouts,
                sessions=("0f3a",),
                session_key=(KeyFact(1, "The limit is 5.", SessionPlace("0f3a"), line=2),),
                truth_key=(KeyFact(1, "The limit is 4.", FilePlace("app", "src/retry.py", 1, 2), line=4),),
                approval=Approval("Ada", datetime(2024, 6, 1, 8, tzinfo=UTC), "c" * 64),
            ),
        ),
        repeats=2,
    )


def test_a_time_may_be_a_text_with_its_zone(folder: Path) -> None:
    path = folder / "questions" / "retry-limit" / "question.toml"
    write(path, QUESTION.replace("2024-05-07T11:30:00+02:00", '"2024-05-07T11:30:00+02:00"'))

    assert read_study(folder).questions[1].asked_at == datetime(2024, 5, 7, 9, 30, tzinfo=UTC)


IN_STUDY = [
    ('name = "retries"', 'name = "Retries"', "name 'Retries' is no name", 1),
    ('name = "retries"\n', "", "there is no name", 1),
    ("repeats = 2", "repeats = 0", "repeats is not a whole number from 1 to 1000", 2),
    ("repeats = 2", "repeats = 99999999", "repeats is not a whole number from 1 to 1000", 2),
    ("repeats = 2", "repeats = true", "repeats is not a whole number from 1 to 1000", 2),
    ("repeats = 2", "repeat = 2", "unknown key repeat", 2),
    ("repeats = 2", "repeats = = 2", "the file is not TOML: Invalid value", 2),
    ('["memory/app"]', '"memory/app"', "exports is not a list of texts", 4),
    ('["memory/app"]', '["memory/ap"]', "there is no folder memory/ap", 4),
    ('["memory/app"]', '["memory/app", "memory/app"]', "an export stands there twice", 4),
    ('exports = ["memory/app"]', "", "the side memory needs a frozen memory, and the study names none", 3),
    ("extraction_cost = 0.25", "extraction_cost = -1", "extraction_cost is not a number from 0", 5),
    ('"claude-code"', '"claude"', "name is 'claude'", 7),
    ('"claude-code"', '"command"', "the command solver has no command", 7),
    ("timeout = 60", "timeout = 0", "timeout is not a number more than 0", 9),
    ("timeout = 60", "timeout = inf", "timeout is not a number more than 0", 9),
    ("ANTHROPIC_BASE_URL", '"BASE URL"', "'BASE URL' is no name of a variable", 10),
    ("ANTHROPIC_BASE_URL", "HOME", "HOME is set by the study: each run has folders of its own", 10),
    (
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_API_KEY is a key, and no key stands in a file",
        10,
    ),
    ('"http://127.0.0.1:8080"', "8080", "ANTHROPIC_BASE_URL is not a text", 10),
    ('"rules"', '"haiku"', "rewriter: no chat model is called 'haiku'", 12),
    ('"rules"', '""', "rewriter: that names no chat model", 12),
    ('rewriter = "rules"', 'judge = "rules"', "judge: no chat model is called 'rules'", 12),
    ('rewriter = "rules"', 'judge = ""', "judge: that names no chat model", 12),
    ('rewriter = "rules"', 'checker = "openai:m,keys=N"', "checker: the option 'keys' is not known", 12),
    ('rewriter = "rules"', 'judge = "scripted:judge.jsonl"', "judge: there is no file judge.jsonl", 12),
    ("max_turns = 12", 'key_variable = "MY KEY"', "key_variable: the key is not named by its variable", 8),
    ('["rival", "load"]', '["./load"]', "there is no file ./load", 27),
    ('["rival", "load"]', '["python", "-u", "load_rival.py"]', "there is no file load_rival.py", 27),
    ('["rival", "load"]', '[\n"python",\n"../load.py"]', "there is no file ../load.py", 29),
    ('["rival", "serve"]', '["node", "bin/serve.js"]', "there is no file bin/serve.js", 26),
    ('name = "web"', 'name = "app"', "there are two of the name app", 18),
    ('source = "../web"', "", "there is no source", 17),
    ('kind = "memory"\n[[side]]\nname = "r', 'knd = "memory"\n[[side]]\nname = "r', "there is no kind", 20),
    ('name = "none"', 'name = "rival"', "there are two of the name rival", 32),
    ('kind = "none"', 'kind = "nothing"', "kind is 'nothing'", 33),
    ('kind = "none"', 'kind = "redo"', "the sides none and redo differ in nothing but their name", 34),
    ('kind = "none"', 'kind = "none"\nload = []', "load means nothing for a side of kind none", 34),
    ('kind = "none"', 'kind = "none"\nmarker = "x"', "marker means nothing for a side of kind none", 34),
    (
        'kind = "none"',
        'kind = "none"\n[side.environment]',
        "environment means nothing for a side of kind none",
        34,
    ),
    ('load = ["rival", "load"]', 'command = ["rival"]', "the side has mcp and command", 27),
    ('mcp = ["rival", "serve"]', 'plugin_dir = "rival"', "there is no folder rival", 26),
    ('[[side]]\nname = "none"', '[[sides]]\nname = "none"', "unknown key sides", 31),
]


@pytest.mark.parametrize(("old", "new", "problem", "line"), IN_STUDY)
def test_what_is_wrong_in_study_toml_is_told_with_its_line(
    folder: Path, old: str, new: str, problem: str, line: int
) -> None:
    assert old in STUDY
    write(folder / "study.toml", STUDY.replace(old, new, 1))

    assert refused(folder) == (problem, f"study.toml:{line}")


IN_QUESTION = [
    ("question.toml", "2024-05-07T11:30:00+02:00", "2024-05-07T11:30:00", "has no time zone", 1),
    ("question.toml", "2024-05-07T11:30:00+02:00", "2024-05-07", "asked_at is date, not a datetime", 1),
    ("question.toml", "2024-05-07T11:30:00+02:00", '"yesterday"', "'yesterday' is not an ISO 8601 time", 1),
    ("question.toml", "asked_at", "asked", "there is no asked_at", 1),
    ("question.toml", '["0f3a"]', '["0f3a", "0f3a"]', "a session stands there twice", 2),
    ("question.toml", "[commits]", "[commit]", "unknown key commit", 3),
    ("question.toml", "web =", "wbe =", "the study has no repository 'wbe'", 4),
    ("question.toml", "b" * 40, "b" * 39, "the commit of web is not 40 hexadecimal digits", 4),
    ("question.toml", "b" * 40, "B" * 40, "the commit of web is not 40 hexadecimal digits", 4),
    ("question.toml", "web =", "app =", "the file is not TOML: Cannot overwrite a value", 5),
    ("question.md", "How often\r\ndo we retry?", " \n", "the question is empty", 1),
    (
        "request.md",
        "Add retries.",
        "\n",
        "the side redo begins with the original request, and there is none",
        1,
    ),
    ("keys.md", "[app: src", "[api: src", "the question names no commit of 'api'", 4),
    ("keys.md", "- The limit is 4. [app: src/retry.py:1-2]", "", "the question has no truth key", 1),
    ("approved.toml", '"Ada"', '" "', "by is empty", 1),
    ("approved.toml", "cc", "", "sha256 is not 64 hexadecimal digits", 3),
]


@pytest.mark.parametrize(("name", "old", "new", "problem", "line"), IN_QUESTION)
def test_what_is_wrong_with_a_question_is_told_with_its_line(
    folder: Path, name: str, old: str, new: str, problem: str, line: int
) -> None:
    path = folder / "questions" / "retry-limit" / name
    text = path.read_bytes().decode("utf-8")
    assert old in text
    write(path, text.replace(old, new, 1))

    told, where = refused(folder)

    assert problem in told
    assert where == f"questions/retry-limit/{name}:{line}"


def test_a_control_has_no_session_key_and_no_request(folder: Path) -> None:
    control = folder / "questions" / "a-control"
    write(control / "request.md", "Add a licence.\n")
    assert refused(folder) == (
        "a control question has no original request",
        "questions/a-control/request.md:1",
    )

    (control / "request.md").unlink()
    write(control / "keys.md", "# Truth key\n- A. [web: L:1]\n# Session key\n- B. [session 1]\n")
    assert refused(folder) == (
        "a control question has no session key: memory holds nothing of it",
        "questions/a-control/keys.md:4",
    )


@pytest.mark.parametrize("name", ["Retry", "a_b", "-a", "report", "é", "a" * 61])
def test_a_folder_must_be_able_to_name_a_question(folder: Path, name: str) -> None:
    (folder / "questions" / "retry-limit").rename(folder / "questions" / name)

    assert refused(folder) == (f"{name!r} is no name of a question", f"questions/{name}")


def test_a_file_that_no_question_has_is_refused(folder: Path) -> None:
    write(folder / "questions" / "retry-limit" / "Request.MD", "Add retries.")
    write(folder / "questions" / "retry-limit" / ".swp", "of an editor")

    assert refused(folder) == ("Request.MD is no file of a question", "questions/retry-limit/Request.MD")


@pytest.mark.parametrize("name", ["question.toml", "question.md", "keys.md"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / "questions" / "retry-limit" / name).unlink()

    assert refused(folder) == (
        "the file cannot be read: No such file or directory",
        f"questions/retry-limit/{name}",
    )


def test_what_is_not_utf8_is_told_with_its_line(folder: Path) -> None:
    (folder / "questions" / "retry-limit" / "question.md").write_bytes(b"one\ntw\xff\n")

    assert refused(folder) == ("the file is not UTF-8", "questions/retry-limit/question.md:2")


@pytest.mark.parametrize(
    "command",
    [
        ["./load.sh"],
        ["python3", "load.py", "made.py"],
        ["python", "-m", "rival", "no.py"],
        ["sh", "-c", "cat no.py"],
        ["npx", "-y", "@rival/server"],
        ["docker", "run", "rival/server", "no.py"],
    ],
)
def test_a_command_that_can_be_run_is_let_be(folder: Path, command: list[str]) -> None:
    write(folder / "load.sh", "true\n")
    write(folder / "load.py", "pass\n")
    write(folder / "study.toml", STUDY.replace('["rival", "load"]', json.dumps(command)))

    assert read_study(folder).sides[1].load == tuple(command)


KEYS_ITSELF = ("sk-ant-api", "0123456789abcdef0", "AKIA")


@pytest.mark.parametrize("key", KEYS_ITSELF)
@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("max_turns = 12", 'key_variable = "KEY"', 8),
        ('rewriter = "rules"', 'judge = "openai:gpt,key=KEY"', 12),
    ],
)
def test_a_key_in_place_of_its_variable_is_refused_and_not_repeated(
    folder: Path, key: str, old: str, new: str, line: int
) -> None:
    write(folder / "study.toml", STUDY.replace(old, new.replace("KEY", key)))

    problem, where = refused(folder)

    assert problem.endswith("the key is not named by its variable")
    assert (where, key in problem) == (f"study.toml:{line}", False)


def test_a_script_is_named_from_the_folder_of_the_study(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "play" / "judge.jsonl", '{"reply": "yes"}\n')
    write(folder / "study.toml", STUDY.replace('rewriter = "rules"', 'judge = "scripted:play/judge.jsonl"'))
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))

    judge = grader_model(read_study(folder).graders.judge, folder, {}, ChatParameters())

    assert judge.reply([ChatMessage("user", "Is it?")]).text == "yes"


def test_a_solver_of_the_study_is_named_from_its_folder(folder: Path) -> None:
    write(folder / "bin" / "solve.py", "pass\n")
    named = 'name = "command"\ncommand = ["python", "bin/solve.py", "--deep"]'
    write(folder / "study.toml", STUDY.replace('name = "claude-code"', named))

    assert read_study(folder).solver.command == ("python", str(folder.resolve() / "bin/solve.py"), "--deep")

    (folder / "bin" / "solve.py").unlink()
    assert refused(folder) == ("there is no file bin/solve.py", "study.toml:8")


def test_a_program_with_a_slash_is_named_from_the_folder_of_the_study(folder: Path) -> None:
    write(folder / "bin" / "load", "true\n")

    assert whole_paths(["bin/load", "a"], folder) == [str(folder.resolve() / "bin/load"), "a"]
    assert whole_paths(["load", "bin"], folder / "bin") == ["load", "bin"]


def test_a_solver_that_is_refused_is_refused_with_its_line(folder: Path) -> None:
    write(folder / "study.toml", STUDY.replace('"claude-code"', '"opencode"'))

    with pytest.raises(StudyError, match="OpenCode cannot be confined") as caught:
        solver(read_study(folder).solver, {}).check()

    assert caught.value.where == f"{folder}/study.toml:7"


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2


@pytest.mark.parametrize(
    ("name", "line"),
    [("study.toml", 37), ("questions/retry-limit/question.md", 4), ("questions/retry-limit/keys.md", 5)],
)
def test_a_secret_is_refused_and_not_repeated(folder: Path, name: str, line: int) -> None:
    write(folder / name, (folder / name).read_bytes().decode("utf-8") + f"# {SECRET}\n")

    with pytest.raises(StudyError) as caught:
        read_study(folder)

    assert caught.value.problem == "a secret stands in the file (github)"
    assert caught.value.where == f"{folder / name}:{line}"
    assert "a1B2" not in str(caught.value)


def test_a_private_key_is_told_at_its_first_line(folder: Path) -> None:
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj" for _ in range(3))
    path = folder / "questions" / "retry-limit" / "request.md"
    write(path, f"Use this:\n-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n")

    assert refused(folder) == (
        "a secret stands in the file (private-key)",
        "questions/retry-limit/request.md:2",
    )


def test_an_unfinished_question_is_read_only_where_it_is_to_be_finished(folder: Path) -> None:
    asked = folder / "questions" / "retry-limit"
    write(asked / "question.toml", 'asked_at = 2024-05-07T11:30:00Z\n[commits]\n# app = "…"\n')
    write(asked / "keys.md", "# Session key\n\n# Truth key\n")

    question = read_study(folder, unfinished=True).questions[1]

    assert (question.checkouts, question.session_key, question.truth_key) == ((), (), ())
    assert refused(folder) == ("the question names no commit", "questions/retry-limit/question.toml:2")


def test_a_study_without_questions_is_none(folder: Path) -> None:
    (folder / "questions").rename(folder / "other")

    assert refused(folder) == ("the study has no question", "questions")


@pytest.mark.parametrize(
    ("old", "problem"),
    [("[[side]]", "the study has no side"), ("[[repository]]", "the study names no repository")],
)
def test_a_study_has_sides_and_repositories(folder: Path, old: str, problem: str) -> None:
    kept = [part for part in re.split(r"(?m)^(?=\[\[)", STUDY) if not part.startswith(old)]
    write(folder / "study.toml", "".join(kept))

    assert refused(folder) == (problem, "study.toml:1")


def test_a_folder_without_study_toml_is_no_study(tmp_path: Path) -> None:
    with pytest.raises(StudyError) as caught:
        read_study(tmp_path)

    assert (caught.value.problem, caught.value.where) == ("this is no study", str(tmp_path))
