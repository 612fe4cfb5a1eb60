"""The counter of the hook's budgets: three bytes a token, and nothing to load.

The counter that is proven never to count under (``models.token_bound``) finds 2.9 characters a token in answers of the
development transcripts, and takes 35 ms of a prompt's time to say so. This one is no bound: dense text, such as hashes,
has fewer bytes a token. What a tool takes inline is a limit of its own, and is measured exactly (``block``).
"""

BYTES = 3


class BytesCounter:
    """Counts a token for every three bytes of UTF-8, or part of them."""

    name = "bytes-3"

    def count(self, text: str) -> int:
        """About as many tokens as a text has, rather more than less in prose."""
        return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES)
