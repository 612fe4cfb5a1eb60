"""Every claim, in the order in which they are printed."""

from truerecall.bench.claims import comparisons, reading, searching, storing
from truerecall.bench.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = (*storing.CLAIMS, *reading.CLAIMS, *searching.CLAIMS, *comparisons.CLAIMS)
