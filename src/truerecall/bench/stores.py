"""The cache of ingested stores, shared by all runs of an output folder.

::

    <out>/cache/<key>/store/          the folder that a system closed after ingestion
    <out>/cache/<key>/ingestion.json  what the ingestion gave
"""

import shutil
import tempfile
from pathlib import Path

from truerecall.bench.manifest import Record
from truerecall.bench.outputs import below, write_whole

CACHE = "cache"
"""The cache's folder below the output folder; no run may be called so."""


class Ingestion(Record):
    """What an ingestion left beside its store."""

    handles: list[str | None]
    stored: int
    embedded: int | None
    masked: int
    refused: int
    seconds: float
    vectors_cached: int = 0
    """Pieces whose vector was not computed: the seconds are not those of an ingestion from nothing."""
    store_bytes: int | None = None
    """Of all files of the closed store; None where it was not looked at."""


class StoreCache:
    """Ingested stores by key; each is either whole or not there."""

    def __init__(self, out: Path, work: Path) -> None:
        """Use the cache of ``out`` (resolved); copies are made in ``work``, on the same file system."""
        self._out = out
        self._work = work
        below(out, CACHE).mkdir(exist_ok=True)

    def known(self, key: str) -> Ingestion | None:
        """What is known of a usable store; None if there is none."""
        kept = below(self._out, CACHE, key)
        try:
            known = Ingestion.model_validate_json((kept / "ingestion.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        return known if (kept / "store").is_dir() else None

    def copy(self, key: str) -> tuple[Path, Ingestion] | None:
        """A copy of a store, and what is known of it; None if there is none."""
        known = self.known(key)
        if known is None:
            return None
        # A copy, for a recall may leave traces in a store, and another run may use it at the same time.
        copied = Path(tempfile.mkdtemp(dir=self._work))
        shutil.copytree(below(self._out, CACHE, key, "store"), copied, dirs_exist_ok=True)
        return copied, known

    def keep(self, key: str, store: Path, ingestion: Ingestion) -> None:
        """Move an ingested, closed store into the cache; the first to come stays."""
        bundle = Path(tempfile.mkdtemp(dir=self._work))
        store.replace(bundle / "store")
        sized = ingestion.model_copy(update={"store_bytes": _size(bundle / "store")})
        write_whole(bundle / "ingestion.json", sized.model_dump_json())
        place = below(self._out, CACHE, key)
        try:
            bundle.replace(place)
        except OSError:
            if self.known(key) is not None:
                shutil.rmtree(bundle)
                return
            # What lies there is damaged: it gives way.
            shutil.rmtree(place)
            bundle.replace(place)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
