"""Reading one line of a scenario, strictly: what it cannot mean is an error that names the line."""

import json
import math
import re
from typing import Any, NoReturn, cast

from truerecall.errors import ModelError
from truerecall.models.scripted.lines import (
    ENDPOINTS,
    FAILURES,
    Endpoint,
    Failure,
    Line,
    ToolUse,
    Usage,
)

_FORM = 'Write {"reply": "…"}, {"when": "a pattern", "reply": "…"} or {"fail": "429"}, one a line.'
_KNOWN = frozenset(
    {"reply", "when", "model", "endpoint", "tools", "finish_reason", "fail", "after", "times", "usage"}
)
_COUNTS = ("tokens_in", "tokens_out", "tokens_cached", "tokens_reasoning")
_LONGEST = 86_400.0  # seconds
_SAYING = frozenset(
    {"400", "401", "403", "404", "429", "500", "503", "529", "break", "cut", "malformed", "slow"}
)
_WAITING = frozenset({"429", "500", "503", "529", "slow"})
_ANSWERING = frozenset({"break", "slow"})


def read_line(line: str, where: str) -> Line:
    """The record of a line.

    Raises:
        ModelError: it is not JSON, no object, has an unknown field, or a field with an impossible value.
    """
    data = _object(line, where)
    fail = _fail(data, where)
    when = _pattern(data, "when", where)
    read = Line(
        reply=data.get("reply", ""),
        when=when,
        model=_pattern(data, "model", where),
        endpoint=_endpoint(data, fail, where),
        tools=_tools(data.get("tools", []), where),
        finish_reason=_finish(data, where),
        fail=fail,
        after=_after(data, where),
        times=_count(data, "times", 1, where),
        usage=_usage(data.get("usage", {}), where),
        where=where,
    )
    _check_failure(data, fail, where)
    if when is not None:
        try:
            when.sub(read.reply, "")  # parses the template, whether or not the pattern is found
        except (re.error, IndexError) as error:
            raise ModelError(
                f"the reply to {when.pattern!r} is no template: {error}",
                where=where,
                remedy="Write \\1 for the first group, and \\\\ for a backslash.",
            ) from None
    return read


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        data: Any = json.loads(line, parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"the line is not JSON: {error}", where=where, remedy=_FORM) from None
    if not isinstance(data, dict):
        raise ModelError("the line is no reply and no rule: no object", where=where, remedy=_FORM)
    if unknown := sorted(set(data) - _KNOWN):
        raise ModelError(
            f"the line is no reply and no rule: it has {', '.join(map(repr, unknown))}",
            where=where,
            remedy=f"A line has {', '.join(sorted(_KNOWN))}.",
        )
    if not {"reply", "tools", "fail"} & set(data) or not isinstance(data.get("reply", ""), str):
        raise ModelError("the line is no reply and no rule: reply is no text", where=where, remedy=_FORM)
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands there twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _pattern(data: dict[str, Any], name: str, where: str) -> re.Pattern[str] | None:
    if name not in data:
        return None
    try:
        return re.compile(data[name])
    except (re.error, TypeError, RecursionError) as error:
        raise ModelError(
            f"{data[name]!r} is not a pattern: {error}",
            where=where,
            remedy="Write a regular expression of Python.",
        ) from None


def _fail(data: dict[str, Any], where: str) -> Failure | None:
    if "fail" not in data:
        return None
    given = data["fail"]
    name = str(given) if type(given) is int else given
    if name not in FAILURES:
        raise ModelError(
            f"{given!r} is no way to fail", where=where, remedy=f"Use one of: {', '.join(FAILURES)}."
        )
    return cast(Failure, name)


def _endpoint(data: dict[str, Any], fail: Failure | None, where: str) -> Endpoint | None:
    if "endpoint" not in data:
        return None
    if data["endpoint"] not in ENDPOINTS:
        raise ModelError(
            f"{data['endpoint']!r} is no endpoint", where=where, remedy=f"Use one of: {', '.join(ENDPOINTS)}."
        )
    if data["endpoint"] == "embeddings" and (fail is None or fail in ("cut", "empty")):
        raise ModelError(
            "embeddings come from the embedder, not from a line",
            where=where,
            remedy="A line for embeddings may only fail: with a status, drop, break, malformed or slow.",
        )
    return cast(Endpoint, data["endpoint"])


def _tools(given: Any, where: str) -> tuple[ToolUse, ...]:
    good = isinstance(given, list) and all(
        isinstance(tool, dict)
        and set(tool) <= {"name", "arguments", "namespace"}
        and isinstance(tool.get("namespace", ""), str)
        and isinstance(tool.get("name"), str)
        and tool["name"] != ""
        and isinstance(tool.get("arguments", {}), dict)
        for tool in given
    )
    if not good:
        raise ModelError(
            "tools is no list of tools",
            where=where,
            remedy='Write [{"name": "…", "arguments": {…}}].',
        )
    return tuple(
        ToolUse(tool["name"], _compact(tool.get("arguments", {})), tool.get("namespace", ""))
        for tool in given
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _finish(data: dict[str, Any], where: str) -> str:
    if "finish_reason" not in data:
        return ""
    if not isinstance(data["finish_reason"], str) or not data["finish_reason"]:
        raise ModelError("finish_reason is not a text", where=where, remedy='Write "stop" or "length".')
    return data["finish_reason"]


def _after(data: dict[str, Any], where: str) -> float | None:
    if "after" not in data:
        return None
    value = data["after"]
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value <= _LONGEST:
        raise ModelError(
            f"after is {value!r}", where=where, remedy="Give seconds: a number from 0 up to a day."
        )
    return float(value)


def _count(data: dict[str, Any], name: str, least: int, where: str) -> int | None:
    if name not in data:
        return None
    value: Any = data[name]
    if type(value) is not int or value < least:
        raise ModelError(f"{name} is {value!r}", where=where, remedy=f"Give a whole number, {least} or more.")
    return value


def _usage(given: Any, where: str) -> Usage:
    if not isinstance(given, dict) or set(given) - set(_COUNTS):
        raise ModelError(
            "usage is no record of tokens", where=where, remedy=f"It may have {', '.join(_COUNTS)}."
        )
    usage = Usage(*(_count(given, name, 0, where) for name in _COUNTS))
    for part, whole in (("tokens_cached", "tokens_in"), ("tokens_reasoning", "tokens_out")):
        less, more = getattr(usage, part), getattr(usage, whole)
        if less is not None and more is not None and less > more:
            raise ModelError(
                f"{part} is more than {whole}", where=where, remedy=f"It counts those of {whole}."
            )
    return usage


def _check_failure(data: dict[str, Any], fail: Failure | None, where: str) -> None:
    """Whether each field has a meaning beside ``fail``."""
    allowed = {"reply": _SAYING, "after": _WAITING, "tools": _ANSWERING, "finish_reason": _ANSWERING}
    for name, failures in allowed.items():
        meant = fail in failures or (fail is None and name != "after")
        if name in data and not meant:
            beside = f'beside "fail": "{fail}"' if fail else 'without "fail"'
            raise ModelError(f"{name} means nothing {beside}", where=where, remedy="Leave it out.")
    if fail == "cut" and not data.get("reply"):
        raise ModelError("there is no reply to cut", where=where, remedy="Give the reply, whole.")
