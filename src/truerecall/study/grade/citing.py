"""What a claim points to: the lines, files and names in its words, opened at the commit."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from truerecall.memory.write.mask import mask
from truerecall.study.grade.code import Code, CodeFile

_RUN = re.compile(r"[\w.@+/-]+")
_AT_LINES = re.compile(
    r"[`*\"']*(?::|#L|,? (?:at |in )?lines? )(?P<first>\d{1,7})(?:\s?[-\u2013]\s?L?(?P<last>\d{1,7}))?"
)
_SUFFIX = re.compile(r"\w\.[A-Za-z]\w{0,9}\Z")
_TICKED = re.compile(r"`([^`\n]{1,200})`")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_CODED = re.compile(r"\w_\w|[a-z0-9][A-Z]|^_\w")
_PARAGRAPHS = re.compile(r"\n\s*\n")

_EXCERPTS = 6
_LINES = 40  # of one excerpt, at most
_AROUND = 4  # lines before and after what is cited
_FILES = 2  # that one cited path, or one name, may lead to
_NAMES = 4
_WIDTH = 300  # characters of a line
_LONGEST = 300  # of a path


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file, from 1, both included."""

    file: CodeFile
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Path:
    """What looks like a path in a text, with the lines that are named behind it."""

    path: str
    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Shown:
    """The code that a claim points to."""

    text: str
    """Each excerpt under its place, every line with its number; empty where nothing was found."""
    code: str
    """The same lines alone, in which a quote is looked up."""


def shown(quote: str, why: str, answer: str, code: Code) -> Shown:
    """The lines that a claim, the reason for suspecting it, or the paragraph that it stands in points to.

    Cited lines come first, then cited files, then the places of names that look like code; six excerpts at most.
    """
    sources = (quote, why, _paragraph(quote, answer))
    names = list(dict.fromkeys(name for text in sources[:2] for name in names_in(text)))[:_NAMES]
    found: list[Excerpt] = []
    for excerpt in (*_cited(sources, names, code), *_named(names, code)):
        covered = any(
            one.file == excerpt.file and one.first <= excerpt.first and excerpt.last <= one.last
            for one in found
        )
        if not covered and excerpt.first <= excerpt.last:
            found.append(excerpt)
    return _rendered(found[:_EXCERPTS], code)


def names_in(text: str) -> Iterator[str]:
    """Names that look like code: words between backticks, and words that no prose has (``read_all``, ``readAll``)."""
    for ticked in _TICKED.finditer(text):
        if not any(True for _ in _paths(ticked[1])):
            yield from _WORD.findall(ticked[1])
    for run in _RUN.finditer(text):
        if "/" not in run.group() and not _SUFFIX.search(run.group().rstrip(".")):
            yield from filter(_CODED.search, _WORD.findall(run.group()))


def _paths(text: str) -> Iterator[_Path]:
    for run in _RUN.finditer(text):
        path = run.group().rstrip(".@+-/")
        if len(path) <= _LONGEST and ("/" in path or _SUFFIX.search(path)):
            lines = _AT_LINES.match(text, run.start() + len(path))
            first = int(lines["first"]) if lines else None
            yield _Path(path, first, int(lines["last"] or lines["first"]) if lines else None)


def _cited(sources: Iterable[str], names: list[str], code: Code) -> Iterator[Excerpt]:
    whole: list[CodeFile] = []
    for text in sources:
        for cited in _paths(text):
            files = _files(cited.path, code)
            if cited.first is None or cited.last is None:
                whole += [file for file in files if file not in whole]
                continue
            for file in files:
                yield _around(file, cited.first, max(cited.first, cited.last), code)
    for file in whole:
        yield from _of_file(file, names, code)


def _of_file(file: CodeFile, names: list[str], code: Code) -> Iterator[Excerpt]:
    """Where the names stand in a file; its beginning where they do not."""
    lines = code.lines(file)
    words = [re.compile(rf"\b{re.escape(name)}\b") for name in names]
    hits = [number for number, line in enumerate(lines, start=1) if any(word.search(line) for word in words)]
    for number in hits[:_FILES]:
        yield _around(file, number, number, code)
    if not hits:
        yield Excerpt(file, 1, min(_LINES, len(lines)))


def _named(names: list[str], code: Code) -> Iterator[Excerpt]:
    for name in names:
        for file, number in code.with_word(name)[:_FILES]:
            yield _around(file, number, number, code)


def _around(file: CodeFile, first: int, last: int, code: Code) -> Excerpt:
    begin = max(1, first - _AROUND)
    return Excerpt(file, begin, min(last + _AROUND, begin + _LINES - 1, len(code.lines(file))))


def _files(cited: str, code: Code) -> list[CodeFile]:
    """The files that a cited path can mean: the path itself, or one that ends like it, or that it ends like."""
    path = cited.strip("/").removeprefix("./")
    exact = [file for file in code.files if path in (file.path, f"{file.repository}/{file.path}")]
    longer = [file for file in code.files if file.path.endswith(f"/{path}")]
    shorter = [file for file in code.files if path.endswith(f"/{file.path}")]
    return (exact or longer or shorter)[:_FILES]


def _paragraph(quote: str, answer: str) -> str:
    """The paragraph of an answer that has most of the quote's words."""
    words = set(quote.split())
    return max(_PARAGRAPHS.split(answer), key=lambda part: len(words & set(part.split())), default="")


def _rendered(excerpts: list[Excerpt], code: Code) -> Shown:
    texts: list[str] = []
    lines: list[str] = []
    for one in excerpts:
        cut = "\n".join(line[:_WIDTH] for line in code.lines(one.file)[one.first - 1 : one.last])
        # What the checker sees, a person sees in claims.toml, which takes no secrets.
        taken = mask(cut).text.split("\n")
        numbered = [f"{number}  {line}".rstrip() for number, line in enumerate(taken, start=one.first)]
        texts.append("\n".join([f"{one.file.repository}: {one.file.path}:{one.first}-{one.last}", *numbered]))
        lines += taken
    return Shown("\n\n".join(texts), "\n".join(lines))
