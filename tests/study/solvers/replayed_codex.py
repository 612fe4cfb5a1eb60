"""Plays the program of Codex as it was recorded: ``python replayed_codex.py FOLDER exec ARGUMENTS…``.

FOLDER holds a folder a prompt (``0``, ``1``): ``rollout`` is what its rollout holds then, ``out``, ``err`` and ``code``
are what comes of it, ``hang`` makes it wait for its end. SEAT and PACKAGES in a text become the folders of the run. How
it was called is written to ``calls.jsonl``.
"""

import os
import sys
from pathlib import Path

from replayed import begun, ended


def main(folder: Path, arguments: list[str]) -> int:
    step = begun(folder, arguments)
    home = Path(os.environ["CODEX_HOME"])
    if (step / "rollout").exists():
        target = home / "sessions" / "2026" / "12" / "01" / "rollout-2026-12-01T00-00-00-SESSION.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (step / "rollout").read_text("utf-8")
        target.write_text(
            text.replace("SEAT", str(home.parents[1])).replace("PACKAGES", str(folder)), "utf-8"
        )
    return ended(step)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
