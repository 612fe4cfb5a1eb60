"""Groups of entries to reflect on: of one partition and one trust tier, they name the same entity or share a session.

What was reflected on under a head, such as an entity, does not come up under it again. Derived entries are left out:
reflecting on reflections would make much of little.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice

import numpy as np

from truerecall.core.entry import DERIVED, Entry, Trust
from truerecall.memory.extract.names import key_of
from truerecall.memory.recall.pack import Packed, pack
from truerecall.memory.store.rows import PARTITION_BITS
from truerecall.memory.store.view import View
from truerecall.models.protocols import TokenCounter

_READ = 500  # entries read at once


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one run may take on."""

    groups: int = 20
    """Groups, and so calls, at most."""
    entries: int = 24
    """Entries of a group, at most."""
    least: int = 3
    """Entries of a group, at least."""
    tokens: int = 4000
    """Tokens of a group's entries, at most."""


@dataclass(frozen=True, slots=True)
class Group:
    """Entries that are reflected on together."""

    about: tuple[str, ...]
    """What they share: ``entity:KEY`` or ``session:NAME``; more where some of them share more."""
    entries: tuple[Entry, ...]
    """As many as fit, in the order in which they arrived."""
    packed: Packed
    """The block of them that the model is shown."""
    digests: tuple[bytes, ...]
    """What is noted once it is done: one for each entry and what it has in common with others."""

    @property
    def digest(self) -> str:
        """Names the group in what is derived from it."""
        return blake2b(b"".join(self.digests), digest_size=8).hexdigest()

    @property
    def trust(self) -> Trust:
        """Of all its entries."""
        return self.entries[0].trust


Done = Callable[[Collection[bytes]], Collection[bytes]]
"""Those of these digests that were noted before."""


@dataclass(frozen=True, slots=True)
class Marker:
    """Makes the digests that tell what was reflected on: by which model, with which prompt, under which head."""

    model: str
    prompt: str
    """Its sha256."""

    def of(self, about: str, entry: Entry) -> bytes:
        """16 bytes."""
        scope = entry.scope
        owner = scope.user if entry.visibility == "private" else ""
        parts = [scope.tenant, scope.space, owner, self.model, self.prompt, about, entry.id]
        return blake2b(json.dumps(parts).encode("ascii"), digest_size=16).digest()


def groups(view: View, marker: Marker, done: Done, limits: Limits, counter: TokenCounter) -> list[Group]:
    """The groups of a view that are next, at most ``limits.groups``; those with the most entries first.

    Of an entity that many entries name, the oldest come first and the others in later groups, after the first groups
    of all others.
    """
    found: list[Group] = []
    for about, entries in _in_turn(view, marker, done, limits):
        packed = pack(entries, limits.tokens, counter)
        kept = tuple(entry for entry in entries if entry.id in packed.ids)
        if len(kept) < limits.least:
            continue
        digests = tuple(marker.of(about, entry) for entry in kept)
        for place, one in enumerate(found):
            # Once is enough for the same entries. A part of another group is asked about by itself: which group holds
            # which hangs on what was done before, and a run that goes on must come to the same groups.
            if set(packed.ids) == set(one.packed.ids):
                found[place] = replace(one, about=(*one.about, about), digests=(*one.digests, *digests))
                break
        else:
            if len(found) == limits.groups:
                break
            found.append(Group((about,), kept, packed, digests))
    return found


def single_turns(
    view: View, marker: Marker, done: Done, limits: Limits, counter: TokenCounter
) -> list[Group]:
    """Each entry on its own, oldest first, for what is taken out of a single one."""
    found: list[Group] = []
    places = np.flatnonzero(view.allowed).tolist()
    for start in range(0, len(places), _READ):
        entries = [entry for entry in view.entries(places[start : start + _READ]) if _original(entry)]
        digests = {marker.of("turn", entry): entry for entry in entries}
        known = set(done(list(digests)))
        for digest, entry in digests.items():
            if digest not in known:
                packed = pack([entry], limits.tokens, counter)
                if packed.ids:
                    found.append(Group((f"turn:{entry.id}",), (entry,), packed, (digest,)))
                if len(found) == limits.groups:
                    return found
    return found


def _in_turn(view: View, marker: Marker, done: Done, limits: Limits) -> Iterator[tuple[str, list[Entry]]]:
    """Chunks of what each head holds: the first chunk of every head before the second of any."""
    heads = _heads(view)
    order = sorted(heads, key=lambda head: (-len(heads[head]), head))
    waiting = {head: _undone(view, head, heads[head], marker, done) for head in order}
    while waiting:
        for head in list(waiting):
            chunk = list(islice(waiting[head], limits.entries))
            if len(chunk) < limits.least:
                del waiting[head]
                continue
            yield _about(head, chunk[0]), chunk


_Head = tuple[int, int, str]
"""Partition, trust, and ``entity:KEY`` or ``session:NUMBER``."""


def _heads(view: View) -> dict[_Head, list[int]]:
    """The places of the rows under each head, in the order of arrival.

    Shared entries do not come together by a name that only a private one says is the same: what they come to is shared.
    """
    found: dict[_Head, list[int]] = defaultdict(list)
    spoken = {number: key_of(name) for number, name in view.speakers()}
    for partition, links in view.apart.items():
        within = view.allowed & (view.rowids >> PARTITION_BITS == partition)
        places: list[int] = np.flatnonzero(within).tolist()
        for start in range(0, len(places), _READ):
            part = places[start : start + _READ]
            for place, names in zip(part, links.mentioned(part), strict=True):
                tier = int(view.trust[place])
                # Who speaks is in all of his turns: they have no more in common than a session has.
                for key in sorted(names - {spoken.get(int(view.speaker[place]), "")}):
                    found[partition, tier, f"entity:{key}"].append(place)
                if view.session[place] >= 0:
                    found[partition, tier, f"session:{int(view.session[place])}"].append(place)
    return found


def _undone(view: View, head: _Head, places: Sequence[int], marker: Marker, done: Done) -> Iterator[Entry]:
    """The original entries under a head that were not reflected on under it, read as they are needed."""
    for start in range(0, len(places), _READ):
        entries = [entry for entry in view.entries(places[start : start + _READ]) if _original(entry)]
        digests = {marker.of(_about(head, entry), entry): entry for entry in entries}
        known = set(done(list(digests)))
        yield from (entry for digest, entry in digests.items() if digest not in known)


def _original(entry: Entry) -> bool:
    return not entry.source_ids and entry.kind not in DERIVED


def _about(head: _Head, entry: Entry) -> str:
    """The head by a name that stays: numbers of sessions are the store's own."""
    return head[2] if head[2].startswith("entity:") else f"session:{entry.source.session}"
