"""Proof that remembering and recalling with the local model stay on this machine and inside the store's folder.

A memory is filled and asked for a while in a process that is watched from before its first import:

- no socket but AF_UNIX, and no look-up of a host: Python's own by an audit hook, those of native code (the model's
  runtime) by a filter of the kernel that kills the process for one;
- no file written outside the store's folder, by the same hook; home, TMPDIR and the working folder stay empty;
- where a namespace may be made, the process has no network, and every folder of the machine that can be laid
  under an overlay is: what native code writes there shows up in the overlay.

Exits 1 for anything seen, 2 if the process fails. ``--provoke`` breaks a rule on purpose, to see that it is seen.
"""

import argparse
import ctypes
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

SEEN = "SEEN "
TEXTS = 200
QUERIES = ("which pets does the family keep", "who repairs boats", "Lagerhaus 火 c'est quoi?", "harbour", "")
WRITING = {
    "os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate",
    "os.utime", "sqlite3.connect",
}  # fmt: skip
OUTWARD = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind"}
STARTING = {"os.exec", "os.fork", "os.posix_spawn", "os.system", "subprocess.Popen"}
PROVOCATIONS: dict[str, Callable[[Path], object]] = {
    "socket": lambda _: socket.socket(socket.AF_INET),
    "native-socket": lambda _: ctypes.CDLL(None).socket(socket.AF_INET, socket.SOCK_DGRAM, 0),
    "file": lambda home: (home.parent / "elsewhere").write_bytes(b"x"),
    "home": lambda home: ctypes.CDLL(None).mkdir(os.fsencode(home / ".device"), 0o700),
    "native-file": lambda _: ctypes.CDLL(None).mkdir(b"/etc/truerecall-device-id", 0o700),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the proof and print what was seen, in words or as one JSON object."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to recall")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--provoke", choices=PROVOCATIONS, help="break a rule on purpose")
    parser.add_argument("--enclosed", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--watched", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.watched:
        watched(options.watched, options.seconds, options.provoke)
        return 0
    if options.enclosed:
        return told(prove(options.enclosed, options.seconds, options.provoke, enclosed=True), options.json)
    with tempfile.TemporaryDirectory(prefix="offline-") as name:
        folder = Path(name).resolve()
        if inside := enclosure():  # its mounts end with it, so that the folder can be removed here
            given = [*(sys.argv[1:] if arguments is None else arguments), "--enclosed", str(folder)]
            return subprocess.run([*inside, sys.executable, __file__, *given], check=False).returncode
        return told(prove(folder, options.seconds, options.provoke, enclosed=False), options.json)


def told(report: dict[str, object], as_json: bool) -> int:
    """Print the report; the exit code."""
    print(json.dumps(report, indent=2) if as_json else in_words(report))
    return 2 if report["failure"] else 1 if report["seen"] else 0


def enclosure() -> list[str]:
    """The command that runs another without a network and with mounts of its own; empty where none may."""
    for flags in (["-n", "-m"], ["-r", "-n", "-m"]):
        command = ["unshare", *flags]
        if shutil.which("unshare") and not subprocess.run([*command, "true"], capture_output=True).returncode:
            return command
    return []


def prove(folder: Path, seconds: float, provoke: str | None, enclosed: bool) -> dict[str, object]:
    """Run the watched process in ``folder`` and collect what was seen of it."""
    home = folder / "home"
    for place in (folder / "store", home / "tmp", home / "work", folder / "overlay"):
        place.mkdir(parents=True)
    covered = list(overlays(folder)) if enclosed else []
    if provoke == "native-file" and "/etc" not in covered:
        sys.exit("without an overlay /etc would really be written")
    before = listing(home)
    command = [sys.executable, __file__, "--watched", str(folder), "--seconds", str(seconds)]
    done = subprocess.run(
        [*command, *(["--provoke", provoke] if provoke else [])],
        env={
            "HOME": str(home),
            "TMPDIR": str(home / "tmp"),
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "PYTHONDONTWRITEBYTECODE": "1",  # the interpreter's own cache of modules is not what is watched
        },
        cwd=home / "work",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    lines = done.stderr.splitlines()
    seen = [line.removeprefix(SEEN) for line in lines if line.startswith(SEEN)]
    if done.returncode == -signal.SIGSYS:
        seen.append("a socket was opened (the kernel's filter ended the process)")
    seen += [f"home: {name}" for name in listing(home) if name not in before]
    seen += [f"written: /{name}" for name in listing(folder / "overlay" / "upper", len(covered) > 0)]
    result = json.loads(done.stdout) if done.returncode == 0 else {}
    failed = done.returncode not in (0, -signal.SIGSYS)
    return {
        "kind": "offline",
        "recalls": result.get("recalls", 0),
        "entries": result.get("entries", 0),
        "seconds": seconds,
        "model": result.get("model"),
        "native_sockets_watched": result.get("filtered", False),
        "without_network": enclosed,
        "overlaid": covered,
        "store": sorted(path.name for path in (folder / "store").iterdir()),
        "seen": seen,
        "failure": "\n".join(lines[-3:]) if failed else "",
    }


def listing(folder: Path, inside: bool = False) -> list[str]:
    """Every name below ``folder``; with ``inside``, only below its own folders (what the overlays took)."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
    return [name for name in names if not inside or "/" in name] if folder.is_dir() else []


def overlays(folder: Path) -> Iterator[str]:
    """Lay an overlay over each top folder with no mount below it; needs mounts of our own. Yields each."""
    below = folder / "overlay"
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", below], capture_output=True).returncode:
        return
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text("utf-8").splitlines()]
    for top in sorted(Path("/").iterdir()):
        unsuitable = top.is_symlink() or not top.is_dir() or top.name in {"dev", "proc", "run", "sys"}
        if unsuitable or folder.is_relative_to(top) or any(m.startswith(f"{top}/") for m in mounts):
            continue
        upper, work = below / "upper" / top.name, below / "work" / top.name
        upper.mkdir(parents=True)
        work.mkdir(parents=True)
        how = f"lowerdir={top},upperdir={upper},workdir={work}"
        done = subprocess.run(["mount", "-t", "overlay", "overlay", "-o", how, top], capture_output=True)
        if done.returncode == 0:
            yield str(top)


def watched(folder: Path, seconds: float, provoke: str | None) -> None:
    """Watch this process, then fill a memory and ask it for ``seconds``; print the counts."""
    filtered = refuse_sockets()
    sys.addaudithook(watch(folder / "store"))
    from truerecall import Memory  # after the watch: what an import does is watched too

    if provoke:
        PROVOCATIONS[provoke](Path.home())
    recalls = 0
    with Memory.open(folder / "store" / "m.db", embedder="local") as memory:
        texts = [
            f"In year {n} the neighbours' spaniel slept beside boat {n}, freshly caulked."
            for n in range(TEXTS)
        ]
        memory.remember(texts)
        began = time.perf_counter()
        while time.perf_counter() - began < seconds or recalls < len(QUERIES):
            memory.recall(QUERIES[recalls % len(QUERIES)]).trace.as_json()
            recalls += 1
        memory.export(folder / "store" / "export")
        manifest = json.loads((folder / "store" / "export" / "manifest.json").read_text(encoding="utf-8"))
        entries = memory.counts().entries
    model = manifest["model"] and f"{manifest['model']['name']} on {manifest['model']['runtime']}"
    print(json.dumps({"recalls": recalls, "entries": entries, "filtered": filtered, "model": model}))


def watch(allowed: Path) -> Callable[[str, tuple[object, ...]], None]:
    """An audit hook that tells on standard error, at once, what leaves the process or is written elsewhere."""

    def outside(name: object) -> bool:
        if not isinstance(name, (str, bytes, os.PathLike)):
            return False  # a descriptor: its opening was seen
        if isinstance(name, str) and name.startswith("file:"):  # SQLite's form of a path
            name = unquote(urlsplit(name).path)
        return not Path(os.fsdecode(os.path.abspath(name))).is_relative_to(allowed)  # noqa: PTH100

    def hook(event: str, values: tuple[object, ...]) -> None:
        told = ""
        if event == "socket.__new__" and values[1] != socket.AF_UNIX:
            told = f"a socket of family {values[1]}"
        elif event in OUTWARD or event in STARTING:
            told = f"{event} {values[1:] if event in OUTWARD else values[:1]}"
        elif event == "open" and outside(values[0]):
            mode, flags = values[1], values[2]
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            told = f"open {values[0]!r} for writing" if writes or set(str(mode or "")) & set("wax+") else ""
        elif event in WRITING and any(outside(value) for value in values[:2] if value != ":memory:"):
            told = f"{event} {values[:2]}"
        if told and values[:1] != (os.devnull,):
            os.write(2, f"{SEEN}{told}\n".encode())

    return hook


def refuse_sockets() -> bool:
    """Have the kernel end this process for any socket but AF_UNIX; False where that cannot be asked for."""
    machines = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}  # audit architecture, socket(2)
    if sys.platform != "linux" or platform.machine() not in machines:
        return False
    architecture, number = machines[platform.machine()]
    load, equal, leave = 0x20, 0x15, 0x06  # BPF: a word of the call, a comparison, an answer
    allow, kill = 0x7FFF0000, 0x80000000
    program = [
        (load, 0, 0, 4), (equal, 0, 5, architecture),
        (load, 0, 0, 0), (equal, 0, 3, number),
        (load, 0, 0, 16), (equal, 1, 0, int(socket.AF_UNIX)),
        (leave, 0, 0, kill), (leave, 0, 0, allow),
    ]  # fmt: skip

    class Instruction(ctypes.Structure):
        _fields_ = (
            ("code", ctypes.c_ushort),
            ("yes", ctypes.c_ubyte),
            ("no", ctypes.c_ubyte),
            ("k", ctypes.c_uint),
        )

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("first", ctypes.POINTER(Instruction)))

    instructions = (Instruction * len(program))(*(Instruction(*row) for row in program))
    given = Program(len(program), instructions)
    prctl = ctypes.CDLL(None).prctl
    prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS: without it only root may set a filter
    return int(prctl(22, 2, ctypes.byref(given), 0, 0)) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def in_words(report: dict[str, object]) -> str:
    """The report for a reader."""
    overlaid = report["overlaid"]
    assert isinstance(overlaid, list)
    assert isinstance(report["seen"], list)
    lines = [
        f"{report['recalls']} recalls over {report['entries']} entries in {report['seconds']} s with {report['model']}",
        f"the network was {'away' if report['without_network'] else 'there: no namespace may be made here'}",
        f"sockets of native code: {'watched' if report['native_sockets_watched'] else 'not watched'}",
        f"overlaid, so that native writes show: {' '.join(overlaid) or 'nothing'}",
        *(f"SEEN: {what}" for what in report["seen"]),
        *([f"FAILED: {report['failure']}"] if report["failure"] else []),
    ]
    verdict = "something left its place" if report["seen"] else "nothing left its place"
    return "\n".join([*lines, "the process failed" if report["failure"] else verdict])


if __name__ == "__main__":
    sys.exit(main())
