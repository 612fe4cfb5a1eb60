"""``truerecall agents env``."""

import os
import subprocess
import sysconfig
from pathlib import Path

SCRIPTS = Path(sysconfig.get_path("scripts"))


def test_other_commands_work_on_the_memory_of_the_folder_s_project(tmp_path: Path) -> None:
    home, work = tmp_path / "a home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    environment = {"HOME": str(home), "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}", "LOGNAME": "ada"}

    def shell(line: str) -> str:
        done = subprocess.run(
            ["sh", "-ec", line], env=environment, cwd=work, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    remember = "truerecall remember --private 'Ports start at 7000.'"
    shell("git init -q . && git remote add origin https://git.example/team/shop.git")
    shell("git config user.email 'a b@x.example' && mkdir -p \"$HOME/.local/share/truerecall\"")
    shell(f'eval "$(truerecall agents env)"; {remember}')

    assert shell("truerecall agents env").splitlines() == [
        f"export TRUERECALL_STORE='{home}/.local/share/truerecall/memory.db'",
        "export TRUERECALL_TENANT=local",
        "export TRUERECALL_USER='a b@x.example'",
        "export TRUERECALL_SPACE=git.example/team/shop",
    ]
    assert "Ports start at 7000." in shell('eval "$(truerecall agents env)"; truerecall list')
