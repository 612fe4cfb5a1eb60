"""By which rubric an answer is judged: one text a kind of question, shipped or the operator's own.

The shipped texts are our own words, after the distinctions that the paper of LongMemEval makes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from truerecall.bench.qa.prompting import digest
from truerecall.errors import InvalidInput, RunError

ABSTENTION = "abstention"

_BY_TYPE: Mapping[str, Mapping[str, str]] = {
    "longmemeval": {
        "single-session-user": "user",
        "single-session-assistant": "assistant",
        "single-session-preference": "preference",
        "multi-session": "multi-session",
        "temporal-reasoning": "temporal",
        "knowledge-update": "knowledge-update",
    },
    "locomo": {
        "multi-hop": "locomo",
        "temporal": "locomo-temporal",
        "open-domain": "locomo-open-domain",
        "single-hop": "locomo",
    },
}

NAMES = tuple(sorted({name for types in _BY_TYPE.values() for name in types.values()} | {ABSTENTION}))
"""Every rubric; each is a file ``<name>.txt``."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """What makes an answer correct."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Rubrics:
    """All of them, by name."""

    texts: Mapping[str, str]
    own: tuple[str, ...] = ()
    """Names of those that the operator gave."""

    def of(self, dataset: str, kind: str, abstention: bool) -> Rubric:
        """The rubric of a question.

        Args:
            dataset: ``longmemeval`` or ``locomo``.
            kind: The question's type.
            abstention: Whether the right answer is that it cannot be known; then the type decides nothing.

        Raises:
            RunError: there is no rubric for this data set or type.
        """
        name = ABSTENTION if abstention else _BY_TYPE.get(dataset, {}).get(kind)
        if name is None:
            raise RunError(
                f"there is no rubric for questions of type {kind!r}",
                where=dataset,
                remedy=f"Data sets with rubrics: {', '.join(sorted(_BY_TYPE))}, each with its own types.",
            )
        return Rubric(name, self.texts[name])

    def digests(self) -> dict[str, str]:
        """Sha256 of each text, by name."""
        return {name: digest(self.texts[name]) for name in NAMES}


def load_rubrics(folder: Path | None = None) -> Rubrics:
    """The shipped rubrics; each that is a file of ``folder`` too is taken from there.

    Raises:
        InvalidInput: the folder cannot be read or holds no rubric, or a file of it has another name than those of
            ``NAMES``, is empty, or is not UTF-8. Files whose names begin with a dot are passed over.
    """
    shipped = _read(Path(__file__).with_name("rubrics"))
    own = _read(folder) if folder is not None else {}
    return Rubrics({**shipped, **own}, tuple(own))


def _read(folder: Path) -> dict[str, str]:
    try:
        files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise _bad(f"the rubrics cannot be read: {error.strerror}", folder) from error
    if not files:
        raise _bad("there is no rubric in the folder", folder)
    return {path.stem: _text(path) for path in files}


def _text(path: Path) -> str:
    if path.suffix != ".txt" or path.stem not in NAMES:
        raise _bad("there is no rubric of this name", path)
    try:
        # Line ends and a byte-order mark are the editor's, not the rubric's: they must not change its digest.
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError as error:
        raise _bad(f"the rubric is not UTF-8 (byte {error.start})", path) from error
    except OSError as error:
        raise _bad(f"the rubric cannot be read: {error.strerror}", path) from error
    if not text:
        raise _bad("the rubric is empty", path)
    return text


def _bad(problem: str, path: Path) -> InvalidInput:
    remedy = f"Give UTF-8 texts named {', '.join(f'{name}.txt' for name in NAMES)}; those left out stay as shipped."
    return InvalidInput(problem, where=str(path), remedy=remedy)
