"""The rival's end of the line: the JSON-lines loop that every adapter script of this folder runs.

It runs inside a rival's own virtual environment, on the standard library alone, and never imports truerecall.
An adapter script makes an ``Adapter`` and hands it to ``serve``::

    python NAME_adapter.py option=value …

What it looks after, so that no adapter has to:

- what a library prints, also from native code, goes to standard error and never tears the line;
- an exception of a library becomes ``{"error": …}``, with its traceback on standard error;
- no socket of Python leaves this machine unless the harness allows it: telemetry has nowhere to go;
- the home folder is one inside the store's folder, so that nothing is shared between two conversations.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from ipaddress import ip_address
from pathlib import Path
from typing import Protocol, TextIO

PROTOCOL = 1
NETWORK = "TRUERECALL_RIVAL_NETWORK"
"""Set to 1 by the harness where a rival must reach another machine; otherwise only loopback can be reached."""
EMBEDDER_URL = "TRUERECALL_EMBEDDER_URL"
"""An OpenAI-compatible base URL (``http://127.0.0.1:PORT/v1``) that embeds, for a rival that is lent an embedder."""
EMBEDDER_NAME = "TRUERECALL_EMBEDDER_NAME"
"""Which model embeds there: what a rival asks for, and the ``embedder`` of its configuration."""
EMBEDDER_DIMENSION = "TRUERECALL_EMBEDDER_DIMENSION"
"""How many numbers a vector has."""
CHAT_URL = "TRUERECALL_CHAT_URL"
"""An OpenAI-compatible base URL that answers, for a rival that extracts by a model."""
CHAT_MODEL = "TRUERECALL_CHAT_MODEL"
"""The model to ask for there."""
CHAT_KEY = "TRUERECALL_CHAT_KEY"
"""The key to send there; a loopback server takes any."""

Setting = str | int | float | bool | None

_OUTWARD = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
}
"""Audit events that name another machine, and which of their values does."""


@dataclass(frozen=True)
class Item:
    """What is to be remembered."""

    text: str
    speaker: str
    """Empty at session granularity."""
    session: str
    position: int
    at: str
    """ISO 8601 in UTC: ``2024-03-04T09:30:00Z``."""

    @property
    def said(self) -> str:
        """The text with who said it: what a system is given that has no field for a speaker."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True)
class Asked:
    """One question."""

    question: str
    date: str
    """ISO 8601 in UTC: the clock of the question."""
    k: int
    budgets: tuple[int, ...]


@dataclass(frozen=True)
class Recalled:
    """What was recalled."""

    handles: Sequence[str]
    """Best first, at most k, none twice."""
    blocks: Mapping[int, tuple[str, Sequence[str]]]
    """By token budget: the text that would be put before a model, and the handles in it. Often empty."""
    lanes: Mapping[str, int]
    """Candidates of each part of the search, where the system tells."""


@dataclass(frozen=True)
class Census:
    """What is stored now."""

    stored: int
    embedded: int | None = None
    """None where there is no vector lane."""
    refused: int = 0


class Adapter(Protocol):
    """One rival. ``configuration`` is asked for before ``open``: import the rival in ``open``, not before.

    An adapter whose closed folder may be moved and opened again has ``reusable = True``; then its ingestion is kept
    between runs, and the size of its store is measured.
    """

    @property
    def name(self) -> str:
        """As it is printed, with what was chosen: ``mem0 (infer=False)``."""
        ...

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """All that decides its results; ``versions`` gives the packages. Never an address or a key."""
        ...

    def open(self, folder: Path, tenant: str, space: str, user: str) -> None:
        """Keep everything in ``folder``; two scopes in one folder know nothing of each other."""
        ...

    def ingest(self, items: Sequence[Item]) -> Sequence[str | None]:
        """One handle an item."""
        ...

    def recall(self, asked: Asked) -> Recalled:
        """The best of what was ingested."""
        ...

    def delete(self, handles: Sequence[str]) -> None:
        """Forget items."""
        ...

    def census(self) -> Census:
        """Counts over the open store."""
        ...

    def close(self) -> None:
        """Release everything; called once after every ``open``."""
        ...


def versions(*packages: str) -> dict[str, Setting]:
    """Versions of installed packages by name; an adapter's configuration names those that decide its results."""
    return {package: metadata.version(package) for package in packages}


def needed(name: str) -> str:
    """An environment variable's value; an error that names it where it is not set."""
    value = os.environ.get(name, "")
    if not value:
        raise LookupError(f"the environment variable {name} is not set")
    return value


def ranked(handles: Sequence[str], k: int) -> list[str]:
    """At most ``k`` of the handles, in order, each once: several hits of one item count as its best."""
    return list(dict.fromkeys(handles))[:k]


def serve(make: Callable[[Mapping[str, str]], Adapter]) -> None:
    """Answer requests on standard input until there are no more; ``make`` gets the options of the command line."""
    _forget_own_folder()
    responses = _own_output()
    if os.environ.get(NETWORK) != "1":
        sys.addaudithook(_refuse_outward)
    adapter = make(dict(argument.split("=", 1) for argument in sys.argv[1:]))
    for request in sys.stdin:
        try:
            reply: dict[str, object] = {"ok": _answer(adapter, json.loads(request))}
        except Exception as error:  # the outermost place of this process: whatever a rival raises is told
            traceback.print_exc(file=sys.stderr)
            reply = {"error": f"{type(error).__name__}: {error}"[:2000]}
        responses.write(json.dumps(reply, ensure_ascii=True) + "\n")
        responses.flush()


def _answer(adapter: Adapter, call: dict) -> object:  # type: ignore[type-arg]  # as JSON gives it
    what = call.pop("call")
    if what == "hello":
        return _hello(adapter)
    if what == "open":
        folder = Path(call["folder"])
        _move_home(folder)
        adapter.open(folder, call["tenant"], call["space"], call["user"])
    elif what == "ingest":
        return list(adapter.ingest([Item(**item) for item in call["items"]]))
    elif what == "recall":
        asked = Asked(call["question"], call["date"], call["k"], tuple(call["budgets"]))
        return _recalled(adapter.recall(asked))
    elif what == "delete":
        adapter.delete(call["handles"])
    elif what == "census":
        census = adapter.census()
        return {"stored": census.stored, "embedded": census.embedded, "refused": census.refused}
    elif what == "close":
        adapter.close()
    else:
        raise ValueError(f"there is no call {what!r}")
    return None


def _hello(adapter: Adapter) -> dict[str, object]:
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    configuration = {
        **adapter.configuration,
        "python": ".".join(map(str, sys.version_info[:3])),
        "line_sha256": own,
    }
    reusable = bool(getattr(adapter, "reusable", False))
    return {
        "protocol": PROTOCOL,
        "name": adapter.name,
        "configuration": configuration,
        "reusable": reusable,
    }


def _recalled(recalled: Recalled) -> dict[str, object]:
    return {
        "handles": list(recalled.handles),
        "blocks": {
            str(budget): {"text": text, "handles": list(handles)}
            for budget, (text, handles) in recalled.blocks.items()
        },
        "lanes": dict(recalled.lanes),
    }


def _own_output() -> TextIO:
    """Standard output for the line alone: file descriptor 1 goes where standard error goes from now on."""
    responses = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return responses


def _forget_own_folder() -> None:
    """Take the scripts' folder off the path: none of its modules may stand in for one that a rival imports."""
    own = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry).resolve() != own]


def _move_home(folder: Path) -> None:
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    for name in ("HOME", "USERPROFILE"):
        os.environ[name] = str(home)
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ[name] = str(home / name.split("_")[1].lower())


def _refuse_outward(event: str, values: tuple[object, ...]) -> None:
    place = _OUTWARD.get(event)
    if place is None or len(values) <= place:
        return
    address = values[place]
    if isinstance(address, tuple):  # an address of the internet; a path of AF_UNIX is a string
        address = address[0] if address else ""
    elif event in ("socket.connect", "socket.sendto"):
        return
    host = address.decode("ascii", "replace") if isinstance(address, bytes) else address
    if not _is_loopback(host):
        sys.stderr.write(f"refused: {event} {host!r} leaves this machine\n")
        raise ConnectionRefusedError(f"{host!r} is another machine: this process may reach loopback only")


def _is_loopback(host: object) -> bool:
    if host in (None, "", "localhost"):
        return True
    try:
        return ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False
