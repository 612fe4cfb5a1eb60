"""Text on its way in from a command line, and on its way out to a terminal."""

import codecs
import json
import os
import sys
import unicodedata
from typing import Any

import click

from truerecall.errors import InvalidInput


class Words(click.ParamType[str]):
    """A text. In a locale that is not UTF-8 Python hands over its bytes as half surrogates: they are made whole."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text that was typed."""
        text = str(value)
        if any("\ud800" <= character <= "\udfff" for character in text):
            return os.fsencode(text).decode("utf-8", "replace")
        return text


def standard_input() -> str:
    """All of standard input, as UTF-8 whatever the locale says."""
    if sys.stdin is None:
        raise InvalidInput(
            "there is no standard input", remedy="Give the text as an argument, or pipe it in."
        )
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"standard input is not UTF-8: {error.reason} at byte {error.start}",
            remedy="Convert it first, for example with iconv.",
        ) from None


def json_text(values: object, indent: int | None = None) -> str:
    """``values`` as JSON for standard output; see :func:`readable_json`."""
    return readable_json(json.dumps(values, indent=indent, ensure_ascii=False))


def readable_json(text: str) -> str:
    """``text``, which is JSON, with all but ASCII escaped where standard output is not UTF-8.

    What reads JSON takes it for UTF-8, and another encoding's bytes, or the escapes of a console, are none.
    """
    if sys.stdout is None or codecs.lookup(sys.stdout.encoding or "ascii").name == "utf-8":
        return text
    return "".join(one if one.isascii() else json.dumps(one)[1:-1] for one in text)


def visible(text: str, keep: str = "") -> str:
    """``text`` with control characters written out: a remembered text must not command the terminal that shows it."""
    return "".join(
        character
        if character in keep or unicodedata.category(character) != "Cc"
        else f"\\x{ord(character):02x}"
        for character in text
    )


def one_line(text: str) -> str:
    """``text`` on one line, without control characters."""
    return visible(" ".join(text.split()))


def for_terminal(text: str) -> str:
    """``text`` as it is for a pipe or a file, and without control characters for a terminal."""
    return visible(text, keep="\n\t") if sys.stdout.isatty() else text
