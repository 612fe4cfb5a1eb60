"""What a user gives to reach a server: its address, and the key that it lets in."""

from urllib.parse import urlsplit

from truerecall.errors import ModelError


def checked_address(address: str) -> str:
    """The address without a slash at its end; ``ModelError`` if it is none, or holds what belongs to no address."""
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if (
        not good
        or "@" in address
        or "?" in address
        or "#" in address
        or not address.isprintable()
        or " " in address
    ):
        # It is not repeated: what does not belong in it may be a password.
        raise ModelError(
            "base_url is no plain address",
            where="base_url",
            remedy="Write it like http://127.0.0.1:8080/v1, without a user name, a password or a query.",
        )
    return address.rstrip("/")


def checked_key(key: str | None, key_name: str) -> str:
    """The key without what surrounds it, empty for None; ``ModelError`` if no key can look so."""
    cleaned = (key or "").strip()
    if not cleaned.isascii() or not cleaned.isprintable() or " " in cleaned:
        raise ModelError(
            "the key holds a character that no key has", where=key_name, remedy="Copy it once more, whole."
        )
    return cleaned
