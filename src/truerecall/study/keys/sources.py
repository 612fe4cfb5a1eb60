"""Files of a repository as they were at a commit: read out of git's objects, never out of a working tree."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from truerecall.errors import StudyError
from truerecall.study.design import Checkout, Study
from truerecall.study.git_objects import GitObjects, lines_of

_SECONDS = 600.0
"""That a fetch may take."""
_SHOWN = 300
"""Characters of what git says."""


class Sources:
    """Opens files of a study's repositories; one that is no folder here is fetched, a commit at a time.

    Use it with ``with``: what was fetched is removed at the end.
    """

    def __init__(self, study: Study, environment: Mapping[str, str] | None = None) -> None:
        self._sources = {repository.name: repository.source for repository in study.repositories}
        self._folder = study.folder
        self._git = GitObjects(environment, _SECONDS)
        self._fetched = TemporaryDirectory(prefix="truerecall-keys-")
        self._places: dict[Checkout, Path | StudyError] = {}
        self._files: dict[tuple[Checkout, str], tuple[str, ...]] = {}

    def lines(self, checkout: Checkout, path: str) -> tuple[str, ...]:
        """The lines of a file at a commit, without their ends.

        Raises:
            StudyError: The repository, the commit or the file is not there, or the file is no text.
        """
        key = (checkout, path)
        if key not in self._files:
            self._files[key] = self._read(checkout, path)
        return self._files[key]

    def __enter__(self) -> "Sources":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._fetched.cleanup()

    def _read(self, checkout: Checkout, path: str) -> tuple[str, ...]:
        raw = self._git.file(self._place(checkout), checkout.commit, path)
        if raw is None:
            raise StudyError(
                f"{checkout.repository} has no file {path} at {checkout.commit[:12]}",
                where=path,
                remedy="Name it from the top of the repository, as it was called at that commit.",
            )
        try:
            return lines_of(raw.decode("utf-8"))
        except UnicodeDecodeError:
            raise StudyError(f"{path} is no text", where=path, remedy="Name a text file in UTF-8.") from None

    def _place(self, checkout: Checkout) -> Path:
        """A repository that holds the commit; one that cannot be had is asked for once."""
        if checkout not in self._places:
            try:
                self._places[checkout] = self._found(checkout)
            except StudyError as error:
                self._places[checkout] = error
        place = self._places[checkout]
        if isinstance(place, StudyError):
            raise place
        return place

    def _found(self, checkout: Checkout) -> Path:
        source = self._sources[checkout.repository]
        local = self._folder / source
        if not local.is_dir():
            return self._fetch(checkout, source)
        self._hold(local, checkout, source)
        return local

    def _hold(self, place: Path, checkout: Checkout, source: str) -> None:
        if self._git.ask(place, "cat-file", "-t", checkout.commit).stdout.strip() == b"commit":
            return
        if self._git.ask(place, "rev-parse", "--git-dir").returncode != 0:
            raise StudyError(
                f"{source} is no git repository",
                where=checkout.repository,
                remedy="Mend source in study.toml.",
            )
        raise StudyError(
            f"{checkout.repository} has no commit {checkout.commit}",
            where=source,
            remedy="Fetch it there, or mend [commits] in question.toml.",
        )

    def _fetch(self, checkout: Checkout, source: str) -> Path:
        place = Path(self._fetched.name) / f"{checkout.repository}-{checkout.commit}"
        place.mkdir()
        self._git.ask(place, "init", "--quiet", "--bare")
        done = self._git.ask(
            place, "fetch", "--quiet", "--depth=1", "--no-tags", "--", source, checkout.commit
        )
        if done.returncode != 0:
            said = " ".join(done.stderr.decode("utf-8", "replace").split())[:_SHOWN]
            raise StudyError(
                f"the commit {checkout.commit} of {checkout.repository} cannot be fetched: {said}",
                where=source,
                remedy="Mend source in study.toml, or clone it and name the folder.",
            )
        return place
