"""``python alone.py COMMAND…``: run a command where only loopback exists, if this machine lets us; else as it is.

Mounts are its own as well, so that a test may make a disk that is full.

Nothing that runs below can reach another machine, so that what passes here needed none.
"""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

INSIDE = "TRUERECALL_ALONE"
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1


def interfaces() -> list[str]:
    """The network interfaces that there are, by name."""
    return sorted(name for _, name in socket.if_nameindex())


def raise_loopback() -> None:
    """Switch on the loopback interface of a new namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(control, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def main(command: Sequence[str]) -> int:
    """Once outside, where the namespace is made; once inside it."""
    if os.environ.get(INSIDE):
        raise_loopback()
        os.execvp(command[0], list(command))
    unshare = shutil.which("unshare")
    able = (
        unshare and not subprocess.run([unshare, "-rmn", "true"], capture_output=True, check=False).returncode
    )
    if not able:
        sys.stderr.write("this machine makes no network namespaces: the network stays as it is\n")
        os.execvp(command[0], list(command))
    again = [unshare, "-rmn", sys.executable, os.fspath(Path(__file__).resolve()), *command]
    os.execvpe(again[0], again, {**os.environ, INSIDE: "1"})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
