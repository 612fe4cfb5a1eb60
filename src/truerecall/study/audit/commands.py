"""What a command of a shell may have read outside the workspace, as far as its text tells."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from truerecall.study.audit.git_commands import look_at_git
from truerecall.study.audit.ground import CANNOT_TELL, LINK, OUTSIDE, Ground
from truerecall.study.audit.names import lists_names, passes_on
from truerecall.study.audit.programs import (
    INTERPRETERS,
    NETWORK,
    PROGRAMS,
    SHELLS,
    WRAPPERS,
    Reads,
    changes_git,
    taken,
)
from truerecall.study.audit.scripts import computes, paths_in, reads_by_itself
from truerecall.study.audit.shell import UNKNOWN, Script, Simple, Unreadable, Word, read_script
from truerecall.study.audit.words import LISTED, Argument, expanded

RUNS = "it runs code of which it cannot be told what it reads"
NOT_KNOWN = "it is not known what this program reads"
BEYOND = "it asks another machine or repository"
CHANGES = "it changes where commands look, so a read outside cannot be excluded"

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\+?=", re.ASCII)
_TELLING = re.compile(
    r"(?:CDPATH|PATH|HOME|IFS|ENV|BASH_ENV|SHELLOPTS|LD_\w+|GIT_(?!PAGER$)\w+|PYTHON\w*|LESS\w+)"
)
_PAGERS = frozenset({"PAGER", "GIT_PAGER", "MANPAGER"})
_DECLARING = frozenset({"export", "declare", "local", "readonly", "typeset"})
_ABOUT = frozenset({"--version", "-V", "-v", "version", "--help", "-h"})
_FOLDERS = frozenset({"/bin", "/usr/bin", "/usr/local/bin"})
_TESTS = frozenset(f"-{letter}" for letter in "abcdefghkprstuwxGLNOS") | {"-nt", "-ot", "-ef"}
_STARTS = frozenset({"(", ")", "!", ","})
_NAMED = frozenset({"-samefile", "-files0-from", "-fprint", "-fprint0", "-fprintf", "-fls"})
_EXECUTES = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


class CommandAudit:
    """Looks at the commands of one shell, in their order; ``cwds`` are the folders in which it may be by then."""

    def __init__(self, ground: Ground, cwds: Sequence[Path], environment: Mapping[str, str]) -> None:
        self.ground = ground
        self.cwds = list(cwds)
        self.found: list[tuple[str, str]] = []
        """What, and why."""
        self._values: dict[str, tuple[str, ...]] = {name: (value,) for name, value in environment.items()}
        self._values |= {"PWD": tuple(map(str, self.cwds)), "HOME": (ground.home,)}

    def look(self, command: str) -> None:
        """At one command line, or a script."""
        try:
            script = read_script(command)
        except Unreadable as unread:
            self.add(command, f"the shell's words are not understood at {unread}: {CANNOT_TELL}")
        else:
            self._script(script)

    def add(self, what: str, why: str) -> None:
        """A finding, once."""
        shown = what.replace(UNKNOWN, "…")
        if (shown, why) not in self.found:
            self.found.append((shown, why))

    def file(self, argument: Argument) -> None:
        """An argument that is opened, from wherever the shell may be."""
        for cwd in self.cwds:
            why = self.ground.why(argument.text, cwd)
            if argument.pattern:
                why = self.ground.why_pattern(argument.pattern, cwd)
            if why is not None:
                self.add(argument.text, why)
                return

    def path(self, text: str, *, pattern: bool) -> None:
        """A path, or a pattern of paths, that a tool was given without a shell."""
        home, slash, rest = text.partition("/")
        told = f"{self.ground.home}{slash}{rest}" if home == "~" else text
        self.file(Argument(told, told if pattern else ""))

    def enter(self, folder: Argument) -> None:
        """Go on in another folder."""
        self._change("cd", [folder])

    def links(self, *folders: str) -> None:
        """Links that are met below folders are followed."""
        known = [folder for folder in folders or (".",) if UNKNOWN not in folder]
        if any(self.ground.leads_out(cwd / folder) for cwd in self.cwds for folder in known):
            self.add(" ".join(known), LINK)

    def _script(self, script: Script) -> None:
        for pipeline in script:
            before = list(self.cwds)
            for number, part in enumerate(pipeline.parts):
                self._stand(before)
                self._part(part, fed=pipeline.parts[:number])
            if len(pipeline.parts) > 1 or pipeline.background:
                self._stand(before)
            elif pipeline.conditional:
                self._stand([*before, *self.cwds])

    def _stand(self, cwds: Sequence[Path]) -> None:
        self.cwds = list(dict.fromkeys(cwds))
        self._values["PWD"] = tuple(map(str, self.cwds))

    def _part(self, part: Simple, fed: Sequence[Simple]) -> None:
        for redirection in part.redirections:
            targets = self._expanded(redirection.target)
            if redirection.operator in ("<<", "<<<"):
                continue
            stream = r"\d+-?|-" if redirection.operator in (">&", "<&") else "(?!)"
            files = [target for target in targets if not re.fullmatch(stream, target.text)]
            self.plain("tee" if ">" in redirection.operator else "cat", files, PROGRAMS["cat"])
        if part.group is not None:
            cwds, values = list(self.cwds), dict(self._values)
            self._script(part.group)
            self._stand(cwds)
            self._values = values
        elif part.loop:
            arguments = [each for word in part.words for each in self._expanded(word)]
            for each in arguments:
                if each.pattern:
                    self.file(each)
            self._values[part.loop] = tuple(each.text for each in arguments)
        else:
            self._simple(part.words, fed)

    def _expanded(self, word: Word) -> list[Argument]:
        """What a word becomes; the scripts within it are looked at."""
        for piece in word.pieces:
            if piece.kind == "output":
                before, values = list(self.cwds), dict(self._values)
                self._script(piece.script)
                self._stand(before)
                self._values = values
        found = expanded(word, self._values, self.ground.home, self._printed)
        if any(LISTED in each.text for each in found):
            self.links()
        return found

    def _simple(self, words: Sequence[Word], fed: Sequence[Simple]) -> None:
        assigned = 0
        while assigned < len(words) and (name := _assigned(words[assigned])):
            values = self._expanded(_without(words[assigned], len(name.group())))
            self._assign(name.group(1), [value.text for value in values], kept=False)
            assigned += 1
        if assigned == len(words):
            for word in words:
                name = _assigned(word)
                texts = (
                    [each.text for each in self._expanded(_without(word, len(name.group())))] if name else []
                )
                if name:
                    self._assign(name.group(1), texts, kept=True)
            return
        self.command([each for word in words[assigned:] for each in self._expanded(word)], fed)

    def _assign(self, name: str, texts: Sequence[str], *, kept: bool) -> None:
        if name in _PAGERS and any(text not in ("", "cat", "less") for text in texts):
            self.add(f"{name}={texts[0]}", RUNS)
        if _TELLING.fullmatch(name):
            self.add(f"{name}={' '.join(texts)}", CHANGES)
        if kept:
            # Which of several assignments came last cannot be told where one may not have run.
            known = self._values.get(name, ())
            self._values[name] = tuple(dict.fromkeys((*known, *texts)))

    def command(self, arguments: Sequence[Argument], fed: Sequence[Simple] = ()) -> None:
        """One command with its arguments, its name first."""
        name, rest = self._name(arguments[0].text), arguments[1:]
        texts = [each.text for each in rest]
        if UNKNOWN in name or not name:
            self.add(" ".join([name, *texts]), CANNOT_TELL)
        elif "/" in name or name in (".", "source", "eval"):
            self.add(" ".join([name, *texts]), RUNS)
        elif name in ("cd", "pushd", "popd"):
            self._change(name, rest)
        elif name in NETWORK:
            self.add(" ".join([name, *texts]), BEYOND)
        elif name == "git":
            before = list(self.cwds)
            look_at_git(self, rest)
            self._stand(before)
        elif name == "find":
            self._find(rest)
        elif name == "xargs":
            self._xargs(rest, fed)
        elif name == "env":
            self._env(rest)
        elif name in WRAPPERS:
            self._wrapped(name, rest)
        elif name in _DECLARING or name == "read" or (name == "printf" and "-v" in texts):
            self._declare(name, texts)
        elif name in ("[", "test", "[["):
            self._test(rest)
        elif texts and _ABOUT.issuperset(texts):
            return
        elif name in INTERPRETERS:
            self._interpreter(name, texts)
        elif name in PROGRAMS:
            self.plain(name, rest, PROGRAMS[name])
        else:
            self.add(" ".join([name, *texts]), NOT_KNOWN)

    def _name(self, text: str) -> str:
        return text.rpartition("/")[2] if text.rpartition("/")[0] in _FOLDERS else text

    def plain(self, name: str, arguments: Sequence[Argument], how: Reads) -> None:
        """A program that takes its arguments as a table says."""
        if not how.opens:
            for each in arguments:
                self._names_by_pattern(each)
            return
        texts = [each.text for each in arguments]
        if any(UNKNOWN in text for text in texts):
            self.add(" ".join([name, *texts]), CANNOT_TELL)
        if changes_git(name, texts):
            self.add(" ".join([name, *texts]), CHANGES)
        made = taken(texts, how)
        for number, each in enumerate(arguments):
            if number in made.files:
                self.file(each)
            else:
                self._names_by_pattern(each)
        for text in made.attached:
            self.file(Argument(text))
        if made.follows:
            self.links(*(texts[number] for number in made.files))
        if made.runs or any(reads_by_itself(name, text) for text in made.scripts):
            self.add(" ".join([name, *texts]), RUNS)

    def _names_by_pattern(self, argument: Argument) -> None:
        """The shell itself lists what an unquoted pattern matches, whatever the command does with it."""
        if argument.pattern and any(self.ground.matches_outside(argument.pattern, cwd) for cwd in self.cwds):
            self.add(argument.text, OUTSIDE)

    def _change(self, name: str, arguments: Sequence[Argument]) -> None:
        targets = [each.text for each in arguments if each.text not in ("-L", "-P", "--", "-e")]
        if name == "popd" or "-" in targets or any(target.startswith("+") for target in targets):
            self.add(" ".join([name, *targets]), CANNOT_TELL)
            return
        stands: list[Path] = []
        for cwd in self.cwds:
            for target in targets or [self.ground.home]:
                why = self.ground.why(target, cwd)
                if why is not None:
                    self.add(f"{name} {target}", why)
                there = Path(os.path.normpath(cwd / target))
                stands.append(there if why is None and there.is_dir() else cwd)
        self._stand(stands)

    def _find(self, arguments: Sequence[Argument]) -> None:
        texts = [each.text for each in arguments]
        if any(UNKNOWN in text for text in texts):
            self.add(" ".join(["find", *texts]), CANNOT_TELL)
        starts = 0
        while starts < len(texts) and not (
            texts[starts] in _STARTS
            or (texts[starts].startswith("-") and texts[starts] not in ("-H", "-L", "-P"))
        ):
            starts += 1
        for each in arguments[:starts]:
            if each.text not in ("-H", "-L", "-P"):
                self.file(each)
        if "-L" in texts or "-follow" in texts:
            self.links(*(text for text in texts[:starts] if not text.startswith("-")))
        for number, text in enumerate(texts[starts:], starts):
            if text in _NAMED or text.startswith(("-newer", "-anewer", "-cnewer")):
                self.file(Argument(" ".join(texts[number + 1 : number + 2])))
            elif text in _EXECUTES:
                ends = [place for place in range(number, len(texts)) if texts[place] in (";", "+")]
                self._for_names(texts[number + 1 : ends[0] if ends else len(texts)], "{}")

    def _for_names(self, command: Sequence[str], sign: str) -> None:
        """A command that gets names from inside the workspace, in the place of a sign."""
        self.links()
        if command:
            self.command([Argument(text.replace(sign, LISTED) if sign else text) for text in command])

    def _xargs(self, arguments: Sequence[Argument], fed: Sequence[Simple]) -> None:
        texts = [each.text for each in arguments]
        place, sign = 0, ""
        while place < len(texts) and texts[place].startswith("-"):
            option = texts[place]
            if option[:2] in ("-I", "-n", "-P", "-L", "-d", "-s", "-E") and len(option) == 2:
                place += 1
            if option[:2] == "-I":
                sign = option[2:] or " ".join(texts[place : place + 1])
            if option.startswith(("-a", "--arg-file")):
                self.add(" ".join(["xargs", *texts]), CANNOT_TELL)
            place += 1
        if not self._feeds_names(fed):
            self.add(" ".join(["xargs", *texts]), f"its arguments come from a pipe: {CANNOT_TELL}")
        command = texts[place:] or ["echo"]
        self._for_names(command if sign else [*command, LISTED], sign)

    def _env(self, arguments: Sequence[Argument]) -> None:
        texts = [each.text for each in arguments]
        before, place = list(self.cwds), 0
        while place < len(texts) and (texts[place].startswith("-") or _ASSIGNED.match(texts[place])):
            option = texts[place]
            place += 1
            if option in ("-C", "--chdir"):
                self._change("cd", arguments[place : place + 1])
                place += 1
            elif option.startswith(("-C", "--chdir=")):
                self._change("cd", [Argument(option.removeprefix("--chdir=").removeprefix("-C"))])
            elif option.startswith(("-S", "--split-string")):
                self.add(" ".join(["env", *texts]), RUNS)
            elif option in ("-u", "--unset"):
                place += 1
            elif name := _ASSIGNED.match(option):
                self._assign(name.group(1), [option[name.end() :]], kept=False)
        if place < len(texts):
            self.command(arguments[place:])
        self._stand(before)

    def _wrapped(self, name: str, arguments: Sequence[Argument]) -> None:
        if name == "command" and arguments and arguments[0].text in ("-v", "-V"):
            return
        place = 0
        while place < len(arguments) and arguments[place].text.startswith("-"):
            place += 2 if arguments[place].text[1:] in tuple(WRAPPERS[name]) else 1
        if name == "timeout":
            place += 1
        if place < len(arguments):
            self.command(arguments[place:])

    def _declare(self, name: str, texts: Sequence[str]) -> None:
        for text in texts:
            assigned = _ASSIGNED.match(text)
            if name in _DECLARING and re.fullmatch(r"-\w*n\w*", text) and name != "export":
                self.add(" ".join([name, *texts]), CHANGES)
            elif name in _DECLARING and assigned:
                self._assign(assigned.group(1), [text[assigned.end() :]], kept=True)
            elif name not in _DECLARING and text.isidentifier():
                self._values[text] = (UNKNOWN,)

    def _test(self, arguments: Sequence[Argument]) -> None:
        for number, each in enumerate(arguments):
            if each.text in _TESTS:
                for neighbour in arguments[max(0, number - (len(each.text) > 2)) : number + 2]:
                    if neighbour.text not in _TESTS:
                        self.file(neighbour)
            else:
                self._names_by_pattern(each)

    def _interpreter(self, name: str, texts: Sequence[str]) -> None:
        flags = [number for number, text in enumerate(texts) if re.fullmatch(r"-[A-Za-z]*[ce]", text)]
        code = texts[flags[0] + 1] if flags and flags[0] + 1 < len(texts) else ""
        if name in SHELLS and flags and UNKNOWN not in code and "--" not in "".join(texts[: flags[0]]):
            before, values = list(self.cwds), dict(self._values)
            self.look(code)
            self._stand(before)
            self._values = values
            return
        for text in texts:
            for path in paths_in(text):
                self.file(Argument(path.replace("~", self.ground.home, 1) if path.startswith("~") else path))
        if not (name.startswith("python") and len(texts) == 2 and computes(code)):
            self.add(" ".join([name, *texts]), RUNS)

    def _printed(self, script: Script) -> str:
        """What a script prints, where that can be told."""
        commands = [_plain_words(part) for pipeline in script for part in pipeline.parts]
        if commands == [["pwd"]]:
            return "."
        if commands == [["git", "rev-parse", "--show-toplevel"]]:
            tops = {self.ground.repository(cwd) for cwd in self.cwds}
            return tops.pop() if len(tops) == 1 else UNKNOWN
        return LISTED if all(self._feeds_names(pipeline.parts) for pipeline in script) else UNKNOWN

    def _feeds_names(self, parts: Sequence[Simple]) -> bool:
        """Whether these print nothing but names of files inside, one a line."""
        commands = [_plain_words(part) for part in parts]
        return bool(commands) and lists_names(commands[0]) and all(map(passes_on, commands[1:]))


def _assigned(word: Word) -> re.Match[str] | None:
    first = word.pieces[0]
    return _ASSIGNED.match(first.text) if first.kind == "text" and not first.quoted else None


def _without(word: Word, start: int) -> Word:
    first, *others = word.pieces
    rest = type(first)(first.kind, first.text[start:], first.quoted, first.script)
    return Word((rest, *others))


def _plain_words(part: Simple) -> list[str]:
    """The words of a command that are told by its text alone; the others are ``UNKNOWN``."""
    return [
        "".join(piece.text if piece.kind == "text" else UNKNOWN for piece in word.pieces)
        for word in part.words
    ]
