"""Which arguments of git name files, where git looks besides the workspace, and what it runs."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from truerecall.study.audit.programs import PROGRAMS, Reads
from truerecall.study.audit.shell import UNKNOWN
from truerecall.study.audit.words import Argument

_OTHERS = frozenset(
    {
        "archive",
        "clone",
        "fetch",
        "fetch-pack",
        "ls-remote",
        "pull",
        "push",
        "request-pull",
        "send-email",
        "svn",
    }
)
_OTHERS_BY_WORD = {
    "remote": frozenset({"add", "prune", "set-head", "set-url", "show", "update"}),
    "submodule": frozenset({"add", "foreach", "init", "set-url", "sync", "update"}),
}
_RUNNING = frozenset(
    {"bisect", "difftool", "filter-branch", "gui", "hook", "instaweb", "maintenance", "mergetool"}
)
_NEXT = frozenset(
    {
        "after",
        "author",
        "before",
        "committer",
        "date",
        "encoding",
        "exclude",
        "format",
        "glob",
        "grep",
        "max-count",
    }
    | {"since", "skip", "sort", "until"}
)
_GLUED = frozenset(
    {
        "abbrev",
        "color-words",
        "decorate-refs",
        "diff-filter",
        "dst-prefix",
        "find-object",
        "line-prefix",
        "pretty",
    }
    | {"src-prefix", "word-diff-regex"}
)
_LOG = Reads(letters="SGnL", words=_NEXT, glued=_GLUED)
_GREP = replace(PROGRAMS["grep"], letters="eABCm", runs=frozenset({"O", "open-files-in-pager"}))
_HOW: dict[str, Reads] = {
    **dict.fromkeys(("log", "show", "whatchanged", "reflog", "shortlog", "rev-list"), _LOG),
    **dict.fromkeys(
        ("diff", "diff-tree", "diff-index", "diff-files"), Reads(letters="SG", words=_NEXT, glued=_GLUED)
    ),
    **dict.fromkeys(("blame", "annotate"), Reads(letters="L", files="S", words=_NEXT, glued=_GLUED)),
    "grep": _GREP,
    "commit": Reads(letters="m", files="Ft", words=frozenset({"author", "date", "message"})),
    "describe": Reads(words=frozenset({"match", "exclude", "candidates"}), glued=_GLUED),
}
_OTHER_LOOKS = Reads(words=_NEXT, glued=_GLUED)
_ALSO = (
    "add branch cat-file check-attr check-ignore checkout cherry cherry-pick clean commit-graph config"
    " count-objects for-each-ref format-patch fsck gc hash-object help init ls-files ls-tree merge merge-base mv"
    " name-rev notes range-diff rebase remote reset restore rev-parse revert rm show-branch show-ref sparse-checkout"
    " stash status submodule switch symbolic-ref tag var verify-commit verify-tag version worktree"
)
_KNOWN = frozenset(_HOW).union(_ALSO.split())
_CALM_KEY = re.compile(
    r"(?:color|log|advice|grep|blame|column|i18n|user|format)\.[\w.-]+|core\.(?:quotepath|abbrev)"
)
_CALM_DIFF = re.compile(r"diff\.(?:renames|renamelimit|context|noprefix|mnemonicprefix|algorithm|colormoved)")

RUNS_PROGRAM = "git may run another program here, and what that reads cannot be told"
OTHER_REPOSITORY = "it asks another repository, in which the future may be"


class Looking(Protocol):
    """What looks at commands."""

    def add(self, what: str, why: str) -> None:
        """Note a finding."""

    def file(self, argument: Argument) -> None:
        """Look at an argument that is opened."""

    def plain(self, name: str, arguments: Sequence[Argument], how: Reads) -> None:
        """Look at the arguments of a program."""

    def enter(self, folder: Argument) -> None:
        """Go on in another folder."""


def look_at_git(looking: Looking, arguments: Sequence[Argument]) -> None:
    """At one call of git, without its name; where it entered a folder the caller goes back."""
    place = _options(looking, arguments)
    if place >= len(arguments):
        return
    command, rest = arguments[place].text, arguments[place + 1 :]
    texts = [each.text for each in rest]
    shown = " ".join(["git", *(each.text for each in arguments)])
    if UNKNOWN in command:
        looking.add(shown, RUNS_PROGRAM)
    elif command in _OTHERS or _OTHERS_BY_WORD.get(command, frozenset()).intersection(texts[:2]):
        looking.add(shown, OTHER_REPOSITORY)
    elif command in _RUNNING or command not in _KNOWN or _prepares(command, texts):
        looking.add(shown, RUNS_PROGRAM)
    else:
        for number, text in enumerate(texts):
            if text.startswith("-L") and command == "log":
                lines = text[2:] or "".join(texts[number + 1 : number + 2])
                looking.file(Argument(lines.rpartition(":")[2] if ":" in lines else ""))
        named = [_no_revision(each, texts) for each in rest]
        looking.plain(f"git {command}", named, _HOW.get(command, _OTHER_LOOKS))


def _options(looking: Looking, arguments: Sequence[Argument]) -> int:
    """Look at the options before the command; the place where that stands."""
    place = 0
    while place < len(arguments) and arguments[place].text.startswith("-"):
        option, equals, value = arguments[place].text.partition("=")
        place += 1
        following = arguments[place : place + 1]
        if option in ("--git-dir", "--work-tree", "--exec-path", "--namespace", "--super-prefix"):
            if not equals and option != "--exec-path":
                place += 1
            for each in [Argument(value)] if equals else following:
                looking.file(each)
        elif option == "-C":
            place += 1
            for each in following:
                looking.enter(each)
        elif option in ("-c", "--config-env"):
            place += not equals
            for each in [Argument(value)] if equals else following:
                _setting(looking, each.text)
        elif option.startswith("-C"):
            looking.enter(Argument(arguments[place - 1].text[2:]))
        elif option.startswith("-c"):
            _setting(looking, arguments[place - 1].text[2:])
    return place


def _prepares(command: str, texts: Sequence[str]) -> bool:
    """Whether a command, harmless otherwise, runs something or changes what a later one of git runs or reads."""
    if command != "config":
        return command == "rebase" and "-x" in texts
    named = [text for text in texts if not text.startswith("-")]
    if any(text.startswith(("--get", "--list")) or text == "-l" for text in texts) or named[:1] in (
        ["get"],
        ["list"],
    ):
        return False
    if named[:1] == ["set"]:
        named = named[1:]
    return len(named) > 1 and _CALM_KEY.fullmatch(named[0].casefold()) is None


def _setting(looking: Looking, text: str) -> None:
    name, _, value = text.partition("=")
    key = name.casefold()
    pager = key.startswith(("core.pager", "pager.")) and value in ("", "cat", "less", "false")
    if not (pager or _CALM_KEY.fullmatch(key) or _CALM_DIFF.fullmatch(key) or key == "safe.directory"):
        looking.add(f"git -c {text}", RUNS_PROGRAM)


def _no_revision(argument: Argument, texts: Sequence[str]) -> Argument:
    """Nothing in place of a file within a revision (``HEAD~2:a.py``) or git's own pattern of paths (``:!docs``)."""
    text = argument.text
    if ":" in text and not text.startswith(("/", "~", ".", "-")) and "--no-index" not in texts:
        return Argument("")
    return argument
