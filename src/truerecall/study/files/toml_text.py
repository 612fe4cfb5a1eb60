"""Values as TOML writes them: the standard library reads TOML, and writes none."""

import json
import re
from collections.abc import Iterable
from datetime import datetime

from truerecall.core.clock import isoformat

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDTH = 100


def toml_key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else toml_text(name)


def toml_text(value: str) -> str:
    """A text in quotes, on one line."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_texts(values: Iterable[str]) -> str:
    """A list of texts; a long one with a line each."""
    written = [toml_text(value) for value in values]
    line = f"[{', '.join(written)}]"
    return line if len(line) <= _WIDTH else "[\n" + "".join(f"  {one},\n" for one in written) + "]"


def toml_instant(value: datetime) -> str:
    """A time in UTC."""
    return isoformat(value)
