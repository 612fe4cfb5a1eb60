"""A small study as a user has it on disk: a real repository and memory, one question and one control."""

import shutil
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, EventTime, Source, Statement
from truerecall.memory.memory import Memory
from truerecall.study.design import Study
from truerecall.study.files.reading import read_study

ASKED = datetime(2024, 5, 7, 9, 30, tzinfo=UTC)
EARLIER = datetime(2024, 4, 2, 9, tzinfo=UTC)
LATER = datetime(2024, 6, 2, 9, tzinfo=UTC)
RETRY = """import os

LIMIT = int(os.environ.get("RETRY_LIMIT", "5"))


def retry() -> int:
    return LIMIT
"""
KEYS = """# Session key

- The limit is 3. [session s-retry] (wrong)

# Truth key

- The limit is read from RETRY_LIMIT. [app: src/retry.py:3]
- The function retry returns the limit. [app: src/retry.py:6-7]
"""


@dataclass(frozen=True)
class Keyed:
    """Where it lies."""

    folder: Path
    repository: Path
    first: str
    """The commit of the question."""
    second: str

    @property
    def question(self) -> Path:
        return self.folder / "questions" / "retry-limit"

    def read(self, unfinished: bool = False) -> Study:
        return read_study(self.folder, unfinished)

    def edit(self, name: str, old: str, new: str) -> None:
        """Change one place of a file of the question."""
        text = (self.question / name).read_text(encoding="utf-8")
        assert old in text
        (self.question / name).write_text(text.replace(old, new, 1), encoding="utf-8")


def git(folder: Path, *call: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-C", str(folder), *call],
        capture_output=True,
        check=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
    )
    return done.stdout.strip()


def committed(folder: Path, name: str, text: str) -> str:
    """Write a file and commit it; the commit."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "change")
    return git(folder, "rev-parse", "HEAD")


def said(session: str, position: int, channel: str, text: str, at: datetime = EARLIER) -> Draft:
    return Draft(
        text=text,
        source=Source(channel=channel, session=session, position=position, tool="claude-code"),
        happened_at=EventTime(at),
        recorded_at=at,
    )


def fact(session: str, position: int, text: str, predicate: str = "decided") -> Draft:
    return Draft(
        text=text,
        kind="fact",
        source=Source(channel="fact", session=session, position=position),
        recorded_at=EARLIER,
        statement=Statement("app", predicate, text),
    )


def remembered(folder: Path) -> None:
    """Export the memory of what was said before and after the question."""
    with Memory.open(
        ":memory:", user="ada", space="app", embedder="none", clock=ManualClock(LATER), seed=1
    ) as memory:
        memory.remember(
            [
                said("s-retry", 0, "prompt", "Add retries to the client."),
                said(
                    "s-retry",
                    1,
                    "answer",
                    "Root cause: the client gave up at once. The limit is 5, read in `src/retry.py:3`. "
                    "I mentioned src/gone.py:3 too. See src/retry.py:99.",
                ),
                said("s-late", 0, "prompt", "Raise the limit.", LATER),
            ]
        )
        memory.remember(
            [
                fact("s-retry", 1, "The client gave up at once without retries.", "caused_by"),
                fact("s-retry", 1, "Retries are bounded by `LIMIT` of `src/retry.py`.", "stands_in"),
                fact("s-retry", 1, "Next: test the limit.", "open_end"),
            ]
        )
        memory.export(folder)


def keyed_study(above: Path) -> Keyed:
    """A copy of it below a folder; it is made once, for git and exports take their time."""
    folder, first, second = _made()
    shutil.copytree(folder.name, above, dirs_exist_ok=True)
    return Keyed(above / "study", above / "app", first, second)


@cache
def _made() -> "tuple[TemporaryDirectory[str], str, str]":
    """The original, which is removed when the process ends."""
    folder = TemporaryDirectory(prefix="keyed-study-")
    made = _make(Path(folder.name))
    return folder, made.first, made.second


def _make(above: Path) -> Keyed:
    repository, folder = above / "app", above / "study"
    repository.mkdir()
    git(repository, "init", "--quiet", "-b", "main")
    first = committed(repository, "src/retry.py", RETRY)
    second = committed(repository, "src/retry.py", "LIMIT = 9\n")
    remembered(folder / "memory" / "app")
    (folder / "study.toml").write_text(
        'name = "retries"\n[memory]\nexports = ["memory/app"]\n'
        '[[repository]]\nname = "app"\nsource = "../app"\n'
        '[[side]]\nname = "memory"\nkind = "memory"\n[[side]]\nname = "none"\nkind = "none"\n',
        encoding="utf-8",
    )
    question = folder / "questions" / "retry-limit"
    toml = f'asked_at = 2024-05-07T09:30:00Z\nsessions = ["s-retry"]\n[commits]\napp = "{first}"\n'
    _files(
        question,
        {
            "question.toml": toml,
            "question.md": "What is the limit of retries?\n",
            "request.md": "Add retries to the client.\n",
            "keys.md": KEYS,
        },
    )
    _files(
        folder / "questions" / "licence",
        {
            "question.toml": toml.replace('sessions = ["s-retry"]', "control = true"),
            "question.md": "Where is the limit read?\n",
            "keys.md": "# Truth key\n- It is read in src/retry.py. [app: src/retry.py:3]\n",
        },
    )
    return Keyed(folder, repository, first, second)


def _files(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
