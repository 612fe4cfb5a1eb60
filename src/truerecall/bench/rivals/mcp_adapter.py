"""The adapter of any memory server that speaks the Model Context Protocol over standard input and output.

Options: ``mapping=`` a file that says how it is spoken to, or the name of one in ``mappings/`` (required);
``program=`` the program to start in place of the first part of the file's command.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truerecall.bench.rivals.line import Asked, Census, Item, Recalled, Setting, ranked, serve, versions
    from truerecall.bench.rivals.mcp_mapping import Plan, Tool, at, filled, read_mapping
else:  # where an adapter runs, truerecall is not installed: both modules lie beside the script
    from line import Asked, Census, Item, Recalled, ranked, serve, versions
    from mcp_mapping import Plan, Tool, at, filled, read_mapping

_SHIPPED = Path(__file__).resolve().parent / "mappings"
_SHORTEST = 3
"""Letters that a word must have to be asked for by itself."""


class McpServer:
    """One server process a scope, on a folder of its own within the store's."""

    def __init__(self, options: Mapping[str, str]) -> None:
        unknown = set(options) - {"mapping", "program"}
        if unknown:
            raise ValueError(f"it does not know the option {sorted(unknown)[0]!r}")
        text = _file(options.get("mapping", "")).read_text(encoding="utf-8")
        self._plan: Plan = read_mapping(text)
        self._sha256 = sha256(text.encode("utf-8")).hexdigest()
        self._program = options.get("program", "")
        self._serving = ExitStack()
        self._portal: Any = None
        self._session: Any = None
        self._ids: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._kept: dict[str, list[str]] = {}

    @property
    def name(self) -> str:
        """As the mapping says."""
        return self._plan.name

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """The mapping decides all."""
        return {
            **versions("mcp"),
            "mapping_sha256": self._sha256,
            "search": self._plan.search.call.tool,
            "asked_by": "words" if self._plan.search.words else "question",
        }

    def open(self, folder: Path, tenant: str, space: str, user: str) -> None:
        """Start the server and greet it."""
        self._ids, self._texts, self._kept = {}, {}, {}
        place = folder / sha256(json.dumps([tenant, space, user]).encode("utf-8")).hexdigest()[:32]
        place.mkdir(parents=True, exist_ok=True)
        values = {"folder": str(place)}
        command = filled(list(self._plan.command), values)
        portal = import_module("anyio.from_thread").start_blocking_portal()
        with ExitStack() as serving:
            self._portal = serving.enter_context(portal)
            greeted = _greeted(
                self._program or command[0], command[1:], filled(dict(self._plan.environment), values), place
            )
            self._session = serving.enter_context(self._portal.wrap_async_context_manager(greeted))
            self._serving = serving.pop_all()

    def ingest(self, items: Sequence[Item]) -> list[str | None]:
        """One call of its tool a turn."""
        return [self._add(f"{item.session}.{item.position}", item) for item in items]

    def _add(self, handle: str, item: Item) -> str:
        add = self._plan.add
        values = {
            "said": item.said, "text": item.text, "speaker": item.speaker, "session": item.session,
            "position": item.position, "at": item.at, "handle": handle,
        }  # fmt: skip
        result = self._call(add.call, values)
        known = (
            filled(add.id, values) if add.id else at(_parsed(result), add.id_path) if add.id_path else None
        )
        if add.id_path and known is None:
            raise LookupError(f"{add.call.tool} says no id at {add.id_path!r}: {_said(result)[:200]}")
        # Texts that the server merges share an id, and so the handle of the first of them.
        handle = self._ids.setdefault(str(known), handle) if known is not None else handle
        self._texts.setdefault(item.said, handle)
        self._texts.setdefault(item.text, handle)
        self._kept.setdefault(handle, [str(known)] if known is not None else [])
        return handle

    def recall(self, asked: Asked) -> Recalled:
        """Hits that are known by their id, or by their exact text; any other is none."""
        search = self._plan.search
        k = min(asked.k, search.most) if search.most else asked.k
        found: Counter[str] = Counter()
        hits = 0
        for query in _words(asked.question) if search.words else [asked.question]:
            result = self._call(search.call, {"question": query, "date": asked.date, "k": k})
            handles = [self._known(hit) for hit in self._hits(result)]
            hits += len(handles)
            found.update(list(dict.fromkeys(handle for handle in handles if handle is not None)))
        # A counter keeps the order in which things came, which is the server's own where there is one query.
        best = [handle for handle, _ in found.most_common()]
        return Recalled(ranked(best, asked.k), blocks={}, lanes={"hits": hits})

    def _hits(self, result: Any) -> Sequence[Any]:
        search = self._plan.search
        if search.lines:
            return [line.strip() for line in _said(result).splitlines() if line.strip()]
        listed = at(_parsed(result), search.hits)
        return listed if isinstance(listed, list) else []

    def _known(self, hit: Any) -> str | None:
        search = self._plan.search
        if search.id:
            handle = self._ids.get(str(at(hit, search.id)))
            if handle is not None and handle in self._kept:
                return handle
        text = at(hit, search.text)
        handle = self._texts.get(text) if isinstance(text, str) else None
        return handle if handle in self._kept else None

    def delete(self, handles: Sequence[str]) -> None:
        """By id, one after the other."""
        if self._plan.delete is None:
            raise LookupError("the mapping names no tool that deletes")
        for handle in handles:
            for known in self._kept.pop(handle, []):
                self._call(self._plan.delete, {"id": known})
                self._ids.pop(known, None)

    def census(self) -> Census:
        """As the server counts, or what was kept and not deleted where it does not."""
        if self._plan.count is None:
            return Census(len(self._kept))
        counted = at(_parsed(self._call(self._plan.count.call, {})), self._plan.count.path)
        return Census(len(counted) if isinstance(counted, list) else int(counted))

    def close(self) -> None:
        """End the server."""
        self._serving.close()
        self._session = None

    def _call(self, tool: Tool, values: Mapping[str, Any]) -> Any:
        result = self._portal.call(self._session.call_tool, tool.tool, filled(dict(tool.arguments), values))
        if result.is_error:
            raise RuntimeError(f"{tool.tool} refused the call: {_said(result)[:500]}")
        return result


@asynccontextmanager
async def _greeted(
    program: str, arguments: Sequence[str], environment: Mapping[str, str], folder: Path
) -> Any:
    mcp, stdio = import_module("mcp"), import_module("mcp.client.stdio")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    server = mcp.StdioServerParameters(
        command=program,
        args=list(arguments),
        # The folder's home is the store's, and programs of this environment are found first.
        env={**os.environ, "PATH": path, **environment},
        cwd=str(folder),
    )
    async with stdio.stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
        await session.initialize()
        yield session


def _file(named: str) -> Path:
    if not named:
        raise ValueError("it needs mapping=FILE")
    shipped = _SHIPPED / f"{named}.json"
    return shipped if shipped.is_file() else Path(named)


def _said(result: Any) -> str:
    return "\n".join(part.text for part in result.content if getattr(part, "type", "") == "text")


def _parsed(result: Any) -> Any:
    if result.structured_content is not None:
        return result.structured_content
    try:
        return json.loads(_said(result))
    except ValueError:
        raise ValueError(f"the server's answer is no JSON: {_said(result)[:200]}") from None


def _words(question: str) -> Iterator[str]:
    words = dict.fromkeys(re.findall(r"\w+", question.lower()))
    return (word for word in words if len(word) >= _SHORTEST)


if __name__ == "__main__":
    serve(McpServer)
