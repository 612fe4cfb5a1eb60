"""Following a page: its commands and examples are run, or checked by the table CHECKED_OTHERWISE.

A ```console block holds lines that begin with ``$ `` and what they print; each ends with exit code 0, or with N
where the fence says ```console exit=N. ```python blocks of a page are one module. All blocks of a page run in
order in one folder. A ```python block below "Save it as `name`" is saved under that name instead of run.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import click

from truerecall.cli.main import main

REPOSITORY = Path(__file__).resolve().parents[2]

PROGRAMS = (
    "truerecall", "truerecall-hook", "python", "python3", "cat", "cd", "echo", "git", "printf", "ls", "mkdir", "rm",
    "sqlite3",
)  # fmt: skip
"""What a page may run here; anything else needs a row in CHECKED_OTHERWISE."""
PLACEHOLDERS = ("DIR", "RUN", "FILE", "ADAPTER")
"""Words of a truerecall command that stand for something of the reader's: such a command is parsed, not run."""


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    kind: str
    info: str
    text: str
    line: int
    save_as: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a console block and the output that the page shows; "" where it shows none."""

    command: str
    shown: str


FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}) *(?P<info>.*)$")
SAVE = re.compile(r"[Ss]ave (?:it|this) as `([\w.-]+)`")
HEREDOC = re.compile(r"<<-? *['\"]?(\w+)['\"]?")


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        if opening is None:
            at += 1
            continue
        start, indent, ticks = at, len(opening["indent"]), opening["ticks"]
        at += 1
        inside = []
        while lines[at].strip() != ticks:
            inside.append(lines[at][indent:])
            at += 1
        at += 1
        before = next((line for line in reversed(lines[:start]) if line.strip()), "")
        saved = SAVE.search(before)
        info = opening["info"].strip()
        body = "\n".join(inside) + "\n"
        yield Block(info.split(" ")[0], info, body, start + 1, saved[1] if saved else None)


def steps(text: str) -> Iterator[Step]:
    """The commands of a console block, each with what is shown below it."""
    lines = text.rstrip("\n").split("\n")
    assert lines[0].startswith("$ "), f"a console block begins with '$ ', not with {lines[0]!r}"
    at = 0
    while at < len(lines):
        command = [lines[at][2:]]
        at += 1
        while command[-1].endswith("\\"):
            command.append(lines[at].removeprefix("> "))
            at += 1
        if heredoc := HEREDOC.search(command[0]):
            while command[-1] != heredoc[1]:
                command.append(lines[at].removeprefix("> "))
                at += 1
        shown = []
        while at < len(lines) and not lines[at].startswith("$ "):
            shown.append(lines[at])
            at += 1
        yield Step("\n".join(command), "\n".join(shown).strip("\n"))


# What cannot be run here, each with a cheaper check.


def _targets_exist(words: list[str]) -> None:
    targets = re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE)
    asked = [word for word in words[1:] if "=" not in word]
    assert set(asked) <= set(targets), f"the Makefile has no target {set(asked) - set(targets)}"


def _extras_exist(words: list[str]) -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    named = [word for word in words[words.index("install") + 1 :] if not word.startswith("-")]
    assert named, "nothing to install"
    for word in named:
        found = re.fullmatch(r"(truerecall|\.)(?:\[([\w,-]+)\])?", word)
        assert found, f"{word} is not this package"
        assert set((found[2] or "").split(",")) - {""} <= set(project["optional-dependencies"]), word


def _one_repository(words: list[str]) -> None:
    assert len([word for word in words[2:] if not word.startswith("-")]) in (1, 2), "one repository to clone"


def _module_exists(words: list[str]) -> None:
    assert find_spec(words[words.index("-m") + 1]), f"there is no module {words[words.index('-m') + 1]}"


def _parses(words: list[str]) -> None:
    command: click.Command = main
    arguments = words[1:]
    context = click.Context(main, info_name="truerecall", **main.context_settings)
    while isinstance(command, click.Group):
        found = command.get_command(context, arguments[0])
        assert found is not None, f"truerecall has no command {arguments[0]}"
        command, arguments = found, arguments[1:]
        context = click.Context(command, info_name=command.name, parent=context)
    command.make_context(command.name, arguments, parent=context.parent)


@dataclass(frozen=True, slots=True)
class Otherwise:
    """Commands that are not run, and what is checked instead."""

    which: Callable[[list[str]], bool]
    check: Callable[[list[str]], None]


CHECKED_OTHERWISE = (
    Otherwise(lambda words: words[0] == "make", _targets_exist),
    Otherwise(lambda words: words[:2] == ["pip", "install"], _extras_exist),
    Otherwise(lambda words: words[1:4] == ["-m", "pip", "install"], _extras_exist),
    Otherwise(lambda words: words[:2] == ["git", "clone"], _one_repository),
    Otherwise(lambda words: words[1:3] == ["-m", "truerecall.cli.docs"], _module_exists),
    Otherwise(lambda words: words[0] == "truerecall" and bool({*words} & {*PLACEHOLDERS}), _parses),
    # It needs a real command line: tests/agents_cli/test_study_demo.py runs it.
    Otherwise(lambda words: words[:3] == ["truerecall", "study", "demo"], _parses),
)


def otherwise(command: str) -> Callable[[list[str]], None] | None:
    """The check of a command that is not run; None for one that is."""
    words = shlex.split(command, comments=True)
    return next((row.check for row in CHECKED_OTHERWISE if row.which(words)), None)


def programs(command: str) -> list[str]:
    """The programs that a command line starts; what follows in a here-document is no command."""
    lexer = shlex.shlex(command.replace("\\\n", " ").split("\n")[0], posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    found, first = [], True
    for word in lexer:
        if set(word) <= set("|&;()"):
            first = True
        elif first and not re.match(r"\w+=", word):
            found.append(word)
            first = False
    return found


# Comparing what a page shows with what is printed.

ID = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?<![0-9A-Za-z.])[0-9a-f]{8}(?![0-9A-Za-z.])"
)
TIME_TAKEN = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?= ?(?:ms|s|milliseconds|seconds)\b)")
DATE = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?(?![\w-])",
)
PATH = re.compile(r"(?<![\w./<])/(?:[\w.+-]+/)+")


class Names:
    """Ids in the order in which they appear: the same id gets the same name, in full or as its last digits."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def named(self, found: str) -> str:
        for whole, name in self.known.items():
            if whole.endswith(found):
                return name if whole == found else name.replace(">", ", short>")
        self.known[found] = f"<id {len(self.known) + 1}>"
        return self.known[found]

    def written(self, name: str) -> str | None:
        whole = next((w for w, own in self.known.items() if own == name.replace(", short>", ">")), None)
        return whole[-8:] if whole and "short" in name else whole


def settled(text: str, names: Names) -> str:
    """A text whose ids, times taken and folders are the same in every run."""
    lines = []
    for line in text.split("\n"):
        timed = TIME_TAKEN.sub("<t>", PATH.sub("<folder>/", ID.sub(lambda m: names.named(m[0]), line)))
        # A time of another width moves the columns beside it.
        lines.append((re.sub(r"  +", "  ", timed) if "<t>" in timed else timed).rstrip())
    return "\n".join(lines).strip("\n")


def both_settled(shown: str, printed: str, told: Names, seen: Names, today: set[str]) -> tuple[str, str]:
    """Both texts in a form that may be compared: the day of a run is one thing, any other date is another."""
    ours = DATE.sub(lambda m: "<today>" if m[0][:10] in today else m[0], settled(printed, seen))
    kept = {m[0] for m in DATE.finditer(ours)}
    return DATE.sub(lambda m: m[0] if m[0] in kept else "<today>", settled(shown, told)), ours


# Running.

GUARD = """
import socket

connect, look_up = socket.socket.connect, socket.getaddrinfo

def guarded(call, host):
    if host not in ("127.0.0.1", b"127.0.0.1"):
        raise OSError("the documentation's commands run without a network")
    return call()

socket.socket.connect = lambda self, at: (
    connect(self, at) if self.family == socket.AF_UNIX else guarded(lambda: connect(self, at), at[0])
)
socket.getaddrinfo = lambda host, *more, **named: guarded(lambda: look_up(host, *more, **named), host)
"""

DRIVER = """
import json, os, sys, traceback

asked, answers = sys.stdin, os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.stdin = open(os.devnull)
module = {"__name__": "__main__"}
for line in asked:
    try:
        exec(compile(json.loads(line), "<the page>", "exec"), module)
        print("ok", file=answers, flush=True)
    except BaseException:
        print(json.dumps(traceback.format_exc()), file=answers, flush=True)
"""


class Reader:
    """Somebody who follows a page: one folder, an empty home, no network."""

    def __init__(self, base: Path) -> None:
        self.folder, home, guard = base / "folder", base / "home", base / "guard"
        for made in (self.folder, home, guard):
            made.mkdir()
        (guard / "sitecustomize.py").write_text(GUARD, "utf-8")
        scripts = sysconfig.get_path("scripts")
        self.environment = {
            "PATH": os.pathsep.join([scripts, str(Path(sys.executable).parent), os.defpath]),
            "HOME": str(home),
            "PYTHONPATH": str(guard),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "TERM": "dumb",
        }
        self.told, self.seen = Names(), Names()
        self.python: subprocess.Popen[str] | None = None

    def follow(self, block: Block) -> None:
        if block.save_as is not None:
            (self.folder / block.save_as).write_text(block.text, "utf-8")
        elif block.kind == "python":
            self._execute(block)
        elif block.kind == "console":
            given = re.search(r"\bexit=(\d+)", block.info)
            for step in steps(block.text):
                self._run(step, int(given[1]) if given else 0, block.line)

    def close(self) -> None:
        if self.python is not None:
            self.python.communicate()

    def _execute(self, block: Block) -> None:
        if self.python is None:
            self.python = subprocess.Popen(
                [sys.executable, "-c", DRIVER], cwd=self.folder, env=self.environment, text=True,
                encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        assert self.python.stdin and self.python.stdout
        self.python.stdin.write(json.dumps(block.text) + "\n")
        self.python.stdin.flush()
        answer = self.python.stdout.readline().strip()
        assert answer == "ok", f"line {block.line}: {json.loads(answer) if answer else 'Python ended'}"

    def _run(self, step: Step, code: int, line: int) -> None:
        check = otherwise(step.command)
        if check is not None:
            check(shlex.split(step.command, comments=True))
            return
        unknown = set(programs(step.command)) - set(PROGRAMS)
        assert not unknown, f"line {line}: say in CHECKED_OTHERWISE how {unknown} is checked"
        before = f"{datetime.now(UTC):%Y-%m-%d}"
        done = subprocess.run(
            ["sh", "-c", ID.sub(self._own_id, step.command)], cwd=self.folder, env=self.environment,
            text=True, encoding="utf-8", capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=120,
        )  # fmt: skip
        said = done.stdout + (done.stderr if code else "")
        assert done.returncode == code, f"line {line}: {step.command}\n{done.stdout}{done.stderr}"
        if step.shown:
            today = {before, f"{datetime.now(UTC):%Y-%m-%d}"}
            shown, printed = both_settled(step.shown, said, self.told, self.seen, today)
            assert printed == shown, f"line {line}: {step.command}\nshown:\n{shown}\nprinted:\n{printed}"

    def _own_id(self, found: re.Match[str]) -> str:
        """The id of this run for the one that the page shows."""
        shown = any(whole.endswith(found[0]) for whole in self.told.known)
        return (self.seen.written(self.told.named(found[0])) if shown else None) or found[0]
