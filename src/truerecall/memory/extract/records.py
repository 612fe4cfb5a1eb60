"""What the rules find in a text."""

from dataclasses import dataclass
from datetime import tzinfo
from typing import Literal

from truerecall.memory.dates.span import Span

EXTRACTION_VERSION = 1
"""Of all rules: stored in a store; what was extracted by another version is extracted again."""

EntityKind = Literal[
    "name",  # a person, a place, an organisation, a work: what is written with capitals
    "handle",  # @ada, #release, an e-mail address
    "link",  # a URL
    "path",  # a file or a folder
    "command",  # what is typed at a prompt
    "error",  # an exception's or a signal's name, an error code
    "version",  # v1.2.3, 3.11
    "identifier",  # a name in code: snake_case, camelCase, CONSTANT, call()
    "value",  # the object of a statement that is none of these
]


@dataclass(frozen=True, slots=True)
class Rules:
    """How a store takes things out of texts."""

    on: bool
    """Whether it does at all; an entry's own statement is kept either way."""
    zone: tzinfo
    """In which the days are that a text names; fixed when the store is made."""


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as a text names it."""

    key: str
    """What makes it the same entity as another's: see ``names.key_of``."""
    name: str
    """As it is written, but that curly quotes are straight."""
    kind: EntityKind


@dataclass(frozen=True, slots=True)
class Said:
    """A statement that a text makes."""

    subject: Named
    predicate: str
    """A word or several joined by ``_``, of ``memory.predicates``."""
    object: Named
    span: Span | None = None
    """The date that its sentence names; None where it names none, or when it was said is not known."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """All that was found; empty of a text that names nothing."""

    entities: tuple[Named, ...] = ()
    """Distinct by key, in the order of the text; the speaker's own first."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Pairs of keys that the text says are one entity ("Robert, known as Bob")."""
    statements: tuple[Said, ...] = ()
    """Their subjects and objects stand in ``entities`` too, but for values."""
    span: Span | None = None
    """The first date that it names, resolved against when it was said."""
