"""Made sessions of a coding agent, as Claude Code writes them: what a pool of real ones is filled up with.

They pass through the same reader and capture as real ones. Their gold is not known: they are what a search has to tell
the sought session from.
"""

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from truerecall.bench.datasets.vocabulary import Dice

_Json = dict[str, object]

_FIRST = datetime(2025, 11, 1, 8, tzinfo=UTC)
_DAYS = 180
_VERSION = "2.1.100"
_VALUES = ("5", "20", "30 s", "64 KB", "100", "250 ms", "512", "2 MB", "1000", "15 min")


@dataclass(frozen=True, slots=True)
class CodingSession:
    """One transcript."""

    session: str
    """Its id, as its file is called."""
    lines: tuple[str, ...]
    """JSON, without line ends."""


def coding_sessions(seed: int, count: int, cwd: str, branch: str = "main") -> Iterator[CodingSession]:
    """Sessions in the order of their time.

    Args:
        seed: The same seed gives the same bytes.
        count: How many.
        cwd: The folder that they say they ran in.
        branch: Of it.
    """
    starts = sorted(
        _FIRST + timedelta(minutes=Dice(seed, "start", n).below(_DAYS * 1440)) for n in range(count)
    )
    for number, start in enumerate(starts):
        yield _Writer(Dice(seed, "coding", number), start, cwd, branch).session()


def write_coding_sessions(folder: Path, sessions: Iterable[CodingSession]) -> None:
    """Write each into a new ``folder`` as ``SESSION.jsonl``."""
    # Under another name until it is whole: an interrupted run leaves nothing that looks like a data set.
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    for session in sessions:
        text = "".join(f"{line}\n" for line in session.lines)
        (part / f"{session.session}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    part.rename(folder)


@cache
def _words() -> dict[str, tuple[str, ...]]:
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in Path(__file__).with_name("coding.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            current.append(line)
    return {name: tuple(lines) for name, lines in sections.items()}


@dataclass(slots=True)
class _Writer:
    """Writes one session, a line after the other."""

    dice: Dice
    now: datetime
    cwd: str
    branch: str
    lines: list[str] = field(default_factory=list)
    number: int = 0
    words: dict[str, str] = field(default_factory=dict)
    name: str = ""

    def session(self) -> CodingSession:
        """All of it."""
        self.name = self._id(8, 4, 4, 4, 12)
        self.words = self._chosen()
        opening = self.dice.pick(("ask", "bug", "change"))
        self._prompt(self._said(f"prompts.{opening}"))
        self._work()
        for _ in range(self.dice.between(1, 4)):
            self._prompt(self._said("prompts.next"))
            self._work()
        return CodingSession(self.name, tuple(self.lines))

    def _chosen(self) -> dict[str, str]:
        area, folder, things = (part.strip() for part in self.dice.pick(_words()["areas"]).split("|"))
        thing = self.dice.pick(things.split(", "))
        stem = thing.lower().replace(" ", "-")
        lib, other = self.dice.some(_words()["libs"], 2)
        old, new = self.dice.some(_VALUES, 2)
        chosen = {
            "area": area,
            "folder": folder,
            "thing": thing,
            "file": f"{folder}/{stem}.ts",
            "test": f"tests/{area}/{stem}.test.ts",
            "lib": lib,
            "other": other,
            "old": old,
            "new": new,
            "n": str(self.dice.between(2, 40)),
        }
        chosen["err"] = self.dice.pick(_words()["errors"]).format(**chosen)
        return chosen

    def _said(self, section: str) -> str:
        return self.dice.pick(_words()[section]).format(**self.words)

    def _prompt(self, text: str) -> None:
        self.now += timedelta(seconds=self.dice.between(30, 900))
        self._line("user", {"message": {"role": "user", "content": text}})

    def _work(self) -> None:
        """What the agent does about a prompt: it looks, runs and edits something, and says what came of it."""
        self._say(self._said("narration"))
        for _ in range(self.dice.between(1, 5)):
            self._act()
            if self.dice.chance(0.3):
                self._say(self._said("narration"))
        kinds = self.dice.some(("cause", "decision", "fix", "open", "convention"), self.dice.between(1, 3))
        self._say("\n\n".join(["Done.", *(f"- {self._said(f'finding.{kind}')}" for kind in kinds)]))

    def _act(self) -> None:
        file = self.words["file"]
        match self.dice.below(4):
            case 0:
                body = "\n".join(
                    f"{n}\texport const line{n} = {n}" for n in range(1, self.dice.between(4, 30))
                )
                self._call("Read", {"file_path": f"{self.cwd}/{file}"}, body)
            case 1:
                self._call(
                    "Grep",
                    {"pattern": self.words["thing"]},
                    f"{file}:{self.words['n']}: {self.words['thing']}",
                )
            case 2:
                command = self._said("commands")
                failed = self.dice.chance(0.25)
                output = f"Exit code 1\n{self.words['err']}" if failed else f"{self.words['n']} passed"
                self._call("Bash", {"command": command}, output, failed)
            case _:
                edit = {"old_string": self.words["old"], "new_string": self.words["new"]}
                self._call("Edit", {"file_path": f"{self.cwd}/{file}", **edit}, "The file has been updated.")

    def _say(self, text: str) -> None:
        self._assistant({"type": "text", "text": text})

    def _call(self, tool: str, asked: _Json, output: str, failed: bool = False) -> None:
        call = f"toolu_{self._id(24)}"
        self._assistant({"type": "tool_use", "id": call, "name": tool, "input": asked})
        result: _Json = {"tool_use_id": call, "type": "tool_result", "content": output, "is_error": failed}
        self._line("user", {"message": {"role": "user", "content": [result]}})

    def _assistant(self, block: _Json) -> None:
        usage = {
            "input_tokens": 5,
            "cache_read_input_tokens": 9000,
            "output_tokens": self.dice.between(20, 400),
        }
        message: _Json = {
            "id": f"msg_{self._id(24)}",
            "type": "message",
            "role": "assistant",
            "model": "claude-made-1",
            "content": [block],
            "usage": usage,
        }
        self._line("assistant", {"message": message})

    def _line(self, kind: str, rest: _Json) -> None:
        self.now += timedelta(seconds=self.dice.between(1, 20))
        self.number += 1
        line: _Json = {
            "parentUuid": None,
            "isSidechain": False,
            "type": kind,
            **rest,
            "uuid": self._id(8, 4, 4, 4, 12),
            "timestamp": self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.name,
            "version": _VERSION,
            "gitBranch": self.branch,
        }
        self.lines.append(json.dumps(line, ensure_ascii=False, separators=(",", ":")))

    def _id(self, *sizes: int) -> str:
        return "-".join(_hex(self.dice, size) for size in sizes)


def _hex(dice: Dice, size: int) -> str:
    digits: Sequence[str] = "0123456789abcdef"
    return "".join(dice.pick(digits) for _ in range(size))
