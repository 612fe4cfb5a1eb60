"""Templates of the package, and the escapes that they use."""

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

_MARKDOWN = re.compile(r"[\\`*\[\]|~$]|(?<!\w)_|_(?!\w)")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


@cache
def environment(*, autoescape: bool) -> Environment:
    """The templates beside this module, each compiled once a process; an unknown name in one is an error."""
    made = Environment(
        loader=PackageLoader("truerecall.bench.report"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["md"] = escape_markdown
    made.filters["fence"] = fence
    made.filters["nobreak"] = nobreak
    return made


def escape_markdown(text: str) -> str:
    """Text that Markdown prints as it stands, in a paragraph or in a cell of a table."""
    return _MARKDOWN.sub(lambda found: "\\" + found.group(), text).translate(_HTML)


def nobreak(text: str) -> str:
    """Text whose per cent signs stay with their figures."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def fence(text: str) -> str:
    """A code fence longer than any run of backticks in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)
