"""Makes the parts of the sample study again: its repository out of a text file, its memory out of recorded sessions.

``python -m truerecall.study.sample.making FOLDER`` writes the memory's export into a new folder.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from truerecall.agents.capture import Capture
from truerecall.agents.places import Places
from truerecall.agents.settings import AgentSettings, MemorySettings
from truerecall.agents.transcripts.reading import Transcript
from truerecall.core.clock import ManualClock, parse_instant
from truerecall.core.ids import IdSource, seeded_bits
from truerecall.errors import StudyError
from truerecall.memory.memory import Memory

SAMPLE = Path(__file__).parent
REPOSITORY = "pigeon"
ORIGIN = "https://git.example/pigeon/pigeon.git"
SPACE = "git.example/pigeon/pigeon"
USER = "mara"
FOLDER = "/home/mara/pigeon"
"""Where the sessions say that they took place; it need not exist."""
_STUDY = ("study.toml", "questions", "memory")
_NOBODY = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}


def make_study(target: Path) -> None:
    """The sample as the folder of a study, new: its files, its frozen memory and its repository.

    Raises:
        StudyError: git is missing, or cannot write there.
    """
    target.mkdir(parents=True)
    for name in _STUDY:
        source = SAMPLE / name
        if source.is_dir():
            shutil.copytree(source, target / name)
        else:
            shutil.copyfile(source, target / name)
    make_repository(target / f"{REPOSITORY}.git")


def make_repository(target: Path) -> None:
    """The sample's repository, bare, in a new folder; the commits are the same everywhere.

    Raises:
        StudyError: git is missing, or cannot write there.
    """
    target.mkdir(parents=True)
    for arguments, told in (
        (("init", "-q", "--bare", "-b", "main", "."), b""),
        (("fast-import", "--quiet"), (SAMPLE / "repository.txt").read_bytes()),
        (("config", "remote.origin.url", ORIGIN), b""),
    ):
        _git(target, arguments, told)


def make_memory(target: Path) -> None:
    """The export of what capturing the sample's sessions leaves, each one as it ended, in a new folder."""
    with tempfile.TemporaryDirectory(prefix="truerecall-sample-") as scratch:
        home = Path(scratch).resolve() / "home"
        worked = home / REPOSITORY
        worked.mkdir(parents=True)
        _git(worked, ("init", "-q", "-b", "main", "."))
        _git(worked, ("config", "remote.origin.url", ORIGIN))
        environment = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), **_NOBODY}
        exported = _captured(home, worked, environment)
        _freeze(exported, target, str(worked))


def _captured(home: Path, worked: Path, environment: Mapping[str, str]) -> Path:
    """Capture the sessions in the order of their ends, with a clock that stands there; the export."""
    folder = home / ".claude" / "projects" / "-home-mara-pigeon"
    folder.mkdir(parents=True)
    ended: list[tuple[datetime, Path]] = []
    for source in (SAMPLE / "sessions").glob("*.jsonl"):
        text = source.read_text(encoding="utf-8").replace(FOLDER, str(worked))
        (folder / source.name).write_text(text, encoding="utf-8")
        last = json.loads(text.splitlines()[-1])
        ended.append((parse_instant(last["timestamp"]), folder / source.name))
    places = Places.of(environment)
    clock = ManualClock(min(ended)[0])
    with Capture(AgentSettings(memory=MemorySettings(user=USER)), places, environment, clock) as capture:
        for end, path in sorted(ended):
            clock.now = end + timedelta(minutes=1)
            capture.transcript(Transcript("claude-code", path, path.stem, clock.now))
    with Memory.open(places.store, user=USER, tenant="local", space=SPACE, embedder="none") as memory:
        return memory.export(home / "export")


def _freeze(exported: Path, target: Path, worked: str) -> None:
    """Copy an export, with the folder that the sessions name, and with ids that the same sessions always get."""
    shutil.copytree(exported, target)
    texts = {name: (target / name).read_text(encoding="utf-8") for name in ("entries.jsonl", "events.jsonl")}
    clock = ManualClock(parse_instant("2026-01-01T00:00:00Z"))
    bits = IdSource(clock, seeded_bits(0))
    names: dict[str, str] = {}
    for line in texts["entries.jsonl"].splitlines():
        entry = json.loads(line)
        clock.now = parse_instant(entry["recorded_at"])
        names[entry["id"]] = bits()
    manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
    for name, text in texts.items():
        for old, new in names.items():
            text = text.replace(old, new)
        data = text.replace(worked, FOLDER).encode("utf-8")
        (target / name).write_bytes(data)
        manifest["sha256"][name] = hashlib.sha256(data).hexdigest()
    (target / "manifest.json").write_text(
        json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


def _git(folder: Path, arguments: tuple[str, ...], told: bytes = b"") -> None:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            input=told,
            capture_output=True,
            env={**clean, **_NOBODY},
            check=False,
        )
    except OSError as error:
        raise StudyError(
            f"git cannot be run: {error.strerror}", where="git", remedy="Install git, and put it on PATH."
        ) from None
    if done.returncode:
        raise StudyError(
            f"git {arguments[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()[:200]}",
            where=str(folder),
            remedy="Remove the folder, and start again.",
        )


if __name__ == "__main__":
    make_memory(Path(sys.argv[1]))
