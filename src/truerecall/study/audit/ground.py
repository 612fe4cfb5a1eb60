"""What belongs to the workspace of a run, and what lies outside of it; links are followed as they are now."""

import os
import re
from collections.abc import Iterable
from glob import iglob
from itertools import islice
from pathlib import Path

from truerecall.study.audit.shell import UNKNOWN
from truerecall.study.solvers.protocol import Seat

OUTSIDE = "it lies outside the workspace"
LINK = "a link in the workspace leads out of it"
CANNOT_TELL = "what it names cannot be told, so a read outside cannot be excluded"

_MAGIC = re.compile(r"[*?\[]")
_NAMES = 5_000
_STREAMS = frozenset(
    f"/dev/{name}"
    for name in (
        "null",
        "zero",
        "random",
        "urandom",
        "stdin",
        "stdout",
        "stderr",
        "tty",
        "fd/0",
        "fd/1",
        "fd/2",
    )
)


class Ground:
    """The workspace of one run, while it still stands."""

    def __init__(self, seat: Seat) -> None:
        self.home = seat.environment.get("HOME", str(seat.home))
        self._workspace = seat.workspace.resolve()
        settings = seat.environment.get("CLAUDE_CONFIG_DIR", str(Path(self.home) / ".claude"))
        # The outputs of this run's own tools that were too long for the conversation: it may read on in them.
        self._outputs = Path(settings).resolve() / "projects"
        self._leading: dict[Path, bool] = {}

    def why(self, text: str, cwd: Path) -> str | None:
        """Why a path, as it was named in a folder, does not belong to the workspace; None where it does."""
        if not text or text in _STREAMS:
            return None
        if UNKNOWN in text:
            return CANNOT_TELL
        named = Path(os.path.normpath(cwd / text))
        # What /proc leads to is another thing for each process that asks.
        if named.is_relative_to("/proc") or named.is_relative_to("/dev"):
            return OUTSIDE
        if self._ends_inside(cwd / text):
            return None
        return LINK if self._inside(named) else OUTSIDE

    def why_pattern(self, pattern: str, cwd: Path) -> str | None:
        """Why a pattern of file names may match outside; the matches of now are looked at."""
        if UNKNOWN in pattern:
            return CANNOT_TELL
        parts = pattern.split("/")
        first = next((place for place, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
        start = "/".join(parts[:first]) or ("/" if pattern.startswith("/") else "")
        # A part that begins with a dot may match the folder above in an old shell; ** may be no folder at all.
        deep = [".." if part[0] == "." else "x" for part in parts[first:] if part and part not in ("**", ".")]
        shown = self.why(start, cwd) or self.why(os.path.normpath("/".join([start or ".", *deep])), cwd)
        if shown or not self._matching_links(pattern, start, cwd):
            return shown
        return LINK

    def matches_outside(self, pattern: str, cwd: Path) -> bool:
        """Whether a pattern of file names, which need not be one, matches something outside now."""
        return UNKNOWN not in pattern and any(self.why(match, cwd) for match in self._matches(pattern, cwd))

    def repository(self, cwd: Path) -> str:
        """The top of the repository in which a folder is; UNKNOWN where it is in none of the workspace."""
        tops = (folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists())
        top = next(tops, None)
        return str(top) if top is not None and self._ends_inside(top) else UNKNOWN

    def leads_out(self, folder: Path) -> bool:
        """Whether a link below a folder leads out of the workspace."""
        if UNKNOWN in str(folder) or not self._ends_inside(folder):
            return True  # and nothing beyond is searched
        if folder not in self._leading:
            self._leading[folder] = not all(map(self._ends_inside, _links(folder)))
        return self._leading[folder]

    def _matching_links(self, pattern: str, start: str, cwd: Path) -> bool:
        if "**" in pattern:
            return self.leads_out(cwd / start)
        found = list(self._matches(pattern, cwd))
        return any(self.why(match, cwd) for match in found) or (
            len(found) == _NAMES and self.leads_out(cwd / start)
        )

    def _matches(self, pattern: str, cwd: Path) -> Iterable[str]:
        # Path.glob takes no absolute pattern.
        return islice(iglob(pattern, root_dir=cwd, include_hidden=True), _NAMES)  # noqa: PTH207

    def _ends_inside(self, path: Path) -> bool:
        """Whether a path belongs to the workspace once its links are followed; a circle of links leads nowhere."""
        try:
            return self._inside(path.resolve())
        except RuntimeError:
            return True
        except (OSError, ValueError):
            return False

    def _inside(self, path: Path) -> bool:
        if path.is_relative_to(self._workspace):
            return True
        return (
            path.is_relative_to(self._outputs)
            and "tool-results" in path.relative_to(self._outputs).parts[2:-1]
        )


def _links(folder: Path) -> Iterable[Path]:
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            if path.is_symlink():
                yield path
