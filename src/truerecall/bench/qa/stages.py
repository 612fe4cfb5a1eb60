"""The stage store: every result of every stage under the digest of all that decided it, kept before it is used.

``<out>/stages.db`` is one SQLite file for all runs of an output folder, and no cache: it holds what was paid for. A
call that was begun and never kept leaves a mark, so that a later run can say how many may have been paid in vain.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from truerecall.bench.qa.records import Called, Context, Request, Stage
from truerecall.errors import RunError
from truerecall.models.unsaid import Unsaid

STAGES = "stages.db"
"""The file's name in the output folder; no run may be called so."""

_APPLICATION = 0x74727367  # "trsg" in SQLite's header: another file is never written to
_SCHEMA = """
create table if not exists kept (
    key text primary key, stage text not null, model text not null, failed integer not null,
    request blob not null, result blob not null
);
create table if not exists begun (
    run text not null, key text not null, process text not null, stage text not null, lost integer not null,
    primary key (run, key, process)
);
"""
_BUSY_SECONDS = 15.0
_ASKED_AT_ONCE = 500
_NOTHING = zlib.compress(b"")
_VERSION = 1


class StageStore:
    """Results by key; several processes may use one file, each for a run of its own.

    Args:
        path: The file; made where there is none.
        unsaid: The keys that are in use: a text that holds one is not kept.

    Raises:
        RunError: the file is something else, is damaged, or cannot be written.
    """

    def __init__(self, path: Path, unsaid: Unsaid | None = None) -> None:
        self._path = path
        self._unsaid = unsaid or Unsaid(())
        self._process = uuid4().hex
        with self._guarded():
            # By one thread only: who asks models in several keeps what they answer in one.
            self._db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
            self._prepare()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def known(self, keys: Iterable[str]) -> dict[str, bool]:
        """Those of the keys that have a result, and whether that is a failed call."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, bool] = {}
        with self._guarded():
            for start in range(0, len(wanted), _ASKED_AT_ONCE):
                asked = wanted[start : start + _ASKED_AT_ONCE]
                marks = ",".join("?" * len(asked))
                rows = self._db.execute(f"select key, failed from kept where key in ({marks})", asked)
                found |= {key: bool(failed) for key, failed in rows}
        return found

    def called(self, key: str) -> Called | None:
        """What came of a call; None if it was not made."""
        text = self._result(key)
        with self._guarded():
            return None if text is None else Called.model_validate_json(text)

    def context(self, key: str) -> Context | None:
        """What a memory gave; None if it was not asked."""
        text = self._result(key)
        with self._guarded():
            return None if text is None else Context.model_validate_json(text)

    def request(self, key: str) -> Request | None:
        """What was asked, verbatim; None if no call has this key."""
        with self._guarded():
            row = self._db.execute(
                "select request from kept where key = ? and stage != 'recall'", (key,)
            ).fetchone()
            return None if row is None else Request.model_validate_json(_unpacked(row[0]))

    def results(self, stage: Stage) -> list[tuple[str, Called]]:
        """Every call of a stage: the model's name, and what came of it; in the order of their keys."""
        with self._guarded():
            rows = self._db.execute("select model, result from kept where stage = ? order by key", (stage,))
            return [(model, Called.model_validate_json(_unpacked(result))) for model, result in rows]

    def keep_contexts(self, contexts: Mapping[str, Context]) -> None:
        """Keep these by their keys, all or none; one that is there stays."""
        rows = [(key, self._packed(context.model_dump_json())) for key, context in contexts.items()]
        with self._transaction():
            self._db.executemany(
                "insert into kept values (?, 'recall', '', 0, ?, ?) on conflict do nothing",
                [(key, _NOTHING, result) for key, result in rows],
            )

    def begin(self, run: str, request: Request) -> None:
        """Note that a call that may cost something is about to be made; on disk before this returns."""
        row = (run, request.key, self._process, request.stage)
        with self._transaction():
            self._db.execute("insert or replace into begun values (?, ?, ?, ?, 0)", row)

    def give_up(self, run: str, request: Request) -> None:
        """A begun call was refused outright: nothing came of it, and nothing was paid."""
        with self._transaction():
            self._end(run, request)

    def keep(self, run: str, request: Request, called: Called) -> Called:
        """Keep what came of a call; what stands under its key from now on.

        A failed call gives way, and is counted; an answer that another process was quicker to keep stands.
        """
        failed = int(called.failure is not None)
        with self._transaction():
            before = self.called(request.key)
            if before is not None:
                called = called.model_copy(update={"again": before.again + 1})
            packed = (self._packed(request.model_dump_json()), self._packed(called.model_dump_json()))
            self._db.execute(
                "insert into kept values (?, ?, ?, ?, ?, ?) on conflict (key) do update set"
                " failed = excluded.failed, request = excluded.request, result = excluded.result"
                " where kept.failed",
                (request.key, request.stage, request.model, failed, *packed),
            )
            self._end(run, request)
        return self.called(request.key) or called

    def lost(self, run: str) -> int:
        """How many calls of a run earlier processes began and never kept; only for who has the run to itself."""
        with self._transaction():
            self._db.execute("update begun set lost = 1 where run = ?", (run,))
        with self._guarded():
            (lost,) = self._db.execute("select count(*) from begun where run = ?", (run,)).fetchone()
        return int(lost)

    def _end(self, run: str, request: Request) -> None:
        self._db.execute(
            "delete from begun where run = ? and key = ? and process = ?",
            (run, request.key, self._process),
        )

    def _result(self, key: str) -> str | None:
        with self._guarded():
            row = self._db.execute("select result from kept where key = ?", (key,)).fetchone()
            return None if row is None else _unpacked(row[0])

    def _packed(self, text: str) -> bytes:
        if self._unsaid.held_by(text):
            raise RunError(
                "a text holds a piece of a key that is in use: it is not kept",
                where=self._path.name,
                remedy="Take the key out of the data, the prompts or the rubrics; replace a key that was published.",
            )
        return zlib.compress(text.encode("utf-8"))

    def _prepare(self) -> None:
        (application,) = self._db.execute("pragma application_id").fetchone()
        (tables,) = self._db.execute("select count(*) from sqlite_schema").fetchone()
        if application != _APPLICATION and (application or tables):
            raise RunError(
                "the file is not a stage store", where=str(self._path), remedy="Name another folder as --out."
            )
        (version,) = self._db.execute("pragma user_version").fetchone()
        if version not in (0, _VERSION):
            raise RunError(
                "the stage store is of another version",
                where=str(self._path),
                remedy="Use the version of truerecall that made it, or name another folder as --out.",
            )
        self._db.execute("pragma journal_mode = wal")
        # What is kept was paid for: it must outlive a loss of power, not only of the process.
        self._db.execute("pragma synchronous = full")
        self._db.execute(f"pragma application_id = {_APPLICATION}")
        self._db.execute(f"pragma user_version = {_VERSION}")
        self._db.executescript(_SCHEMA)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._guarded():
            self._db.execute("begin immediate")
            try:
                yield
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:  # SQLite ends one by itself where the disk is full
                    self._db.execute("rollback")
                raise

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Turn what SQLite, zlib and pydantic say into an error of ours."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise RunError(
                    f"another program has held the stage store for {_BUSY_SECONDS:g} seconds",
                    where=str(self._path),
                    remedy="End it, then run the same command again; it goes on from here.",
                ) from error
            raise RunError(
                f"the stage store cannot be used: {error}",
                where=str(self._path),
                remedy="Check the disk and the file; copy the file before you try to mend it: it holds paid answers.",
            ) from error
        except (zlib.error, ValueError):
            raise RunError(
                "a result in the stage store is damaged, or of another version",
                where=str(self._path),
                remedy="Name another folder as --out: there all is asked again. Keep the file: it holds paid answers.",
            ) from None


def _unpacked(kept: object) -> str:
    """A text as it was kept; ``ValueError`` or ``zlib.error`` if this is none."""
    if not isinstance(kept, bytes):
        raise ValueError("a result is no bytes")
    return zlib.decompress(kept).decode("utf-8")
