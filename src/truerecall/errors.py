"""Every error that truerecall raises on purpose, in one family.

::

    TruerecallError
    ├── InvalidInput            what was given cannot be used (also a ValueError)
    │   ├── InvalidScope        a tenant, space or user that could mean "everyone"
    │   ├── InvalidTime         a naive datetime, or a date that is none
    │   └── InvalidSettings     an unknown or impossible setting
    ├── NotFound                no such entry for this reader
    ├── StoreError              the store cannot do what was asked; nothing was changed
    │   ├── NotAStore           the file is not a truerecall store, or is damaged
    │   ├── StoreTooNew         written by a newer version
    │   ├── StoreLocked         another process held the write lock for too long
    │   ├── StoreReadOnly       the file or its folder cannot be written
    │   └── StoreFull           the disk is full
    ├── ArchiveError            an export that cannot be written, or one that is not what its manifest says
    ├── ModelError              a local or remote model
    │   ├── ModelMissing        named but not installed
    │   ├── WrongWeights        the weights are not the ones that were pinned
    │   ├── ModelMismatch       the store holds another model's vectors
    │   └── ChatFailed          a chat model that was asked gave no usable answer
    │       └── ChatRefused     nor would it ever: a key, a model or an address that its provider does not take
    ├── TranscriptError         a coding agent's transcript that cannot be read at all
    ├── InstallError            an agent's own files that cannot be changed, or not be put back
    ├── DatasetError            a benchmark file that is missing, truncated or of another shape
    ├── SystemFailed            a system under measurement broke its protocol
    ├── RunError                a benchmark run that cannot start, resume or be compared
    │   ├── JudgeRefused        a judge that errs too often on answers whose verdict is known
    │   └── LimitReached        the next call could pass the limit of the costs; nothing is lost
    └── StudyError              a study that cannot be read, run or reported

Each says what is wrong, where, and what to do next.
"""


class TruerecallError(Exception):
    """Base of the family: ``problem`` (what), ``where`` (a path, a field, a line) and ``remedy`` (what to do next)."""

    def __init__(self, problem: str, *, remedy: str, where: str | None = None) -> None:
        super().__init__(problem, where, remedy)
        self.problem = problem
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        return f"{self.problem}{place}. {self.remedy}"

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments would be lost on the way between processes.
        return (_rebuild, (type(self), self.problem, self.remedy, self.where))


def _rebuild(kind: type[TruerecallError], problem: str, remedy: str, where: str | None) -> TruerecallError:
    return kind(problem, remedy=remedy, where=where)


class InvalidInput(TruerecallError, ValueError):
    """What was given cannot be used."""


class InvalidScope(InvalidInput):
    """A tenant, space or user that is empty, a wildcard or not a string."""


class InvalidTime(InvalidInput):
    """A naive datetime, or a text that names no date."""


class InvalidSettings(InvalidInput):
    """An unknown setting, or one with an impossible value."""


class NotFound(TruerecallError, LookupError):
    """No such entry, as far as this reader may know."""


class StoreError(TruerecallError):
    """The store cannot do what was asked; nothing was changed."""


class NotAStore(StoreError):
    """The file is not a truerecall store, or it is damaged."""


class StoreTooNew(StoreError):
    """The store was written by a newer version of truerecall."""


class StoreLocked(StoreError):
    """Another process held the write lock longer than the busy time-out."""


class StoreReadOnly(StoreError):
    """The file or its folder cannot be written."""


class StoreFull(StoreError):
    """The disk is full; the transaction was rolled back."""


class ArchiveError(TruerecallError):
    """An export that cannot be written, or one that is not what its manifest says."""


class ModelError(TruerecallError):
    """A model that cannot be used."""


class ModelMissing(ModelError):
    """A model that was named but is not installed."""


class WrongWeights(ModelError):
    """Weights whose hash is not the pinned one."""


class ModelMismatch(ModelError):
    """The store holds vectors of another model; vectors of two models are never mixed."""


class ChatFailed(ModelError):
    """A chat model that was asked gave no usable answer; how often it was tried is over."""

    tries: int = 1
    """Requests that may have been paid."""
    tokens_in: int | None = None
    """Of the last request, where its provider told them though the answer cannot be used."""
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None


class ChatRefused(ChatFailed):
    """A chat model that no further question would get an answer from: its key, its name or its address is wrong."""


class TranscriptError(TruerecallError):
    """A coding agent's transcript that cannot be read at all; single lines that cannot are counted instead."""


class InstallError(TruerecallError):
    """A coding agent's own files that cannot be changed, or not be put back; nothing was changed."""


class DatasetError(TruerecallError):
    """A benchmark file that is missing, truncated or of another shape."""


class SystemFailed(TruerecallError):
    """A system under measurement failed or broke the adapter protocol."""


class RunError(TruerecallError):
    """A benchmark run that cannot start, resume or be compared."""


class JudgeRefused(RunError):
    """A judge that accepts wrong answers, or refuses right ones, too often for its verdicts to count."""


class LimitReached(RunError):
    """The next call could pass the limit of the costs; what is finished is kept, and a higher limit goes on."""


class StudyError(TruerecallError):
    """A study that cannot be read, run or reported; what was finished is kept."""
