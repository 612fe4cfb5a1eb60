"""Answers that are errors, as each API words them."""

from collections.abc import Mapping
from typing import Any

_MESSAGES = {
    400: "the request is refused",
    401: "the key is refused",
    403: "the key may not do this",
    404: "there is no such model",
    405: "this address wants another method",
    413: "the request is too large",
    415: "the request is encoded in a way that is not read here",
    429: "too many requests",
    500: "the server failed",
    503: "the server is not there for now",
    529: "the server has too much to do",
}
_OPENAI = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_ANTHROPIC = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    529: "overloaded_error",
}
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


def refusal(endpoint: str, status: int, message: str, number: int) -> Mapping[str, Any]:
    """The body of an error.

    Args:
        endpoint: Of ``messages`` and ``count_tokens`` in Anthropic's form, of any other in OpenAI's.
        status: Of the answer.
        message: What it says; empty is the usual words for the status.
        number: Of the call.
    """
    said = message or _MESSAGES[status]
    if endpoint in ("messages", "count_tokens"):
        error = {"type": _ANTHROPIC.get(status, "invalid_request_error"), "message": said}
        return {"type": "error", "error": error, "request_id": f"req_{number:06d}"}
    kind = _OPENAI.get(status, "server_error" if status >= 500 else "invalid_request_error")
    code = None if endpoint == "unknown" else _CODES.get(status)
    return {"error": {"message": said, "type": kind, "param": None, "code": code}}
