"""Entry ids: UUIDv7 (RFC 9562) from an injected clock and injected random bits.

The ids of one source increase strictly, also within a millisecond and when the clock steps back, so that
sorting by id is sorting by arrival.
"""

import os
import re
import struct
from collections.abc import Callable

from truerecall.core.clock import Clock, to_micros
from truerecall.errors import InvalidInput

RandomBits = Callable[[int], int]
"""Returns an integer of the given number of random bits."""

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def system_bits(count: int) -> int:
    """Random bits from the operating system."""
    return int.from_bytes(os.urandom((count + 7) // 8), "big") >> (-count % 8)


def seeded_bits(seed: int) -> RandomBits:
    """The same bits for the same seed: for tests and for runs that must give the same bytes."""
    import random  # most sources of ids have no seed

    return random.Random(seed).getrandbits


class IdSource:
    """Gives out UUIDv7 strings; safe to share between threads."""

    def __init__(self, clock: Clock, bits: RandomBits = system_bits) -> None:
        self._clock = clock
        self._bits = bits
        self._millis = -1
        self._tail = 0
        import threading  # on first use: who only reads gives out none

        self._lock = threading.Lock()

    def __call__(self) -> str:
        """The next id."""
        (entry_id,) = self.many(1)
        return entry_id

    def many(self, count: int) -> list[str]:
        """The next ids; at one reading of the clock, and with one draw of bits."""
        with self._lock:
            millis = max(0, to_micros(self._clock()) // 1000)
            found = []
            if count and millis > self._millis:
                self._begin(millis)
                found.append(_format(self._millis, self._tail))
            for step in self._steps(count - len(found)):
                self._tail += 1 + step
                if self._tail >> 74:
                    self._begin(self._millis + 1)
                found.append(_format(self._millis, self._tail))
            return found

    def _begin(self, millis: int) -> None:
        # The top bit stays free, so that counting on within this millisecond cannot overflow soon.
        self._millis, self._tail = millis, self._bits(73)

    def _steps(self, count: int) -> tuple[int, ...]:
        """So many numbers of 32 bits."""
        return struct.unpack(f"<{count}I", self._bits(32 * count).to_bytes(4 * count, "little"))


def _format(millis: int, tail: int) -> str:
    value = (
        (millis & (1 << 48) - 1) << 80 | 0x7 << 76 | (tail >> 62) << 64 | 0b10 << 62 | tail & (1 << 62) - 1
    )
    return _dashed(f"{value:032x}")


def id_bytes(entry_id: str) -> bytes:
    """The 16 bytes of an id; ``InvalidInput`` if it is none."""
    text = entry_id.lower() if isinstance(entry_id, str) else ""
    if not _UUID.fullmatch(text):
        raise InvalidInput(
            f"{entry_id!r} is not an entry id",
            remedy="Ids look like 018f2b6e-0000-7000-8000-000000000000; `list` and `recall` print them.",
        )
    return bytes.fromhex(text.replace("-", ""))


def id_text(value: bytes) -> str:
    """The id of its 16 bytes."""
    return _dashed(value.hex())


def _dashed(text: str) -> str:
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
