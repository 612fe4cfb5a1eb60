"""What every test stands on: determinism, no network, a clock that stands still, and the data where it is."""

import platform
import socket
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from truerecall.core.clock import ManualClock

REPOSITORY = Path(__file__).resolve().parents[1]

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("ci")


class OutsideNetwork(RuntimeError):
    """A test reached for an address outside this machine."""


def pytest_report_header() -> str:
    """What the results depend on besides the locked packages."""
    return f"truerecall: Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"


def _is_loopback(host: object) -> bool:
    if host in ("localhost", "", None):
        return True
    try:
        return ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def _check(host: object) -> None:
    if not _is_loopback(host):
        raise OutsideNetwork(f"a test reached for {host!r}: only loopback addresses are open to tests")


def _guarded(name: str) -> Any:
    original = getattr(socket.socket, name)

    def guard(self: socket.socket, *arguments: Any) -> Any:
        # The address comes last in connect, connect_ex and sendto; AF_UNIX names a file, not a host.
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _check(arguments[-1][0])
        return original(self, *arguments)

    return guard


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    look_up = socket.getaddrinfo

    def guarded_look_up(host: Any, *arguments: Any, **options: Any) -> Any:
        _check(host.decode() if isinstance(host, bytes) else host)
        return look_up(host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, _guarded(name))
        patch.setattr(socket, "getaddrinfo", guarded_look_up)
        yield


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at noon on 7 May 2024, UTC, until the test moves it."""
    return ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the real data sets beside the checkout; the test is skipped where there is none."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no folder shared/data beside the checkout: the real data sets are not there")
    return folder
