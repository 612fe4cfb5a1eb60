"""From a name and its options to a rival that can be measured, or the reason why it cannot."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from truerecall.bench.rivals.installing import installed, root_of
from truerecall.bench.rivals.system import Lent, LentChat, RivalSystem
from truerecall.bench.rivals.table import Rival
from truerecall.errors import InvalidSettings
from truerecall.models.protocols import Embedder
from truerecall.models.registry import embedder
from truerecall.models.specs import variable_named

_OURS = ("timeout", "embedder", "chat_url", "chat_model", "chat_key")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SECONDS = 600.0


def options_of(rival: Rival) -> tuple[str, ...]:
    """Every option that ``--system`` may give it."""
    lent = [] if rival.embedder == "none" else ["embedder"]
    asked = [] if rival.chat == "none" else ["chat_url", "chat_model", "chat_key"]
    return (*rival.options, *lent, *asked, "timeout")


def make_rival(rival: Rival, options: Mapping[str, str], environment: Mapping[str, str]) -> RivalSystem:
    """The rival, ready to be opened.

    Raises:
        InvalidSettings: it cannot be measured here, is not installed, or lacks what it needs.
        ModelError: the embedder that it should be lent cannot be used.
    """
    if rival.reason:
        raise InvalidSettings(rival.reason, where=rival.name, remedy="Measure another one.")
    missing = [name for name in rival.required if not environment.get(name)]
    if missing:
        raise InvalidSettings(
            f"{rival.name} needs {', '.join(missing)}, which is not set", remedy="Set it, and try again."
        )
    chat = _chat(rival, options, environment)
    found = installed(rival, root_of(environment))
    if found is None:
        raise InvalidSettings(
            f"{rival.name} is not installed", remedy=f"Run: truerecall bench systems install {rival.name}."
        )
    given = {name: value for name, value in options.items() if name not in _OURS}
    lent = Lent(_embedder(rival, options), chat)
    return RivalSystem(rival, given, found, environment, lent, _timeout(options))


def _embedder(rival: Rival, options: Mapping[str, str]) -> Embedder | None:
    name = options.get("embedder", "local" if rival.embedder == "required" else "none")
    lent = None if rival.embedder == "none" else embedder(name)
    if lent is None and rival.embedder == "required":
        raise InvalidSettings(
            f"{rival.name} does not work without an embedder", remedy="Give embedder=local, or leave it out."
        )
    return lent


def _chat(rival: Rival, options: Mapping[str, str], environment: Mapping[str, str]) -> LentChat | None:
    wanted = rival.chat == "required" or options.get("infer") == "true"
    if rival.chat == "none" or not (wanted or "chat_url" in options):
        return None
    url, model = options.get("chat_url", ""), options.get("chat_model", "")
    if not url or not model:
        raise InvalidSettings(
            f"{rival.name} asks a chat model here, and none is named",
            remedy="Give chat_url=URL,chat_model=NAME and, where it needs a key, chat_key=VARIABLE.",
        )
    host = check_chat(options)
    variable = options.get("chat_key", "")
    if variable and not environment.get(variable):
        raise InvalidSettings(f"{variable} is not set", remedy=f"Set {variable} to the key.")
    key = environment[variable] if variable else "none"
    return LentChat(url, model, key, host in _LOOPBACK)


def check_chat(options: Mapping[str, str]) -> str:
    """The host of ``chat_url``, empty where none is named.

    Raises:
        InvalidSettings: it is no plain address; it is not repeated.
        InvalidInput: ``chat_key`` cannot name a variable; it is not repeated either.
    """
    if options.get("chat_key"):
        variable_named(options["chat_key"], "chat_key")
    url = options.get("chat_url", "")
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https") or "@" in parts.netloc or parts.query:
        raise InvalidSettings(
            "chat_url is no plain address",
            remedy="Give one such as https://models.example/v1, without a name, a password or a query.",
        )
    return host


def _timeout(options: Mapping[str, str]) -> float:
    try:
        value = float(options.get("timeout", _SECONDS))
    except ValueError:
        value = -1.0
    if not 0.0 < value < float("inf"):
        raise InvalidSettings(
            f"timeout is {options['timeout']!r}", remedy="Give seconds above 0, such as 600."
        )
    return value
