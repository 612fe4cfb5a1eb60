"""What the audit of a transcript takes for a read outside the workspace, and what it lets pass."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from truerecall.study.audit.outside import audit
from truerecall.study.records import Audit, Exchange, ToolUse, UseOutcome
from truerecall.study.solvers.protocol import Seat


@pytest.fixture(scope="module")
def seat(tmp_path_factory: pytest.TempPathFactory) -> Seat:
    """Two repositories, a secret beside the workspace, and a link that leads to it."""
    top = tmp_path_factory.mktemp("work") / "1"
    home, workspace = top / "home", top / "ws"
    app, lib = workspace / "app", workspace / "lib"
    for folder in (home / "tmp", app / "src" / "deep", app / ".git", app / "linked", lib):
        folder.mkdir(parents=True)
    for path in (
        app / "src" / "a.py",
        app / "src" / "b.py",
        app / "README.md",
        lib / "core.py",
        top / "secret.txt",
    ):
        path.write_text("text\n", encoding="utf-8")
    (app / "linked" / "out").symlink_to(top / "secret.txt")
    (app / "linked" / "folder").symlink_to(top)
    (app / "inner").symlink_to(app / "src")
    outputs = home / ".claude" / "projects" / "-ws-app" / "sid" / "tool-results"
    outputs.mkdir(parents=True)
    (outputs / "b1.txt").write_text("long\n", encoding="utf-8")
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TMPDIR": str(home / "tmp")}
    return Seat(home, workspace, app, (lib,), environment, top / "outputs")


def used(name: str, given: Mapping[str, JsonValue], outcome: UseOutcome = "ok", output: str = "") -> ToolUse:
    return ToolUse(id="t", name=name, input=dict(given), outcome=outcome, output=output)


def exchange(*uses: ToolUse, denied: tuple[str, ...] = ()) -> Exchange:
    numbered = [use.model_copy(update={"id": f"t{number}"}) for number, use in enumerate(uses)]
    return Exchange(
        kind="question", prompt="Why?", ended="answered", uses=numbered, denied=list(denied), seconds=1.0
    )


def bash(command: str, outcome: UseOutcome = "ok") -> ToolUse:
    return used("Bash", {"command": command}, outcome)


def found(seat: Seat, *uses: ToolUse) -> list[str]:
    return [finding.what for finding in audit([exchange(*uses)], seat).outside]


HARMLESS = """
git log --oneline -20
git log --stat -S'x' -- src
git log -S '/api/v1' --all --oneline
git log -G"/etc/.*conf" -p -- src/a.py | head -50
git log --format='%h %an/%ae' --since=2024-01-01 --author='A. B.'
git log --pretty=format:'/%h' -n 5
git log --grep '/login' -i
git log -L 1,20:src/a.py
git log --follow -p -- src/a.py
git log main..HEAD --name-only
git show HEAD~2:src/a.py
git show HEAD:../app/src/a.py
git show --stat HEAD
git show 3f2a91c -- src/a.py | sed -n '1,40p'
git diff HEAD~1 HEAD -- src
git diff --stat HEAD~3..HEAD
git blame -L 10,20 src/a.py
git blame -w -C -C -- src/a.py
git grep -n 'http://example.com/x'
git grep -n "/etc/passwd" -- '*.py' ':!docs'
git grep -e '/api' --and -e 'GET' -- src
git -C . log -1
git -C ../lib log -1
git -C src status --short
git --no-pager -c color.ui=never log -3
git ls-files | grep '/deep/'
git ls-files '*.py' | xargs wc -l
git ls-tree -r HEAD --name-only
git cat-file -p HEAD:src/a.py
git rev-parse --show-toplevel
git remote -v
git config --get remote.origin.url
git config -l --show-origin
git config user.name
cat .git/config
git branch -a --contains HEAD
git status
grep -rn "a/b" .
grep -rn '/api/v1' src
grep -rnE "(^|/)x" src --include='*.py'
grep -n -A 3 '/etc/hosts' src/a.py
grep -e '/x' -e '~/y' src/a.py
grep --include=*.py -rn foo .
grep -v '^#' README.md | grep -c '/'
rg '/api/v1' src
rg -n --glob '!**/deep/**' 'open\\(' .
rg -g '*.py' -A2 '/srv/user' src/
rg --files -g '*.py' | head -20
rg -l foo | xargs rg -n bar
sed -n '1,20p' src/a.py
sed -n '/def foo/,/return/p' src/a.py
sed -e 's#/usr/lib#/srv#g' src/a.py
sed 's/a/b/;s|/x|/y|' src/a.py | head -3
awk '/foo/{print}' README.md
awk -F/ '{print $1}' README.md
awk -F '/' '{print $NF}' README.md | sort | uniq -c | sort -rn
awk 'NR>=10 && NR<=20 {print NR": "$0}' src/a.py
find . -name '*.py' | head
find . -path ./node_modules -prune -o -name '*.py' -print
find . -type f -name '*.md' -not -path '*/.git/*'
find src -regex '.*/a\\.py'
cat ./src/../README.md
cat src/a.py src/b.py
cat -n src/a.py | sed -n '1,5p'
cat ../lib/core.py
cat inner/a.py
cat src/*.py | wc -l
head -n 20 src/a.py
tail -5 README.md
ls -la
ls -la src/ ../lib
ls ..
wc -l src/*.py 2>/dev/null
cd src && ls && cat ../README.md
cd src; cat a.py; cd ..; cat README.md
cd ../lib && git log -1
(cd src/deep && cat ../a.py)
for f in src/a.py src/b.py; do echo "== $f"; head -3 "$f"; done
for f in src/*.py; do head -3 $f; done
if [ -f src/a.py ]; then cat src/a.py; fi
test -d src && echo yes || echo no
diff src/a.py src/b.py
diff <(git show HEAD:src/a.py) src/a.py
cut -d/ -f2 README.md
sort -t/ -k2 README.md
tr '/' '\\n' < README.md
echo "a/b /etc/passwd" | cat
echo $HOME
printf '%s\\n' "~/x"
pwd; date +%Y/%m/%d
which python3 && python3 --version
python3 -c 'print(1 + 1)'
jq '.paths["/api/v1"]' README.md
basename /a/b/c.py
tree -L 2 -I '*.pyc' src
stat -c '%s' src/a.py
/usr/bin/cat src/a.py
DIR=src; cat $DIR/a.py
cat $(git ls-files '*.md')
cat "$(pwd)/src/a.py"
cd src && cat "$(git rev-parse --show-toplevel)/README.md"
cat "$PWD/src/a.py"
cat src/{a,b}.py
grep -n foo src/a.py || true
# look at the file first
cat <<'EOF'
/etc/passwd
EOF
""".strip("\n")


def harmless_commands() -> list[str]:
    lines = HARMLESS.split("\n# look")
    return [*lines[0].split("\n"), "# look" + lines[1]]


def without_links(seat: Seat) -> Seat:
    other = seat.workspace.parent / "plain"
    if not other.exists():
        shutil.copytree(seat.workspace, other, symlinks=True)
        shutil.rmtree(other / "app" / "linked")
        (other / "app" / "inner").unlink()
    return Seat(seat.home, other, other / "app", (other / "lib",), seat.environment, seat.outputs)


def test_there_are_as_many_harmless_commands_as_it_takes() -> None:
    assert len(harmless_commands()) >= 60


@pytest.mark.parametrize("command", harmless_commands())
def test_a_look_around_inside_is_let_pass(seat: Seat, command: str) -> None:
    # Names that are handed on may be links: a workspace without links that lead out is the usual one.
    place = without_links(seat) if "xargs" in command or "$(git ls-files" in command else seat

    assert audit([exchange(bash(command))], place).outside == []


OUTSIDE = [
    "cat /etc/passwd",
    "cat < /etc/passwd",
    "cat</etc/passwd",
    "cat ../../secret.txt",
    "cat ../../sec*",
    "cat 'src/../../../secret.txt'",
    'cat "$HOME/.claude/x"',
    "cat ~/.bashrc",
    "cat ~root/.profile",
    "cat ~/memory.db",
    "cat $TMPDIR/x",
    "cat linked/out",
    "cat linked/*",
    "cat inner/../../../secret.txt",
    "ls linked/folder/",
    "cat /proc/self/root/etc/passwd",
    "cat /proc/self/environ",
    "cat ../../../../../../../../../proc/self/environ",
    "cat $'\\x2fetc/passwd'",
    "cat /etc/pass\\wd",
    'cat "/etc/"passwd',
    "cat /e?c/passwd",
    "cat {/etc/passwd,src/a.py}",
    "cat {/etc/hosts,{x}}",
    "cat {{/etc/hosts,x},src/a.py}",
    "echo /etc/*",
    "head -n 1 /etc/passwd",
    "head -n1 -- /etc/passwd",
    "grep -f /etc/passwd src/a.py",
    "grep -f/etc/passwd src/a.py",
    "grep root /etc/passwd",
    "grep -e root /etc/passwd",
    "grep -rn -A 3 foo /etc",
    "grep -R foo .",
    "grep -Rn foo linked",
    "rg foo ../..",
    "rg --files /etc",
    "rg --follow foo",
    "rg --pre cat foo",
    "rg --ignore-file=/etc/passwd foo",
    "sed -n 1p /etc/passwd",
    "sed -n 'r /etc/passwd' src/a.py",
    "sed '1r/etc/passwd' src/a.py",
    "sed 's/x/cat \\/etc\\/passwd/e' src/a.py",
    "sed -f /var/s.sed src/a.py",
    "awk '{print}' /etc/passwd",
    "awk 'BEGIN{while((getline l < \"/etc/passwd\")>0) print l}'",
    "awk 'BEGIN{system(\"cat /etc/passwd\")}'",
    "find /",
    "find ../.. -name '*.txt'",
    "find . -follow -name x",
    "find -L . -name x",
    "find . -name x -exec cat /etc/passwd \\;",
    "find . -type l -exec cat {} +",
    "find . -newer /etc/passwd",
    "ls /",
    "ls -R ../../home",
    "cd / && ls",
    "cd ../.. && cat secret.txt",
    "cd; ls",
    "cd - && ls",
    "cd src & cat ../../secret.txt",
    "false && cd src; cat ../../secret.txt",
    "(cd src); cat ../../secret.txt",
    "cd src | cat ../../secret.txt",
    "{ cd src; } | true; cat ../../secret.txt",
    "cd nowhere; cat ../../secret.txt",
    "pushd /etc; cat passwd",
    "git -C / log",
    "git -C/etc log",
    "git -C ../.. log",
    "git --git-dir=/var/x/.git log",
    "git --git-dir /var/x/.git log",
    "git --work-tree=/ status",
    "GIT_DIR=/var/x git log",
    "git diff --no-index /dev/null ../../secret.txt",
    "git diff --no-index /dev/null -- ../../secret.txt",
    "git diff /dev/null /etc/passwd",
    "git grep --no-index x /etc",
    "git grep -f /etc/passwd",
    "git grep -O'cat /etc/passwd' x",
    "git blame --contents /etc/passwd src/a.py",
    "git blame --contents=/etc/passwd src/a.py",
    "git log -O/etc/passwd",
    "git log --output=/var/x",
    "git log -L 1,2:../../secret.txt",
    "git hash-object -w ../../secret.txt",
    "git fetch origin",
    "git pull",
    "git ls-remote",
    "git clone ../../other x",
    "git remote update",
    "git -c core.pager='cat /etc/passwd' log",
    "git -c alias.x='!cat /etc/passwd' x",
    "git submodule foreach 'cat /etc/passwd'",
    "git apply /etc/passwd",
    "env -C / ls",
    "env -C/ ls",
    "env --chdir=/ ls",
    "env cat /etc/passwd",
    "timeout 5 cat /etc/passwd",
    "nice -n 5 cat /etc/passwd",
    "command cat /etc/passwd",
    "exec cat /etc/passwd",
    "echo /etc/passwd | xargs cat",
    "cat list.txt | xargs cat",
    "xargs -a list.txt cat",
    "git ls-files | xargs -I{} cat ../../{}",
    "git ls-files | xargs cat /etc/passwd",
    "git ls-files | xargs cat",
    "sh -c 'cat /etc/passwd'",
    "bash -lc 'cd / && ls'",
    "echo Y2F0IC9ldGMvcGFzc3dk | base64 -d | sh",
    "eval cat x",
    "source src/env.sh",
    "./run.sh",
    "python3 -c \"print(open('/etc/passwd').read())\"",
    "python3 -c 'import os; print(os.listdir(os.sep))'",
    "python3 src/a.py",
    "python3 <<'EOF'\nprint(open('/etc/passwd').read())\nEOF",
    'node -e \'require("fs").readFileSync("/etc/passwd")\'',
    "perl -ne print /etc/passwd",
    "make test",
    "curl http://127.0.0.1/",
    "cat $FILE",
    "cat $(echo /etc/passwd)",
    "cat `echo /etc/passwd`",
    "cat $(pwd)/../../secret.txt",
    "cat $(git rev-parse --show-toplevel)/../../secret.txt",
    "cat $(find / -name x)",
    "cat $(ls -d ../../sec*)",
    "echo $(cat /etc/passwd)",
    'echo "$(< /etc/passwd)"',
    'echo "`head /etc/passwd`"',
    "cat <<EOF\n$(cat /etc/passwd)\nEOF",
    "cat <<< $(cat /etc/passwd)",
    "diff <(cat /etc/passwd) src/a.py",
    "X=/etc; cat $X/passwd",
    'X="-n /etc/passwd"; cat $X',
    "for d in / /etc; do ls $d; done",
    "for d in src; do ls $d/../../..; done",
    "while read f; do cat $f; done < src/a.py",
    "[ -f /etc/passwd ] && echo yes",
    "sort -o/var/x src/a.py",
    "ls > /var/x",
    "ls &> /var/x",
    "tee /var/x < src/a.py",
    "ln -s / src/root",
    "cp -r / x",
    "tar cf - /etc",
    "case x in x) cat /etc/passwd;; esac",
    "f() { cat /etc/passwd; }; f",
    "cat 'open",
    "cat${IFS}/etc/passwd",
    "c''at /etc/passwd",
    "/bin/cat /etc/passwd",
    "/srv/tool src",
    "true\ncat /etc/passwd",
    "true; cat src/a.py\t/etc/passwd",
    "cat src/a.py \\\n  /etc/passwd",
    "! cat /etc/passwd",
    "time cat /etc/passwd",
    "if cat /etc/passwd; then true; fi",
    # What git runs or reads later, set beforehand; and what hides a path.
    "git config core.fsmonitor 'cat x >&2'",
    "git config set diff.external 'cat x'",
    "printf x >> .git/config",
    "echo /var/x/.git/objects > .git/objects/info/alternates",
    "echo 'gitdir: /var/x/.git' > src/.git",
    "tee -a .git/config < src/a.py",
    "cp src/a.py .git/hooks/pre-commit",
    "chmod +x .git/hooks/post-checkout",
    "sed -i s/a/b/ .git/config",
    "git apply src/link.patch",
    "bash --rcfile /etc/passwd -i -c :",
    "declare -n r=q; q=/etc/passwd; cat $r",
]


@pytest.mark.parametrize("command", OUTSIDE)
def test_a_command_that_reads_outside_or_may_do_so_is_found(seat: Seat, command: str) -> None:
    assert audit([exchange(bash(command))], seat).outside != []


STRICT = {
    # What a person would let pass, and the audit does not: it errs on the safe side.
    "git show $(git merge-base main HEAD)": "a substitution may be anything",
    "git ls-files | while read f; do head -1 $f; done": "so may a variable that is read",
    "npm test": "a program may read anything",
    "git log -- linked/out": "git would show the link, and not what it leads to",
    "grep $PATTERN src/a.py": "a variable that nobody set",
    "ls > /var/list": "nothing outside is read, but something is written",
    "case x in x) true;; esac": "not understood",
}


@pytest.mark.parametrize("command", STRICT)
def test_what_cannot_be_told_is_found_too(seat: Seat, command: str) -> None:
    assert audit([exchange(bash(command))], seat).outside != [], STRICT[command]


def test_a_finding_names_the_exchange_the_use_the_path_and_the_reason(seat: Seat) -> None:
    fine = exchange(used("Read", {"file_path": str(seat.cwd / "README.md")}))
    peeked = exchange(bash("git status"), bash("cat README.md /etc/passwd && cat linked/out; wc $X"))
    cannot_tell = "what it names cannot be told, so a read outside cannot be excluded"

    assert audit([fine, peeked], seat).model_dump() == {
        "uses": 3,
        "denied": 0,
        "walled": False,
        "outside": [
            {"exchange": 1, "use": "t1", "tool": "Bash", "what": what, "why": why}
            for what, why in (
                ("/etc/passwd", "it lies outside the workspace"),
                ("linked/out", "a link in the workspace leads out of it"),
                ("wc …", cannot_tell),
                ("…", cannot_tell),
            )
        ],
    }


@pytest.mark.parametrize(
    ("name", "given", "caught"),
    [
        ("Read", {"file_path": "{app}/src/a.py"}, False),
        ("Read", {"file_path": "src/a.py"}, False),
        ("Read", {"file_path": "../lib/core.py"}, False),
        ("Read", {"file_path": "{app}/.git/HEAD"}, False),
        ("Read", {"file_path": "{home}/.claude/projects/-ws-app/sid/tool-results/b1.txt"}, False),
        ("Read", {"file_path": "{home}/.claude/projects/-ws-app/sid.jsonl"}, True),
        ("Read", {"file_path": "{home}/memory.db"}, True),
        ("Read", {"file_path": "{home}/var/x"}, True),
        ("Read", {"file_path": "~/memory.db"}, True),
        ("Read", {"file_path": "/etc/hostname"}, True),
        ("Read", {"file_path": "{app}/../../secret.txt"}, True),
        ("Read", {"file_path": "{app}/linked/out"}, True),
        ("Read", {"file_path": "linked/folder/secret.txt"}, True),
        ("Read", {"file_path": "{app}-other/x"}, False),  # in the workspace, whether there or not
        ("NotebookRead", {"notebook_path": "/data/x.ipynb"}, True),
        ("LS", {"path": "/"}, True),
        ("LS", {"path": "."}, False),
        ("Grep", {"pattern": "/etc/passwd"}, False),
        ("Grep", {"pattern": "x", "path": "src", "glob": "**/*.py"}, False),
        ("Grep", {"pattern": "x", "path": ".."}, False),
        ("Grep", {"pattern": "x", "path": "../.."}, True),
        ("Grep", {"pattern": "x", "path": "/etc"}, True),
        ("Glob", {"pattern": "**/*.py"}, False),
        ("Glob", {"pattern": "../**"}, False),
        ("Glob", {"pattern": "../../**"}, True),
        ("Glob", {"pattern": "/etc/*"}, True),
        ("Glob", {"pattern": "*", "path": "/etc"}, True),
        ("Glob", {"pattern": "../*", "path": ".."}, True),
        ("Glob", {"pattern": "*/*/x"}, False),
        ("read", {"filePath": "/etc/hostname"}, True),
        ("exec_command", {"cmd": "cat /etc/hostname"}, True),
        ("shell", {"command": ["bash", "-lc", "cat /etc/hostname"]}, True),
        ("shell", {"command": ["cat", "src/a.py"]}, False),
        ("Bash", {"script": "ls"}, True),
        ("WebFetch", {"url": "https://example.com"}, True),
        ("WebSearch", {"query": "x"}, True),
        ("Agent", {"prompt": "look around"}, True),
        ("Edit", {"file_path": "/etc/hostname", "old_string": "/a", "new_string": "/b"}, True),
        ("Edit", {"file_path": "src/a.py", "old_string": "/a", "new_string": "/b"}, False),
        ("mcp__memory__recall", {"query": "/etc/passwd"}, False),
        ("Peek", {"where": {"files": ["src/a.py", "/etc/passwd"]}}, True),
        ("Peek", {"where": {"files": ["src/a.py", "and /etc"]}}, False),
        ("TodoWrite", {"todos": [{"content": "Read src/a.py"}]}, False),
    ],
)
def test_each_tool_is_held_to_the_workspace(
    seat: Seat, name: str, given: dict[str, JsonValue], caught: bool
) -> None:
    place = without_links(seat) if name == "Glob" else seat

    def filled(value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return value.replace("{app}", str(place.cwd)).replace("{home}", str(place.home))
        return value

    use = used(name, {key: filled(value) for key, value in given.items()})

    assert bool(audit([exchange(use)], place).outside) is caught


@pytest.mark.parametrize(
    "pattern", ["linked/*", "linked/*/*", "*/out", "*/*", "**", "**/*.txt", "linked/folder/**"]
)
def test_a_pattern_that_goes_through_a_link_is_found(seat: Seat, pattern: str) -> None:
    assert found(seat, used("Glob", {"pattern": pattern})) == [pattern]


def test_a_denied_attempt_is_counted_and_is_no_finding(seat: Seat) -> None:
    denied = used("Read", {"file_path": "/etc/passwd"}, "denied")
    told = bash("cat /etc/passwd", "failed")
    uses = exchange(denied, told, bash("ls"), denied=("t1",))

    assert audit([uses], seat) == Audit(uses=1, denied=2, outside=[])


def test_a_tool_for_files_that_found_nothing_read_nothing(seat: Seat) -> None:
    missing = used("Read", {"file_path": "/nonexistent"}, "failed", "File does not exist.")
    refused = used("Grep", {"pattern": "x", "path": "/root"}, "failed", "Permission denied")

    assert audit([exchange(missing, refused)], seat) == Audit(uses=2, denied=0, outside=[])


def test_a_tool_for_files_that_failed_for_a_reason_nobody_knows_may_have_read(seat: Seat) -> None:
    assert found(seat, used("Read", {"file_path": "/etc/x"}, "failed", "Stopped after page 3")) == ["/etc/x"]


@pytest.mark.parametrize("name", ["WebFetch", "Task", "Write"])
def test_a_tool_that_the_model_was_not_given_read_nothing(seat: Seat, name: str) -> None:
    said = f"<tool_use_error>Error: No such tool available: {name}. {name} is disabled for this session."
    given: dict[str, JsonValue] = {"url": "http://127.0.0.1/", "file_path": "/etc/passwd"}

    assert audit([exchange(used(name, given, "failed", said))], seat) == Audit(uses=1, denied=0, outside=[])
    assert found(seat, used(name, given, "failed", "Stopped after page 3")) != []


def test_a_command_that_failed_may_have_read_all_the_same(seat: Seat) -> None:
    assert found(seat, bash("cat /etc/passwd /nowhere", "failed")) == ["/etc/passwd", "/nowhere"]


def test_a_use_whose_end_is_not_known_is_judged_as_one_that_ran(seat: Seat) -> None:
    assert found(seat, bash("cat /etc/passwd", "unknown")) == ["/etc/passwd"]


def test_the_shell_stays_where_an_earlier_command_went(seat: Seat) -> None:
    far = "../../../../secret.txt"

    assert found(seat, bash("cd src/deep && ls"), bash("cat ../../../README.md")) == []
    assert found(seat, bash("cat ../../../README.md")) == ["../../../README.md"]
    assert found(seat, bash("cd src/deep && ls"), bash(f"cat {far}")) == [far]
    assert found(seat, bash("cd src/deep"), used("Read", {"file_path": "../../../README.md"})) == []
    # Whether a command that failed had moved before cannot be told.
    assert found(seat, bash("cd src/deep && ls x", "failed"), bash("cat ../../../x")) == ["../../../x"]


def test_a_new_exchange_begins_at_the_top(seat: Seat) -> None:
    first, second = exchange(bash("cd src/deep")), exchange(bash("cat ../../secret.txt"))

    assert [finding.exchange for finding in audit([first, second], seat).outside] == [1]


def test_links_in_a_circle_lead_nowhere_and_a_link_to_nothing_outside_leads_out(tmp_path: Path) -> None:
    app = tmp_path / "ws" / "app"
    app.mkdir(parents=True)
    (app / "round").symlink_to(app / "again")
    (app / "again").symlink_to(app / "round")
    place = Seat(
        tmp_path / "home", tmp_path / "ws", app, (), {"HOME": str(tmp_path / "home")}, tmp_path / "outputs"
    )
    assert found(place, bash("grep -R foo ."), bash("cat round"), used("Read", {"file_path": "round"})) == []

    (app / "gone").symlink_to(tmp_path / "nothing")

    assert found(place, bash("grep -R foo ."), bash("cat gone"), bash("cat $X && grep -R foo $X")) == [
        ".",
        "gone",
        "cat …",
        "…",
        "grep -R foo …",
    ]


def test_a_home_of_another_run_is_outside(seat: Seat) -> None:
    other = seat.workspace.parents[1] / "2/home/.claude/projects/p/s/tool-results/x"

    assert found(seat, used("Read", {"file_path": str(other)})) == [str(other)]


def test_a_long_command_is_cut(seat: Seat) -> None:
    (finding,) = audit([exchange(bash("make " + "x" * 500))], seat).outside

    assert (len(finding.what), finding.what[-1]) == (300, "…")


WORDS = st.text(st.sampled_from("ab/.~$*?[]{}()<>|&;'\"\\`!# \n\t-=:,EOF0é\0"), max_size=40)


@given(WORDS)
@settings(max_examples=200)
def test_no_text_whatever_breaks_the_audit(seat: Seat, text: str) -> None:
    uses = exchange(bash(text), used("Glob", {"pattern": text}), used("Read", {"file_path": text}))

    assert audit([uses], seat).uses == 3


NAMES = st.text(st.sampled_from("abc.-_ '\"$*é"), min_size=1, max_size=8).filter(
    lambda name: name.strip(". ") != ""
)


@given(
    st.sampled_from(["cat", "head", "less", "head -n 3", "cat -n", "tail -n +2"]),
    st.lists(NAMES, min_size=1, max_size=3),
    st.sampled_from(["", "cd src && ", "ls; ", "true || ", "git status | "]),
    st.sampled_from(["", " | wc -l", " 2>/dev/null", "; true", " || true"]),
    st.lists(st.sampled_from(["src/a.py", "README.md"]), max_size=2),
)
def test_an_absolute_path_outside_is_found_however_it_stands_in_a_command(
    seat: Seat, program: str, names: list[str], before: str, after: str, inside: list[str]
) -> None:
    path = "/elsewhere/" + "/".join(names)
    quoted = "'" + path.replace("'", "'\\''") + "'"
    command = f"{before}{program} {' '.join([*inside, quoted])}{after}"

    assert path in found(seat, bash(command))
