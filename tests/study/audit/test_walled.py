"""Of commands behind a wall of the system, what cannot be told is no finding; what is named and was read is one."""

from pathlib import Path

import pytest
from pydantic import JsonValue

from truerecall.study.audit.outside import audit
from truerecall.study.records import Exchange, ToolUse, UseOutcome
from truerecall.study.solvers.protocol import Seat


@pytest.fixture
def seat(tmp_path: Path) -> Seat:
    """Two repositories, a secret beside the workspace, and links that lead to it."""
    home, workspace = tmp_path / "home", tmp_path / "ws"
    for folder in (home, workspace / "app" / ".git", workspace / "lib", tmp_path / "other"):
        folder.mkdir(parents=True)
    (tmp_path / "other" / "secret.txt").write_text("secret\n", "utf-8")
    (workspace / "app" / "a.py").write_text("text\n", "utf-8")
    (workspace / "app" / "out").symlink_to(tmp_path / "other")
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return Seat(home, workspace, workspace / "app", (workspace / "lib",), environment, tmp_path / "outputs")


def ran(command: str, outcome: UseOutcome = "ok", output: str = "text\n", **more: JsonValue) -> ToolUse:
    given: dict[str, JsonValue] = {"cmd": command, **more}
    return ToolUse(id="t", name="exec_command", input=given, outcome=outcome, output=output)


def exchange(*uses: ToolUse, walled: bool = True) -> Exchange:
    numbered = [use.model_copy(update={"id": f"t{number}"}) for number, use in enumerate(uses)]
    return Exchange(
        kind="question", prompt="Why?", ended="answered", uses=numbered, walled=walled, seconds=1.0
    )


def found(seat: Seat, *uses: ToolUse, walled: bool = True) -> list[str]:
    return [finding.what for finding in audit([exchange(*uses, walled=walled)], seat).outside]


@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'import os; print(os.listdir(chr(46)))'",
        "perl -ne print a.py",
        "cat $(git config --get x.path)",
        "make test",
        "./run.sh",
        "eval $CHOSEN",
        "export PATH=$PWD:$PATH; a",
        "grep -R text .",
        "cat */secret.txt",
        "ls | xargs cat",
        "git -c core.fsmonitor=run log",
        'cat "a',
    ],
)
def test_what_cannot_be_told_is_a_finding_without_a_wall_alone(seat: Seat, command: str) -> None:
    assert found(seat, ran(command), walled=False)
    assert found(seat, ran(command)) == []


@pytest.mark.parametrize(
    "command",
    [
        "cat ../../other/secret.txt",
        "cat a.py ../../other/secret.txt",
        "cat out/secret.txt",
        "head -1 /etc/passwd",
        "cd ../../other && git log",
        "git diff --no-index a.py ../../other/secret.txt",
        "python3 -c 'print(open(\"/etc/passwd\").read())'",
        "curl https://example.com/",
        "git fetch origin",
    ],
)
def test_what_is_named_outside_is_a_finding_where_something_came_of_it(seat: Seat, command: str) -> None:
    assert len(found(seat, ran(command))) == 1
    assert found(seat, ran(command, output=" \n")) == []


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (
            "cat a.py ../../other/secret.txt",
            "text\ncat: ../../other/secret.txt: No such file or directory\n",
        ),
        ("cat out/secret.txt", "cat: out/secret.txt: No such file or directory\n"),
        (
            "git diff --no-index a.py ../../other/secret.txt",
            "error: Could not access '../../other/secret.txt'\n",
        ),
        ("git -C ../../other log", "fatal: cannot change to '../../other': No such file or directory\n"),
        ("cd ../../other && git log", "bash: line 1: cd: ../../other: No such file or directory\n"),
        ("curl https://example.com/", "curl: (6) Could not resolve host: example.com\n"),
    ],
)
def test_what_was_not_there_read_nothing(seat: Seat, command: str, output: str) -> None:
    assert found(seat, ran(command, "failed", output)) == []
    assert found(seat, ran(command, "failed", output), walled=False)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat ../../other/secret.txt nothing", "secret\ncat: nothing: No such file or directory\n"),
        ("cat ../../other/secret.txt ../../other", "secret\ncat: ../../other: Is a directory\n"),
        ("ls / /root", "bin\nls: cannot access '/root': No such file or directory\n"),
        ("cat /etc/hosts /etc/hosts.old", "text\ncat: /etc/hosts.old: No such file or directory\n"),
        ("cat /etc/hosts /etc/hosts~", "text\ncat: /etc/hosts~: No such file or directory\n"),
    ],
)
def test_an_error_about_something_else_excuses_nothing(seat: Seat, command: str, output: str) -> None:
    assert len(found(seat, ran(command, "failed", output))) == 1


def test_each_command_of_codex_begins_in_the_folder_of_the_run_or_in_the_one_it_names(seat: Seat) -> None:
    lib, other = str(seat.beside[0]), str(seat.workspace.parent / "other")

    assert found(seat, ran("cd .."), ran("cat ../lib/x"), walled=False) == []
    assert found(seat, ran("cat ../app/a.py", workdir=lib), ran("cat a.py"), walled=False) == []
    assert found(seat, ran("cat secret.txt", workdir=other), walled=False)[0] == f"cd {other}"
    assert found(seat, ran("ls", output="secret.txt\n", workdir=other)) == [f"cd {other}"]


@pytest.mark.parametrize("tool", ["shell", "shell_command", "local_shell", "container.exec"])
def test_the_shells_of_other_versions_and_models_are_looked_at_alike(seat: Seat, tool: str) -> None:
    listed: JsonValue = ["bash", "-lc", "cat ../../other/secret.txt"]
    given: list[dict[str, JsonValue]] = [{"command": listed}, {"command": "cat ../../other/secret.txt"}]
    uses = [ToolUse(id="t", name=tool, input=one, outcome="ok", output="secret\n") for one in given]

    assert found(seat, *uses) == found(seat, *uses, walled=False) == ["../../other/secret.txt"] * 2


def test_what_is_typed_into_a_command_cannot_be_told(seat: Seat) -> None:
    typed = ToolUse(id="t", name="write_stdin", input={"session_id": 1, "chars": "ls\n"}, outcome="ok")
    waited = ToolUse(id="t", name="write_stdin", input={"session_id": 1, "chars": ""}, outcome="ok")

    assert found(seat, typed, waited, walled=False) == ["ls\n"]
    assert found(seat, typed, waited) == []


def test_a_path_that_is_typed_into_a_command_is_looked_at_like_one_that_it_names(seat: Seat) -> None:
    given: dict[str, JsonValue] = {"session_id": 1, "chars": "cat /etc/passwd\n"}
    typed = ToolUse(id="t", name="write_stdin", input=given, outcome="ok", output="root\n")

    assert found(seat, typed) == ["/etc/passwd"]
    assert found(seat, typed.model_copy(update={"output": ""})) == []


@pytest.mark.parametrize("said", ["unsupported call: view_image", "unsupported custom tool call: view_image"])
def test_a_tool_that_the_model_was_not_given_read_nothing(seat: Seat, said: str) -> None:
    given: dict[str, JsonValue] = {"path": "/etc/x.png"}
    called = ToolUse(id="t", name="view_image", input=given, outcome="failed", output=said)
    searched = called.model_copy(update={"name": "web_search", "input": {"query": "x"}})

    assert found(seat, called, searched) == []
    assert found(seat, called.model_copy(update={"output": f"{said}\ntext"})) == ["/etc/x.png"]


def test_what_did_not_run_behind_the_wall_is_judged_as_ever(seat: Seat) -> None:
    search = ToolUse(id="t", name="web_search", input={"query": "x"}, outcome="ok", output="")
    image = ToolUse(id="t", name="view_image", input={"path": "/etc/x.png"}, outcome="ok", output="")
    resource = ToolUse(id="t", name="read_mcp_resource", input={"uri": "/known/x"}, outcome="ok", output="y")

    assert found(seat, search, image, resource) == ["web_search", "/etc/x.png"]


def test_the_record_says_whether_all_of_a_run_was_walled(seat: Seat) -> None:
    walled, free = exchange(ran("make")), exchange(ran("cat a.py"), walled=False)

    assert audit([walled, walled], seat).walled
    assert not audit([walled, free], seat).walled
    assert not audit([], seat).walled
