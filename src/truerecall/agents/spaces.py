"""The memories that captured turns go to: one a project, found from where each turn was taken."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from truerecall.agents.exclusion import excluded
from truerecall.agents.places import Places
from truerecall.agents.project import Project, project_of, space_of_origin
from truerecall.agents.records import Where
from truerecall.agents.settings import AgentSettings, scope_of
from truerecall.core.clock import Clock
from truerecall.core.config import Settings, StoreSettings
from truerecall.core.entry import Scope
from truerecall.memory.memory import Memory
from truerecall.models.protocols import Embedder

_OPEN = 8  # memories at once: a sweep goes through many projects


@dataclass(frozen=True, slots=True)
class Home:
    """Where a turn belongs."""

    scope: Scope
    project: Project
    exists: bool
    """Whether its folder is there: what git says of it now is then known."""


class Spaces:
    """Finds projects, each folder once, and keeps a few of their memories open."""

    def __init__(
        self,
        settings: AgentSettings,
        places: Places,
        environment: Mapping[str, str],
        clock: Clock,
        embedder: Embedder | str | None = "none",
        busy: float | None = None,
    ) -> None:
        self._settings, self._places, self._environment, self._clock = settings, places, environment, clock
        self._embedder = embedder
        self.store = settings.store(places)
        kept = StoreSettings(mode=settings.memory.mode)
        self._kept = kept if busy is None else replace(kept, busy_timeout=busy)
        self._homes: dict[tuple[str | None, str | None, Path], Home | None] = {}
        self._memories: dict[Scope, Memory] = {}

    def home(self, where: Where, path: Path) -> Home | None:
        """Where a turn of the transcript at ``path`` belongs; None for a folder that is kept out of the memory.

        A folder that is gone is known by the origin that the transcript names, else by its path. A turn that says
        nothing of its folder belongs to the transcript's own, and to none where folders are kept out: it may be one.
        """
        key = (where.cwd, where.origin, path.parent)
        if key not in self._homes:
            self._homes[key] = self._found(where, path)
        return self._homes[key]

    def memory(self, scope: Scope) -> Memory:
        """The memory of a scope, opened on first use.

        Raises:
            StoreError: It cannot be opened or made.
        """
        if scope in self._memories:
            self._memories[scope] = memory = self._memories.pop(scope)
            return memory
        if self.store == self._places.store:
            self.store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        memory = Memory.open(
            self.store,
            user=scope.user,
            tenant=scope.tenant,
            space=scope.space,
            embedder=self._embedder,
            settings=Settings(store=self._kept),
            clock=self._clock,
        )
        self._memories[scope] = memory
        while len(self._memories) > _OPEN:
            self._memories.pop(next(iter(self._memories))).close()
        return memory

    def close(self) -> None:
        """Release the memories."""
        while self._memories:
            self._memories.popitem()[1].close()

    def _found(self, where: Where, path: Path) -> Home | None:
        patterns = self._settings.capture.exclude
        if patterns and (where.cwd is None or excluded(where.cwd, patterns, self._places.home)):
            return None
        folder = path.parent if where.cwd is None else Path(where.cwd)
        exists = where.cwd is not None and folder.is_dir()
        origin = None if exists or where.origin is None else space_of_origin(where.origin)
        if origin is not None:
            project = Project(origin, origin.rsplit("/", 1)[-1], folder)
        else:
            project = project_of(folder, self._environment)
        return Home(scope_of(self._settings, project, self._environment), project, exists)
