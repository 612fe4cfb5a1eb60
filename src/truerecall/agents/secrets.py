"""Which tool calls touch a file of secrets, or print secrets: what they put out is never stored.

Secrets are masked by their shape as well before anything is stored; a file of secrets holds some that have none.
"""

import re

from truerecall.agents.records import Action

WITHHELD = "[what it put out is not kept: it may hold secrets]"
"""Stands where the output of such a call would."""

_FOLDERS = frozenset({".aws", ".ssh", ".gnupg", ".kube", ".azure", ".docker", "gcloud", ".password-store"})
_NAMES = frozenset((
    ".netrc", "_netrc", ".npmrc", ".yarnrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd",
    ".vault-token", ".my.cnf", ".s3cfg", ".boto", "auth.json", "secrets.json", "secrets.yml", "secrets.yaml",
    "secrets.toml", "secret.json", "token.json", "kubeconfig", "service-account.json", "serviceaccount.json",
    "application_default_credentials.json", "wallet.dat", "shadow", "master.key", "terraform.tfvars",
))  # fmt: skip
_ENDINGS = (
    ".pem", ".key", ".p12", ".pfx", ".kdbx", ".kdb", ".jks", ".keystore", ".ppk", ".asc", ".gpg", ".age", ".tfstate",
    ".ovpn", ".p8",
)  # fmt: skip
_BEGINNINGS = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "credentials")
_SAMPLES = ("example", "sample", "template", "dist", "schema", "defaults", "pub")  # shown to everybody
_CODE = (
    ".py",
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".go",
    ".rs",
    ".java",
    ".rb",
    ".php",
    ".cs",
    ".md",
    ".html",
    ".css",
)

_WORD = re.compile(r"[^\s'\"=;|&<>()`,]+")
# A command at its place: at the beginning, or after what ends another.
_AT = r"(?:^|[\n;|&(`]|\$\(|\b(?:sudo|time|exec|command|xargs)[ \t])[ \t]*"
_PRINTING = re.compile(
    rf"{_AT}(?:"
    r"printenv\b|env(?=[ \t]*(?:-0|--null)?[ \t]*(?:$|[\n;|&)>]))|export[ \t]+-p|declare[ \t]+-x"
    r"|set(?=[ \t]*(?:$|[\n;|&)>]))"
    r"|git[ \t]+credential\b|gh[ \t]+auth[ \t]+(?:token|status[^\n;|&]*--show-token)"
    r"|gcloud[ \t]+(?:auth[ \t]+(?:application-default[ \t]+)?print-|secrets[ \t]+versions[ \t]+access)"
    r"|az[ \t]+account[ \t]+get-access-token|az[ \t]+keyvault[ \t]+secret[ \t]+show"
    r"|aws[ \t]+(?:configure[ \t]+(?:get|export)|secretsmanager[ \t]+get|ssm[ \t]+get|sts[ \t]+(?:assume|get-session))"
    r"|kubectl[ \t][^\n;|&]*\bsecrets?\b|vault[ \t]+(?:read|kv[ \t]+get|token)|op[ \t]+(?:read|item[ \t]+get)"
    r"|pass[ \t]+(?:show|[\w/-]+/)|security[ \t]+find-|secret-tool[ \t]+lookup|heroku[ \t]+config"
    r"|(?:gpg|age|sops)[ \t][^\n;|&]*(?:-d|--decrypt|--export-secret)|fly(?:ctl)?[ \t]+auth[ \t]+token"
    r"|npm[ \t]+(?:token|config[ \t]+(?:ls|list|get))|docker[ \t]+(?:inspect|exec[^\n;|&]*\benv\b)"
    r")"
)
_ENVIRON = re.compile(r"/proc/[^/\s]+/environ\b")
_OF_A_FILE = re.compile(r"[ \t]*([^\s:]{1,400}?)(?::|-(?=\d))")  # how searches name the file of a line


def is_secret_file(path: str) -> bool:
    """Whether a path names a file of secrets, or one in a folder of such files; shells' wildcards count as well."""
    parts = [part for part in re.split(r"[/\\]+", path.strip().strip("'\"").lower()) if part]
    if not parts:
        return False
    name = parts[-1]
    stem, _, ending = name.rpartition(".")
    if ending in _SAMPLES and stem:
        return False
    if not _FOLDERS.isdisjoint(parts[:-1]) or name in (".aws", ".ssh", ".gnupg", ".password-store"):
        return True
    if name.startswith(".env") and not name.startswith(".environment"):
        return ".".join(name.split(".")[2:]) not in _SAMPLES
    if name in _NAMES or (name.startswith(_BEGINNINGS) and not name.endswith(_CODE)):
        return True
    return name.endswith(_ENDINGS) and len(name) > len(ending)


def touches_secrets(action: Action) -> bool:
    """Whether a tool call reads a file of secrets or prints secrets, as far as its paths and its command say."""
    if any(is_secret_file(path) for path in action.files):
        return True
    command = action.command or ""
    if _PRINTING.search(command) or _ENVIRON.search(command):
        return True
    return any(is_secret_file(word.lstrip("@")) for word in _WORD.findall(command))


def without_secret_lines(output: str) -> str:
    """An output without the lines that a search shows of files of secrets."""
    if ":" not in output and "-" not in output:
        return output
    lines = output.split("\n")
    kept = [WITHHELD if _is_of_secret_file(line) else line for line in lines]
    return output if kept == lines else "\n".join(kept)


def _is_of_secret_file(line: str) -> bool:
    found = _OF_A_FILE.match(line)
    return found is not None and is_secret_file(found[1])
