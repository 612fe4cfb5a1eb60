"""Which arguments of a program are files: of the programs with which one looks around, and nothing else.

A letter or an option that is listed wrongly may hide a file, one that is missing only makes the audit too strict.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reads:
    """How a program takes its arguments."""

    skip: int = 0
    """So many of the first arguments are no files, but a pattern or a script."""
    instead: frozenset[str] = frozenset()
    """Options that take the place of those."""
    letters: str = ""
    """Short options whose value is no file."""
    files: str = ""
    """Short options whose value is a file."""
    words: frozenset[str] = frozenset()
    """Long options whose value, glued to them or next, is no file."""
    glued: frozenset[str] = frozenset()
    """Long options whose value is no file, and only ever glued to them."""
    follows: frozenset[str] = frozenset()
    """Options with which it follows links that it meets."""
    runs: frozenset[str] = frozenset()
    """Options with which it runs another program."""
    opens: bool = True
    """Whether it opens its arguments at all."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a program makes of its arguments."""

    files: list[int]
    """The places of arguments that are files."""
    attached: list[str]
    """Values glued to options that may be files."""
    scripts: list[str]
    """Patterns and scripts."""
    follows: bool
    runs: bool


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SEARCH = "regexp after-context before-context context max-count"
_GREP = Reads(
    1,
    _set("e f regexp file"),
    "eABCmdD",
    "f",
    _set(f"{_SEARCH} include exclude exclude-dir label binary-files devices directories group-separator"),
    follows=_set("R dereference-recursive"),
)
_NO_FILES = Reads(opens=False)
_PLAIN = Reads()

PROGRAMS: dict[str, Reads] = {
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "zgrep": _GREP,
    "rg": Reads(
        1,
        _set("e f regexp file files type-list"),
        "eABCmgtTrjMEd",
        "f",
        _set(
            f"{_SEARCH} glob iglob type type-not type-add max-depth replace threads max-columns encoding sort sortr"
            " color colors engine path-separator context-separator max-filesize"
        ),
        follows=_set("L follow"),
        runs=_set("pre hostname-bin"),
    ),
    "sed": Reads(1, _set("e f expression file"), "el", "f", _set("expression line-length")),
    "awk": Reads(1, _set("f file"), "vF", "f", _set("assign field-separator")),
    "jq": Reads(1, _set("f from-file"), "", "fL", _set("indent")),
    "cut": Reads(letters="bcdf", words=_set("bytes characters delimiter fields output-delimiter")),
    "head": Reads(letters="nc", words=_set("lines bytes")),
    "tail": Reads(letters="ncs", words=_set("lines bytes pid sleep-interval")),
    "sort": Reads(
        letters="ktS",
        files="oT",
        words=_set("key field-separator buffer-size parallel"),
        runs=_set("compress-program"),
    ),
    "uniq": Reads(letters="fsw", words=_set("skip-fields skip-chars check-chars")),
    "nl": Reads(letters="bdfhilnsvw"),
    "od": Reads(letters="AjNtw"),
    "xxd": Reads(letters="cglso"),
    "hexdump": Reads(letters="nse", files="f"),
    "strings": Reads(letters="ntT"),
    "stat": Reads(letters="c", words=_set("format printf")),
    "file": Reads(letters="F", files="fm"),
    "ls": Reads(
        letters="IwT",
        words=_set("ignore hide width tabsize sort time time-style format block-size quoting-style"),
        follows=_set("L dereference"),
    ),
    "tree": Reads(letters="LIPH", files="o", words=_set("filelimit charset timefmt"), follows=_set("l")),
    "du": Reads(
        letters="dtB",
        files="X",
        words=_set("max-depth threshold exclude block-size time-style"),
        follows=_set("L dereference"),
    ),
    "diff": Reads(
        letters="xIUCWF",
        files="X",
        words=_set("exclude ignore-matching-lines unified context width label show-function-line"),
        follows=_set("r recursive"),
    ),
    "column": Reads(letters="stcoNHRT", words=_set("separator table output-separator")),
    "paste": Reads(letters="d", words=_set("delimiters")),
    "fold": Reads(letters="w", words=_set("width")),
    "less": Reads(letters="pxz", words=_set("pattern")),
    "date": Reads(letters="d", files="fr", words=_set("date")),
    "cp": Reads(follows=_set("L r R dereference recursive")),
}
PROGRAMS |= {"gawk": PROGRAMS["awk"], "mawk": PROGRAMS["awk"]}
PROGRAMS |= dict.fromkeys(
    _set(
        "base64 bat cat chmod cksum cmp comm expand ln md5sum mkdir more mv readlink realpath rev rm rmdir sha1sum"
        " sha256sum shuf tac tee touch truncate unexpand wc zcat"
    ),
    _PLAIN,
)
PROGRAMS |= dict.fromkeys(
    _set(
        ": arch basename break cal clear continue dirname echo exit expr factor false hash hostname id jobs let nproc"
        " numfmt printenv printf pwd return seq set shopt sleep tput tr true type ulimit umask uname unset wait which"
        " whoami yes"
    ),
    _NO_FILES,
)

INTERPRETERS = _set(
    "bash bun dash deno fish irb ksh lua node nodejs osascript perl php pwsh python python2 python3 ruby Rscript sh zsh"
)
_WRITERS = _set("chmod cp ln mkdir mv tee touch truncate")
SHELLS = _set("bash dash ksh sh zsh")
NETWORK = _set("curl ftp gh nc ncat netcat rsync scp sftp socat ssh telnet wget")
WRAPPERS: dict[str, str] = {
    "builtin": "",
    "command": "",
    "exec": "a",
    "nice": "n",
    "nohup": "",
    "stdbuf": "ioe",
    "sudo": "ugCDhpRrTt",
    "time": "fo",
    "timeout": "ks",
}
"""Programs that run another one, with their short options that have a value."""


def taken(arguments: Sequence[str], how: Reads) -> Taken:
    """What a program makes of its arguments; ``arguments`` are those after its name."""
    made = Taken([], [], [], False, False)
    follows = runs = False
    skip, place, positional = how.skip, 0, list[int]()
    while place < len(arguments):
        text = arguments[place]
        place += 1
        if text == "--":
            positional += range(place, len(arguments))
            break
        if text.startswith("--"):
            name, equals, value = text[2:].partition("=")
            skip = 0 if name in how.instead else skip
            follows, runs = follows or name in how.follows, runs or name in how.runs
            if name in how.words:
                if name in how.instead:
                    made.scripts.append(value if equals else "".join(arguments[place : place + 1]))
                place += not equals
            elif equals and name not in how.glued:
                made.attached.append(value)
        elif text.startswith("-") and len(text) > 1:
            letters, skip, place = _cluster(text[1:], how, made, arguments, place, skip)
            follows = follows or bool(how.follows.intersection(letters))
            runs = runs or bool(how.runs.intersection(letters))
        else:
            positional.append(place - 1)
    made.scripts.extend(arguments[number] for number in positional[:skip])
    made.files.extend(positional[skip:])
    return Taken(made.files, made.attached, made.scripts, follows, runs)


def changes_git(name: str, arguments: Sequence[str]) -> bool:
    """Whether a program may write where git looks for its settings, hooks and other repositories."""
    writes = name in _WRITERS or (
        name == "sed" and any(text.startswith(("-i", "--in-place")) for text in arguments)
    )
    return writes and any(".git" in text.split("/") for text in arguments)


def _cluster(
    letters: str, how: Reads, made: Taken, arguments: Sequence[str], place: int, skip: int
) -> tuple[str, int, int]:
    """One word of short options: ``-rn``, ``-A3``, ``-n 5``. The letters, and where to go on."""
    for number, letter in enumerate(letters):
        skip = 0 if letter in how.instead else skip
        rest = letters[number + 1 :]
        if letter in how.letters or letter in how.files:
            value = rest or "".join(arguments[place : place + 1])
            if letter in how.files:
                made.attached.append(value)
            elif letter in how.instead:
                made.scripts.append(value)
            return letters[: number + 1], skip, place + (not rest)
        if not letter.isalnum():
            made.attached.append(letters[number:])
            return letters[:number], skip, place
    return letters, skip, place
