"""``keys.md``: one checkable fact a line, each with the place where it was verified.

::

    # Session key
    - The limit is 5. [session 0f3a1c]
    - It is read from a file. [session 0f3a1c] (wrong)

    # Truth key
    - The limit is read from RETRY_LIMIT. [app: app/retry.py:12-18]
"""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath

from truerecall.errors import StudyError
from truerecall.study.design import FilePlace, KeyFact, KeyKind, Place, SessionPlace

HEADINGS: dict[KeyKind, str] = {"session": "# Session key", "truth": "# Truth key"}
"""Under which heading the facts of a key stand."""
WRONG = " (wrong)"
"""Ends a fact that the session concluded, and that is not so."""

# The place is the last bracket that can be one: a path may hold brackets itself.
_FACT = re.compile(
    r"(?P<text>.*)\[(?P<place>session [^\s\[\]]+|[\w.-]+: \S.*?:[0-9]+(?:-[0-9]+)?)\](?P<wrong> \(wrong\))?"
)
_FILE = re.compile(r"(?P<repository>[\w.-]+): (?P<path>\S.*?):(?P<first>[0-9]+)(?:-(?P<last>[0-9]+))?")
EXAMPLE = "such as `- The limit is read from RETRY_LIMIT. [app: app/retry.py:12-18]`"
"""A fact of the truth key, for whom one is missing."""
_EXAMPLE = (
    "Write it like `- The limit is 5. [app: app/retry.py:12-18]` or `- The limit is 5. [session 0f3a1c]`."
)


def read_keys(text: str, path: Path, repositories: Collection[str]) -> dict[KeyKind, tuple[KeyFact, ...]]:
    """The facts of both keys.

    Args:
        text: Of the file.
        path: For what is said of it.
        repositories: Those that the question is asked about.

    Raises:
        StudyError: A line is no heading, no fact, no comment and not empty; or a fact names no usable place.
    """
    found: dict[KeyKind, list[KeyFact]] = {}
    key: KeyKind | None = None
    for number, line in _lines(text, path):
        where = f"{path}:{number}"
        if line.startswith("#"):
            key = _heading(line, where)
            if key in found:
                raise StudyError(
                    f"the heading stands there twice: {line}", where=where, remedy="Put its facts together."
                )
            found[key] = []
        elif key is None:
            raise StudyError(
                "this stands under no heading",
                where=where,
                remedy=f"Write {' or '.join(HEADINGS.values())} above it.",
            )
        else:
            found[key].append(_fact(line, len(found[key]) + 1, key, (number, where), repositories))
    return {kind: tuple(found.get(kind, ())) for kind in HEADINGS}


def key_text(session: Sequence[KeyFact], truth: Sequence[KeyFact], control: bool = False) -> str:
    """What ``read_keys`` reads again; a control has no session key."""
    parts = [] if control and not session else [(HEADINGS["session"], session)]
    parts.append((HEADINGS["truth"], truth))
    return "\n".join(
        "\n".join([heading, "", *map(fact_line, facts), ""] if facts else [heading, ""])
        for heading, facts in parts
    )


def fact_line(fact: KeyFact) -> str:
    """A fact as its line."""
    return f"- {fact.text} [{fact.place}]{WRONG if fact.wrong else ''}"


def _lines(text: str, path: Path) -> Iterator[tuple[int, str]]:
    """Those that say something, with their numbers; comments are left out."""
    begun = 0
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip()
        if begun or line.startswith("<!--"):
            begun = 0 if "-->" in line else begun or number
        elif line:
            yield number, line
    if begun:
        raise StudyError("the comment has no end", where=f"{path}:{begun}", remedy="Close it with -->.")


def _heading(line: str, where: str) -> KeyKind:
    for kind, heading in HEADINGS.items():
        if " ".join(line.lower().split()) == heading.lower():
            return kind
    raise StudyError(
        f"the heading is unknown: {line}", where=where, remedy=f"Use {' or '.join(HEADINGS.values())}."
    )


def _fact(
    line: str, number: int, key: KeyKind, at: tuple[int, str], repositories: Collection[str]
) -> KeyFact:
    place_of_line, where = at
    if not line.startswith(("- ", "* ")):
        raise StudyError("this is no fact", where=where, remedy=f"One fact a line. {_EXAMPLE}")
    match = _FACT.fullmatch(line[2:])
    if match is None:
        raise StudyError("the fact names no place where it was verified", where=where, remedy=_EXAMPLE)
    text = match["text"].strip()
    if not text:
        raise StudyError("the fact says nothing", where=where, remedy=_EXAMPLE)
    wrong = match["wrong"] is not None
    if wrong and key == "truth":
        raise StudyError(
            "a fact of the truth key cannot be wrong",
            where=where,
            remedy="Mark what the session concluded wrongly in the session key, and write here what is so.",
        )
    return KeyFact(number, text, _place(match["place"], where, repositories), wrong, place_of_line)


def _place(written: str, where: str, repositories: Collection[str]) -> Place:
    if written.startswith("session "):
        return SessionPlace(written.removeprefix("session "))
    match = _FILE.fullmatch(written)
    assert match is not None  # the fact's own form has found it
    repository, path = match["repository"], match["path"]
    first = int(match["first"])
    last = int(match["last"] or first)
    if repository not in repositories:
        raise StudyError(
            f"the question names no commit of {repository!r}",
            where=where,
            remedy=f"It is asked about: {', '.join(repositories) or 'nothing yet; see [commits] in question.toml'}.",
        )
    parts = PurePosixPath(path).parts
    if path.startswith("/") or "\\" in path or ".." in parts or str(PurePosixPath(path)) != path:
        raise StudyError(
            f"{path!r} is no path below the top of the repository",
            where=where,
            remedy="Write it with slashes, from the top: app/retry.py.",
        )
    if first < 1 or last < first:
        raise StudyError(
            f"{first}-{last} are no lines",
            where=where,
            remedy="Lines count from 1, the first before the last.",
        )
    return FilePlace(repository, path, first, last)
