"""What is lastingly so of the user: one row for each trait and key, private to its user, written over by the next.

A row is an entry of kind ``profile``. Its key stands in the statement that it makes: the user, ``<trait>_<key>``, the
text. So purge, export and the past hold for it as for any entry, and a row that was written over stays in its history.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, get_args

from truerecall.core.entry import Draft, Entry, Event, ProfileTrait, Source, Statement, Trust
from truerecall.errors import InvalidInput, NotFound
from truerecall.memory.predicates import canonical
from truerecall.memory.store.protocol import Filter
from truerecall.memory.write.mask import mask
from truerecall.memory.write.prepare import WriteResult
from truerecall.memory.write.validate import profile_refusal

if TYPE_CHECKING:
    from truerecall.memory.memory import Memory

_ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One trait of the user, as it is now."""

    trait: ProfileTrait
    key: str
    """What of the user it is about, such as ``language``: a trait has one row a key."""
    text: str
    entry_id: str
    trust: Trust
    """System or learned."""
    recorded_at: datetime


def put(
    memory: "Memory",
    trait: ProfileTrait,
    key: str,
    text: str,
    *,
    trust: Trust | str = Trust.LEARNED,
    source_ids: Sequence[str] = (),
) -> WriteResult:
    """Set a row; an older one of the same trait and key is superseded, and can be looked up in its history.

    Refused, with the reason in the result: what is external, given as such or by one of its sources; a text that gives
    orders; and one that is trusted less than the row that it would take the place of.

    Args:
        memory: Whose user it is about.
        trait: identity, preference, relationship or instruction.
        key: What it is about, in a word or a few.
        text: The trait, best a sentence of its own: recall returns it as it is.
        trust: system or learned.
        source_ids: The entries that it was taken from.
    """
    predicate = _predicate(trait, key)
    if not isinstance(text, str):
        raise InvalidInput(f"a profile's text is {type(text).__name__}", remedy="Give a string.")
    tier = min(Trust.parse(trust), *(memory.get(source).trust for source in source_ids), Trust.SYSTEM)
    if (refusal := profile_refusal("profile", tier)) is not None:
        return WriteResult("refused", None, refusal)
    older = [entry for entry in _living(memory) if _names(entry, predicate)]
    if any(entry.trust > tier for entry in older):
        label = max(entry.trust for entry in older).label
        return WriteResult("refused", None, f"what is known is trusted more: {label} over {tier.label}")
    if older and older[0].text == text and older[0].trust == tier:
        return WriteResult("duplicate", older[0].id)
    draft = Draft(
        text,
        kind="profile",
        decay_class="semantic",
        trust=tier,
        visibility="private",
        source=Source(channel="profile", session=predicate),  # an equal text of another key is no duplicate
        source_ids=tuple(source_ids),
        statement=Statement(memory.scope.user, predicate, text) if text.strip() else None,
        trait=trait,
    )
    (result,) = memory.remember(draft)
    if result.id is not None and result.status != "duplicate":
        now = memory._clock()
        events = [Event(memory._ids(), now, "superseded", entry.id, result.id) for entry in older]
        memory._store.close_entries(memory.scope, events)
    return result


def rows(memory: "Memory", trait: ProfileTrait | None = None) -> tuple[ProfileRow, ...]:
    """The user's rows as they are now, by trait and key; of one trait only where it is named."""
    if trait is not None:
        _check_trait(trait)
    found: dict[tuple[int, str], ProfileRow] = {}
    for entry in _living(memory):
        if entry.trait is None or entry.statement is None or trait not in (None, entry.trait):
            continue
        key = entry.statement.predicate.removeprefix(f"{entry.trait}_")
        row = ProfileRow(entry.trait, key, entry.text, entry.id, entry.trust, entry.recorded_at)
        # The newest first: an older one stands here only if a process ended before it could supersede it.
        found.setdefault((get_args(ProfileTrait).index(entry.trait), key), row)
    return tuple(row for _, row in sorted(found.items()))


def remove(memory: "Memory", trait: ProfileTrait, key: str) -> None:
    """Retire a row: it is history from now on; ``NotFound`` where there is none."""
    predicate = _predicate(trait, key)
    ids = [entry.id for entry in _living(memory) if _names(entry, predicate)]
    if not ids:
        raise NotFound(
            f"there is no {trait} {key!r} in the profile", remedy="Look at the rows that there are."
        )
    memory.forget(*ids)


def _living(memory: "Memory") -> list[Entry]:
    """The user's own rows that are not ended, the last learned first; what is shared with others is no row.

    Were it one, a new row would end it, and everybody in the space would see that there is one.
    """
    listed = memory.list(Filter(kind="profile", newest=_ALL))
    return [entry for entry in listed if entry.visibility == "private"]


def _names(entry: Entry, predicate: str) -> bool:
    return entry.statement is not None and canonical(entry.statement.predicate) == predicate


def _predicate(trait: ProfileTrait, key: str) -> str:
    _check_trait(trait)
    if not isinstance(key, str) or not any(character.isalnum() for character in key):
        raise InvalidInput(f"a profile's key is {key!r}", remedy="Give a word or a few, such as 'language'.")
    if mask(key).count:  # in the form of a key it could not be told from other words any more
        raise InvalidInput(
            "a profile's key holds a secret", remedy="Put it into the text: there it is masked."
        )
    return f"{trait}_{canonical(key)}"


def _check_trait(trait: ProfileTrait) -> None:
    if trait not in get_args(ProfileTrait):
        raise InvalidInput(
            f"{trait!r} is not a trait", remedy=f"Use one of: {', '.join(get_args(ProfileTrait))}."
        )
