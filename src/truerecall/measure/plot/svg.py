"""A small builder of SVG text in which everything that is not markup is escaped."""

import re
from collections.abc import Mapping

# What XML 1.0 cannot hold even as a reference: control characters, lone surrogates, two non-characters.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "\r": "&#13;"})


class Markup(str):
    """Text that is SVG already; only ``element`` and ``joined`` make it."""

    __slots__ = ()


def escape(text: str) -> str:
    """``text`` as it can stand in an attribute or between tags; what XML cannot hold becomes U+FFFD."""
    return _FORBIDDEN.sub("\ufffd", text).translate(_ESCAPES)


def number(value: float) -> str:
    """At most two decimals, no trailing zeros, never ``-0``: the same text on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(tag: str, attributes: Mapping[str, str | float], *children: str) -> Markup:
    """One element; children that are not ``Markup`` are text and are escaped."""
    head = tag + "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items())
    if not children:
        return Markup(f"<{head}/>")
    inside = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{head}>{inside}</{tag}>")


def joined(*parts: Markup) -> Markup:
    """Several elements after one another."""
    return Markup("".join(parts))


def _attribute(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)
