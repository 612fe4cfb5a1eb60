"""Secrets are masked before anything is stored, found by the shape of their value.

Two kinds of shape: tokens that name their issuer (``AKIA...``, a PEM block), masked wherever they stand; and
values that only a label makes a secret (``password=``), masked when they look drawn rather than written.
Documentation stays: placeholders, references to variables, and anything that holds EXAMPLE.

Linear in the length of the text: no quantifier can hand what it took to another one, and what is tried and fails is
bounded or cannot be tried again from the next place. Patterns are compiled (and kept, by ``re``) on first use.
"""

import base64
import binascii
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from truerecall.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets."""

    text: str
    count: int
    """How many values were masked."""
    kinds: tuple[str, ...]
    """Which kinds they were, each once, in the order they were found."""


def mask(text: str) -> Masked:
    """Replace each secret by ``[masked:<kind>]``; masking what was masked adds nothing."""
    if _is_clean(text):
        return Masked(text, 0, ())
    counts: dict[str, int] = {}
    for _ in range(_MOST_ROUNDS):
        text, found = _mask_once(text)
        if not found:
            break
        for kind, count in found.items():
            counts[kind] = counts.get(kind, 0) + count
    return Masked(text, sum(counts.values()), tuple(counts))


def _mask_once(text: str) -> tuple[str, dict[str, int]]:
    text, blocks = _mask_private_keys(text) if "PRIVATE KEY" in text else (text, 0)
    counts = {"private-key": blocks} if blocks else {}
    lowered = _lowered(text)
    done = None
    for hint, shape in _hints():
        if hint in lowered and shape is not done:
            done = shape
            text, count = _mask_shape(text, shape)
            if count:
                counts[shape.kind] = counts.get(shape.kind, 0) + count
    if ":" in text or "=" in text or "--" in text:
        text, labelled = _mask_labelled(text, _lowered(text) if counts else lowered)
        for kind, count in labelled.items():
            counts[kind] = counts.get(kind, 0) + count
    return text, counts


_MOST_ROUNDS = 8  # a masked value can uncover a label that was glued to it
_LONG = b"x" * 20
_CHARACTERS = bytes(120 if chr(c).isalnum() or chr(c) in "-._~+/" else 0 for c in range(128)) + bytes(128)


def _is_clean(text: str) -> bool:
    """Whether a text lacks what any secret has: a run of twenty of these characters, a label, or one of these hints."""
    low = text.lower()
    runs = low.encode("utf-8", "surrogatepass").translate(_CHARACTERS)
    labelled = ":" in low or "=" in low or "--" in low
    hinted = "bearer" in low or "basic" in low or " -u" in low or "xox" in low
    return not (labelled or hinted or _LONG in runs)


@cache
def _hints() -> "tuple[tuple[str, _Shape], ...]":
    return tuple((hint, shape) for shape in _SHAPES for hint in shape.hints)


def _lowered(text: str) -> str:
    return text.lower() if text.isascii() else text.replace("\u0130", "I").lower()  # else it would be longer


@dataclass(frozen=True, slots=True)
class _Shape:
    kind: str
    hints: tuple[str, ...]  # one of these, in lower case, stands in any text that the pattern matches
    pattern: str  # its group "v", else all of it, is the value; compiled when a hint is met
    is_secret: Callable[[str], bool]


def _mask_shape(text: str, shape: _Shape) -> tuple[str, int]:
    count = 0
    pattern = re.compile(shape.pattern)
    group = "v" if "v" in pattern.groupindex else 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal count
        value = match.group(group)
        if "[masked:" in value or not shape.is_secret(value):
            return match.group()
        count += 1
        start, end = (edge - match.start() for edge in match.span(group))
        whole = match.group()
        return f"{whole[:start]}[masked:{shape.kind}]{whole[end:]}"

    return pattern.sub(replaced, text), count


# --- Private key blocks -------------------------------------------------------------------------------------

_KEY_EDGE = r"-{4,5} ?(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_KEY_RUN = r"[A-Za-z0-9+/]{20}"
_KEY_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash)\\?: ?[^\n\\]{0,200}"
# Base64 in lines, whatever stands between the lines (escaped line ends, quotes, comment signs), and a last
# shorter line.
_KEY_BODY = (
    rf"(?:(?:\\[nr]|[^A-Za-z0-9+/=]){{0,24}}(?:{_KEY_HEADER}|[A-Za-z0-9+/=]{{16,}}+))*+"
    r"(?:(?:\\[nr]|[\s\"'+>#]){1,24}[A-Za-z0-9+/]{1,15}={0,2}(?=[ \t]*(?:[\r\n\"'\\]|$)))?"
)


def _mask_private_keys(text: str) -> tuple[str, int]:
    """Mask from BEGIN to END, or without an END as far as the key's lines go."""
    edges = list(re.finditer(_KEY_EDGE, text))
    kept: list[str] = []
    position = count = 0
    for i, edge in enumerate(edges):
        if edge.group(1) == "END":
            continue
        following = edges[i + 1] if i + 1 < len(edges) else None
        limit = following.start() if following else len(text)
        if limit - edge.end() < 20:
            continue
        closed = following is not None and following.group(1) == "END"
        stop = limit
        if not closed:
            body = re.compile(_KEY_BODY).match(text, edge.end(), limit)
            stop = body.end() if body else edge.end()
        found = text[edge.end() : stop]
        if not re.search(_KEY_RUN, found) or _is_documentation(found):
            continue
        kept += (text[position : edge.start()], "[masked:private-key]")
        position = following.end() if closed and following else stop
        count += 1
    return "".join([*kept, text[position:]]), count


# --- What is documentation, and what looks drawn ------------------------------------------------------------

_DOCUMENTATION = (
    r"(?i)example|x{4}|\*{3}|\.{3}|…|0{12}|placeholder|redacted|change[-_]?(?:me|it|this)|replace[-_]?(?:me|with|this)"
    r"|your[-_]?(?:own|api|access|auth|client|secret|token|key|pass|password|value|real)|insert[-_]?(?:your|here)"
    r"|(?:my|dummy|sample|fake)[-_]?(?:api|secret|token|key|pass|password|value)"
    r"|(?:token|key|secret|password)[-_]?(?:goes[-_]?)?here|[<>]|\$\{|\{\{|[-_]here$|^todo|^none$|^null$"
)
_PLACE = (
    r"(?i)(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|user(?:name)?|admin|root|guest|postgres|mysql|mongo|redis"
    r"|test|foo|bar|my)(?:[-_]?(?:pass(?:word|wd)?|pwd|secret|token|key))?\d{0,3}"
)
# References into code and the environment, paths, addresses, dates.
_REFERENCE = (
    r"\$[A-Za-z_]\w*$|\$\(|%[A-Za-z_]\w*%$|%[sd]$|%\(|@\w+@$|\{[\w.]*\}$"
    r"|/[\w.-]{1,24}(?:/[\w.-]{0,24})*$|\.{1,2}/|~/|[A-Za-z]:\\|[a-z][a-z0-9+.-]{1,20}://|arn:"
    r"|(?:os|process|import|env|ENV|config|settings|secrets|vars|self|this|var|System)\."
    r"|\d{4}-\d\d-\d\d(?:[T ]|$)"
)
_NAME = r"[A-Za-z]+\d{0,2}(?:[_.-]+(?:[A-Za-z]+\d{0,3}|\d{1,4}))+"
_CODE_NAME = r"[A-Za-z]+\d{0,2}(?:[_.]+(?:[A-Za-z]+\d{0,3}|\d{1,2}))+"
_PATH = r"[a-z0-9_.-]{1,31}(?:/[a-z0-9_.-]{1,31})+"
_LABEL_WORD = r"(?i)pass(?:word|wd|phrase)|secret|token|credential|api[_-]?key"
_STRONG = frozenset("!@#$%^&*+/=~?")
_LEAST_DISTINCT = 5


def _is_documentation(value: str) -> bool:
    return re.search(_DOCUMENTATION, value) is not None


def _is_token(value: str) -> bool:
    return not _is_documentation(value)


def _is_mixed_token(value: str) -> bool:
    """Also of letters and digits: a prefix that words could follow (``sk-``, ``hf_``)."""
    return not _is_documentation(value) and _has(value, str.isdigit) and _has(value, str.isalpha)


def _is_url_password(value: str) -> bool:
    if _is_documentation(value) or re.fullmatch(_PLACE, value) or re.match(_REFERENCE, value):
        return False
    return not value.isdigit() or len(value) > 5  # not a port


def _is_basic_credential(value: str) -> bool:
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(colon and password) and user.isprintable() and _is_url_password(password)


def _looks_drawn(value: str) -> bool:
    """Whether a labelled value mixes its characters as no word, name, path or reference does."""
    value = value.rstrip("=?!")
    if len(set(value)) < _LEAST_DISTINCT or any(c.isspace() for c in value) or re.match(_REFERENCE, value):
        return False
    if _is_documentation(value) or re.fullmatch(_PLACE, value) or re.fullmatch(_PATH, value):
        return False
    if re.fullmatch(r"[\w.-]*", value) and re.search(_LABEL_WORD, value):
        return False
    if not _has(value, str.isalpha):
        return False
    if _has(value, str.isdigit) or not _STRONG.isdisjoint(value):
        return True
    turns = sum(a.isupper() != b.isupper() for a, b in pairwise(value))
    return len(value) >= 20 and turns * 4 >= len(value)  # CamelCase turns twice a word


def _is_labelled_secret(value: str) -> bool:
    return _looks_drawn(value) and not re.fullmatch(_NAME, value)


def _is_labelled_password(value: str) -> bool:
    return _looks_drawn(value) and not re.fullmatch(_CODE_NAME, value)


def _has(value: str, test: Callable[[str], bool]) -> bool:
    return any(map(test, value))


# --- The table ----------------------------------------------------------------------------------------------

# A token begins after what is no letter or digit, or after an escape (\n in JSON, %3D in a URL).
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_END = r"(?![A-Za-z0-9_-])"


def _token(kind: str, hints: str, pattern: str, is_secret: Callable[[str], bool] = _is_token) -> _Shape:
    return _Shape(kind, tuple(hints.split()), _START + pattern, is_secret)


_SEPARATOR = (
    r"(?:\\{0,3}[\"'`]|\]){0,2}[ \t]{0,8}"
    r"(?::=|=>|={1,3}|!==?|:[ \t]?[A-Za-z_][\w\[\]|.]{0,30}[ \t]{0,2}=(?=[ \t]{0,2}[\"'])|:)[ \t]{0,8}"
)
_SHAPES: tuple[_Shape, ...] = (
    _token("aws-key-id", "akia asia", rf"(?:AKIA|ASIA)[A-Z0-9]{{16}}{_END}"),
    _Shape(
        "aws-secret-key",
        ("secret",),
        (
            rf"(?i:secret[_ -]?access[_ -]?key|aws[_ -]?secret(?:[_ -]?key)?){_SEPARATOR}(?:\\{{0,3}}[\"'`])?"
            r"(?P<v>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
        _is_token,
    ),
    _token("github", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,}+"),
    _token("github", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}+"),
    _token(
        "gitlab",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{20,}+",
    ),
    _token("anthropic", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}+"),
    _token("openai", "sk-", r"sk-(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{20,}+"),
    _token("openai", "sk-", r"sk-[A-Za-z0-9]{32,}+", _is_mixed_token),
    _token("slack", "xox", r"xox[abceoprs]-[A-Za-z0-9-]{10,}+", _is_mixed_token),
    _token("slack", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{20,}+"),
    _Shape(
        "slack",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/services/(?P<v>T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,})",
        _is_token,
    ),
    _token("google", "aiza", rf"AIza[A-Za-z0-9_-]{{35}}{_END}"),
    _token("google", "gocspx- ya29.", r"(?:GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,}+"),
    _token("stripe", "sk_live_ rk_live_ whsec_", r"(?:[sr]k_live|whsec)_[A-Za-z0-9]{16,}+"),
    _token("npm", "npm_", r"npm_[A-Za-z0-9]{36,}+"),
    _token("pypi", "pypi-", r"pypi-[A-Za-z0-9_-]{32,}+", _is_mixed_token),
    _token("hugging-face", "hf_", r"hf_[A-Za-z0-9]{30,}+"),
    _token("sendgrid", "sg.", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}+"),
    _token("telegram", ":aa", rf"[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{33}}{_END}"),
    _token(
        "provider-token",
        "dop_v1_ shpat_ dckr_pat_ dapi gsk_ hvs. lin_api_ age-secret-key- xai-",
        r"(?:dop_v1_|shpat_|dckr_pat_|dapi|gsk_|hvs\.|lin_api_|AGE-SECRET-KEY-|xai-)[A-Za-z0-9_-]{27,}+",
        _is_mixed_token,
    ),
    # Starts only where a run starts, else a run of "eyJ-eyJ-" would be read again from each place in it.
    _Shape(
        "jwt",
        ("eyj",),
        (
            r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))eyJ[A-Za-z0-9_-]{8,}+"
            r"(?:\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{16,}+|\.[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]{8,}+){3})"
        ),
        _is_token,
    ),
    _Shape(
        "url-password",
        ("://",),
        r"://[^\s:/@'\"<>?#]{0,128}:(?P<v>[^\s/'\"<>]{3,256})@(?=[A-Za-z0-9\[_.$%{-])",
        _is_url_password,
    ),
    _Shape(
        "authorization",
        ("authorization", "bearer"),
        (
            rf"(?i)(?:authorization{_SEPARATOR}(?:\\{{0,3}}[\"'`])?(?:(?!basic)[a-z-]{{2,16}}[ \t]{{1,4}})?"
            r"|\bbearer[ \t]{1,4})"
            r"(?P<v>[A-Za-z0-9._~+/-]{16,}+={0,2})"
        ),
        _is_labelled_secret,
    ),
    _Shape(
        "authorization",
        ("basic",),
        r"(?i)\bbasic[ \t]{1,4}(?P<v>[A-Za-z0-9+/]{8,}+={0,2})",
        _is_basic_credential,
    ),
    _Shape(
        "password",
        (" -u", "--user"),
        r"[ \t](?:-u|--user)[ \t=]{1,4}[\"']?[^\s:\"']{1,64}:(?P<v>[^\s\"']{6,})",
        _is_labelled_password,
    ),
)


# --- Values that a label makes secrets ----------------------------------------------------------------------

# Searched in the lowered text: literals in one case are several times as fast as IGNORECASE.
_LABEL = (
    r"(?P<label>password|passwd|passphrase|pwd|secret|token|credentials?|key)"
    r"(?:[_-]?(?:key|base|value|string|prod|dev|staging|live|[0-9])){0,3}"
    rf"(?:{_SEPARATOR}|(?P<option>[ \t]{{1,4}}))"
)
_BEFORE_KEY = (
    r"(?:api|access|auth|account|private|secret|signing|encryption|master|service|client|app|deploy|storage"
    r"|license)[_ -]?$"
)
_BEFORE_OPTION = r"--(?:[a-z]{1,16}-)?$"
_BEFORE_VARIABLE = r"(?:^|\n)[ \t]{0,16}(?:export[ \t]|set[ \t]|ENV[ \t])?[A-Z0-9_]{0,40}$"
_QUOTED = r"\\{0,3}(?P<q>[\"'`])(?P<v>(?:(?!(?P=q))[^\\\n]|\\(?!(?P=q))){8,}+)"
_BARE = r"(?:\\{0,3}[\"'`])?(?P<v>(?:[^\s\"'`\\,;&<>(){}\[\]=]|\\(?![\"'`nrt\\])|&(?!\w{1,40}=)){8,}+={0,2}+)(?![(\[{])"
_TO_LINE_END = r"(?m)(?P<v>[^\s\"'`(\[{]\S{7,})[ \t]*$"


def _mask_labelled(text: str, lowered: str) -> tuple[str, dict[str, int]]:
    counts: dict[str, int] = {}
    kept: list[str] = []
    written = read = 0
    for label in re.finditer(_LABEL, lowered):
        if label.start() < read or not _is_label(label, lowered):
            continue
        span, read = _value_after(text, label)
        if span is None:
            continue
        kind = "password" if label["label"].startswith("p") else "secret"
        kept += (text[written : span[0]], f"[masked:{kind}]")
        written = span[1]
        counts[kind] = counts.get(kind, 0) + 1
    return "".join([*kept, text[written:]]), counts


def _is_label(label: re.Match[str], lowered: str) -> bool:
    start = label.start()
    if label["option"] and not re.compile(_BEFORE_OPTION).search(lowered, max(0, start - 20), start):
        return False
    return label["label"] != "key" or bool(re.compile(_BEFORE_KEY).search(lowered, max(0, start - 12), start))


def _value_after(text: str, label: re.Match[str]) -> tuple[tuple[int, int] | None, int]:
    """Give the span of the secret after a label, if there is one, and where to read on."""
    is_secret = _is_labelled_password if label["label"].startswith("p") else _is_labelled_secret
    forms = [_QUOTED, _BARE]
    if _sets_a_variable(text, label):
        forms.insert(0, _TO_LINE_END)
        is_secret = _is_labelled_password
    read = label.end()
    for form in forms:
        value = re.compile(form).match(text, label.end())
        if value and "[masked:" not in value["v"] and is_secret(value["v"]):
            return value.span("v"), value.end("v")
        # A bare run is read once, or "token:token:..." would be read again from each place. A quoted one may
        # hold another label, and ends at the next such quote; so may a name that is set ("token: DB_PASSWORD=...").
        if value and form is not _QUOTED and not (value["v"].endswith("=") and len(value["v"]) < 80):
            read = value.end("v")
    return None, read


def _sets_a_variable(text: str, label: re.Match[str]) -> bool:
    if not (label.group().endswith("=") and text[label.start() : label.end()].isupper()):
        return False
    return re.compile(_BEFORE_VARIABLE).search(text, max(0, label.start() - 64), label.start()) is not None
