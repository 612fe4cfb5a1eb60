"""Redaction: secrets of every shape in every carrier are masked, and documentation stays as it is."""

import random
import string
from collections.abc import Callable, Mapping

from truerecall.bench.claims.grounds import Fixture
from truerecall.bench.suite.manifest import Part, Tally
from truerecall.core.config import Settings
from truerecall.core.entry import Draft, Source

_LETTERS = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"


def _drawn(draw: random.Random, length: int, alphabet: str = _LETTERS) -> str:
    """Drawn characters, with a digit and a letter among them."""
    text = "".join(draw.choice(alphabet) for _ in range(length - 2))
    return (
        f"{draw.choice('bcdefhjkmnp')}{text}{draw.choice('2345679')}" if alphabet == _LETTERS else text + "a7"
    )


# Prefixes in halves: no scanner of a repository should take a template for a real key.
_SHAPES: Mapping[str, Callable[[random.Random], str]] = {
    "aws key id": lambda draw: "AKI" + "A" + _drawn(draw, 18, string.ascii_uppercase + "234567")[:16].upper(),
    "github": lambda draw: "gh" + "p_" + _drawn(draw, 36),
    "github, fine-grained": lambda draw: "github" + "_pat_" + _drawn(draw, 40),
    "gitlab": lambda draw: "glp" + "at-" + _drawn(draw, 22),
    "anthropic": lambda draw: "sk" + "-ant-api03-" + _drawn(draw, 48),
    "openai": lambda draw: "sk" + "-proj-" + _drawn(draw, 48),
    "openai, old": lambda draw: "sk" + "-" + _drawn(draw, 48),
    "slack": lambda draw: "xox" + "b-2048-4096-" + _drawn(draw, 24),
    "google": lambda draw: "AI" + "za" + _drawn(draw, 35),
    "stripe": lambda draw: "sk" + "_live_" + _drawn(draw, 24),
    "npm": lambda draw: "npm" + "_" + _drawn(draw, 36),
    "pypi": lambda draw: "pypi" + "-AgEIcHlwaS5vcmc" + _drawn(draw, 60),
    "hugging face": lambda draw: "hf" + "_" + _drawn(draw, 34),
    "sendgrid": lambda draw: "SG" + "." + _drawn(draw, 22) + "." + _drawn(draw, 43),
    "telegram": lambda draw: f"{draw.randrange(10**8, 10**9)}:AA{_drawn(draw, 33)}",
    "digital ocean": lambda draw: "dop" + "_v1_" + _drawn(draw, 64, _HEX),
    "json web token": lambda draw: "eyJ" + "hbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiI0MiJ9." + _drawn(draw, 43),
    "private key": lambda draw: "\n".join(
        [
            "-----BEGIN " + "PRIVATE KEY-----",
            *("MIIE" + _drawn(draw, 60) for _ in range(4)),
            "-----END " + "PRIVATE KEY-----",
        ]
    ),
    "database address": lambda draw: f"postgres://app:{_drawn(draw, 14)}@db.internal:5432/shop",
    "cache address": lambda draw: f"redis://:{_drawn(draw, 18)}@cache.internal:6379/0",
    "password": lambda draw: f"password={_drawn(draw, 14)}",
    "labelled in json": lambda draw: f'"client_secret": "{_drawn(draw, 32)}"',
    "bearer": lambda draw: f"Authorization: Bearer {_drawn(draw, 40)}",
    "option": lambda draw: f"--password {_drawn(draw, 14)}",
    "variable": lambda draw: f"DB_PASSWORD={_drawn(draw, 16)}",
}
"""By name, what makes a secret with all that belongs to its shape."""

_CARRIERS = {
    "prose": "Please keep this for later: {secret} and tell {person}.",
    "line of its own": "Deploy notes\n{secret}\nEnd of notes.",
    "code block": "```sh\n# set up\n{secret}\n```\n{person} wrote it.",
    "log line": "2024-05-07T09:30:00Z WARN retrying after failure {secret}",
    "between blanks": "  \t{secret}\t  ",
    "quoted": "> {secret}\n\nThat is what {person} sent.",
    "list": "- first\n- {secret}\n- third",
    "beside other scripts": "東京のサーバー: {secret} です。",
}

_DOCUMENTATION = (
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-ant-your-api-key-goes-here",
    "postgres://user:password@localhost:5432/app",
    "postgres://${USER}:${PASSWORD}@db/app",
    "There is no API key in this file.",
    "The password must have at least eight characters.",
    "token budget: 2000",
    "max_tokens=4096",
    "password=changeme",
    "password: your-password-here",
    'api_key = "your-api-key"',
    "token=${GITHUB_TOKEN_2}",
    'password = os.environ["DB_PASSWORD1"]',
    "def login(password: str, token: str | None = None) -> Session2:",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "550e8400-e29b-41d4-a716-446655440000",
    "https://github.com/acme/tool/pull/42?tab=files#r1234567890",
)
"""What shows how a secret is written, or only looks like one: it must stay."""


def redaction(seeds: tuple[int, ...]) -> Part:
    """Every shape in every carrier, as a turn and as who said it; and every line of documentation."""
    left = Tally("secret left", "A secret stands in what is stored.", "none")
    named = Tally("secret left in a name", "A secret stands in the name of a speaker or a session.", "none")
    context = Tally("text beside it kept", "All that is no secret is kept as it was.", "all")
    kept = Tally("documentation kept", "Documentation is stored byte for byte.", "all")
    for seed in seeds:
        made = Fixture(seed)
        person = made.person
        with made.open(Settings()) as memory:
            for shape, make in _SHAPES.items():
                secret = make(made.random)
                value = _value(secret)
                for carrier, text in _CARRIERS.items():
                    said = text.format(secret=secret, person=person)
                    (result,) = memory.remember(Draft(said))
                    stored = memory.get(str(result.id)).text
                    left.add(value in stored, f"{shape}, {carrier}, seed {seed}")
                    before, _, after = said.partition(secret)
                    whole = stored.startswith(before) and stored.endswith(after)
                    context.add(whole, f"{shape}, {carrier}, seed {seed}")
                (result,) = memory.remember(
                    Draft(f"Said by {person}.", source=Source(speaker=secret, session=secret))
                )
                source = memory.get(str(result.id)).source
                named.add(value in f"{source.speaker}{source.session}", f"{shape}, seed {seed}")
            for line in _DOCUMENTATION:
                for carrier, text in _CARRIERS.items():
                    said = text.format(secret=line, person=person)
                    (result,) = memory.remember(Draft(said))
                    kept.add(memory.get(str(result.id)).text == said, f"{line}, {carrier}")
    tallies = (left, named, context, kept)
    return Part(
        name="redaction",
        templates=(len(_SHAPES) + len(_DOCUMENTATION)) * len(_CARRIERS),
        figures=[tally.figure() for tally in tallies],
    )


def _value(secret: str) -> str:
    """What must not be stored of it: its longest run of the characters that are drawn."""
    runs = "".join(c if c in _LETTERS else " " for c in secret).split()
    return max(runs, key=len)
