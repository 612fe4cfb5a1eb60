"""What a report may say: no control characters, no address, and nothing that looks like a secret."""

from truerecall.bench import secrecy
from truerecall.bench.report.figures import plain


def disclosed(text: str) -> str:
    """One printable line of a manifest's text, its addresses and secrets replaced.

    What writes a manifest leaves both out of it. This stands behind it: a manifest may come from elsewhere, and a
    server's message may hold anything.
    """
    return secrecy.disclosed(plain(text))
