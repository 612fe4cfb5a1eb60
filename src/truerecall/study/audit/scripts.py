"""Scripts within commands: whether one of sed, awk or jq reads by itself, and which paths stand in code."""

import re

_CALM = re.compile(r"[\w\s+\-*%(),'\":\[\]<>=]*")
_NOT_CALM = re.compile(r"open|import|exec|eval|compile|input|__|attr|help|breakpoint")
_PATH_IN_CODE = re.compile(r"""(?<![\w.])(?:~|\.\.)?/[\w.~][^\s'"`);,]*|(?<![\w./])\.\.(?=['"])""")
_AWK = re.compile(r'getline|system\s*\(|ARGV|ENVIRON|@\s*(?:include|load)|\|&|\|\s*"|print[^;}\n]*[|>]')
_SED_CHANGE = re.compile(
    r"(?<![A-Za-z])[sy]([^\w\s\\])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1([A-Za-z0-9]*)", re.DOTALL
)
_SED_ADDRESS = re.compile(r"/(?:\\.|[^/\\])*/")
_SED = re.compile(r"(?:^|[\s;{}\d$!,I])(?:[rRwW]\s*[^\s;}]|e(?:\s|$|;))")
_JQ = re.compile(r"\b(?:import|include)\b")


def computes(code: str) -> bool:
    """Whether code of Python does nothing but compute and print."""
    return bool(code) and _CALM.fullmatch(code) is not None and _NOT_CALM.search(code) is None


def paths_in(code: str) -> list[str]:
    """What looks like a path in code of any language."""
    return _PATH_IN_CODE.findall(code)


def reads_by_itself(name: str, script: str) -> bool:
    """Whether a script of sed, awk or jq may read, write or run something by itself."""
    if name in ("awk", "gawk", "mawk"):
        return _AWK.search(script) is not None
    if name == "jq":
        return _JQ.search(script) is not None
    if name != "sed":
        return False
    flags = "".join(match.group(2) for match in _SED_CHANGE.finditer(script))
    rest = _SED_ADDRESS.sub("1", _SED_CHANGE.sub("", script))
    return "w" in flags or "e" in flags or _SED.search(rest) is not None
