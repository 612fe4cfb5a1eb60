"""Text on its way in from a command line, and on its way out to a terminal."""

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
