"""Another memory's plugin, copied into the home of each run: what it writes beside itself is gone with it."""

import hashlib
import shutil
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.design import Side, Study
from truerecall.study.sides.stage import Stage
from truerecall.study.solvers.protocol import Equipment


def rival(side: Side, stage: Stage) -> Equipment:
    """The plugin of ``plugin_dir``."""
    shutil.copytree(plugin_folder(side, stage.study), stage.plugin, symlinks=True)
    return Equipment(plugin_dir=stage.plugin)


def plugin_folder(side: Side, study: Study) -> Path:
    """The plugin of a side; ``StudyError`` where there is none."""
    folder = (study.folder / side.plugin_dir).resolve()
    if not (folder / ".claude-plugin" / "plugin.json").is_file():
        raise StudyError(
            f"the side {side.name!r} names no plugin of Claude Code",
            where=str(folder),
            remedy="Name the folder that holds .claude-plugin/plugin.json, relative to the study.",
        )
    return folder


def digest_of(folder: Path) -> str:
    """Sha256 over the files of a folder: their paths, whether they can be run, and their content, or goal of a link."""
    told = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            content = b"link " + str(path.readlink()).encode("utf-8", "surrogateescape")
        elif path.is_file():
            content = path.read_bytes()
        else:
            continue
        name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        run = b"x" if path.lstat().st_mode & 0o100 else b"-"
        told.update(b"%b %d %b%b" % (run, len(content), name + b"\0", hashlib.sha256(content).digest()))
    return told.hexdigest()
