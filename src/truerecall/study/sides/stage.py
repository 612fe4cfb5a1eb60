"""What a side is equipped from, and the words of the commands that a study names."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.cut import exports_beside
from truerecall.study.design import Question, Study
from truerecall.study.files.commands import whole_paths
from truerecall.study.solvers.protocol import Seat


@dataclass(frozen=True, slots=True)
class Stage:
    """One run before it begins."""

    study: Study
    question: Question
    seat: Seat
    cut: Path
    """The memory of the day, as ``cut`` built it; each side gets a copy of its own."""
    placebo: str = ""
    """The neutral text of the question."""

    @property
    def plugin(self) -> Path:
        """Where the plugin of a run lies, whichever it is."""
        return self.seat.home / "plugin"

    @property
    def exports(self) -> list[Path]:
        """The exports of the cut, one a space; none where the study has no memory.

        Raises:
            StudyError: They are gone, though the store of the cut is there.
        """
        folder = exports_beside(self.cut)
        if folder.is_dir():
            return sorted(folder.iterdir())
        if not self.study.memory.exports:
            return []
        raise StudyError(
            "the exports of a cut are gone",
            where=str(folder),
            remedy=f"Remove {self.cut.name} as well, and run the study again: it is cut anew.",
        )

    def own_cut(self, path: Path) -> None:
        """Copy the memory of the day to a place in the home."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copyfile(self.cut, path)
        path.chmod(0o600)


def words(study: Study, command: Sequence[str]) -> list[str]:
    """A command with whole paths for the files of the study that it names; see ``whole_paths``."""
    return whole_paths(command, study.folder)
