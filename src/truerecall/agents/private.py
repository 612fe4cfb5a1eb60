"""What a person marked as private: ``<private>…</private>`` is left out before anything is stored or asked."""

import re

_TAG = r"(?i)<\s*(/\s*)?private(?=[\s/>])[^<>]*>"  # compiled on first use: most prompts hold no tag


def without_private(text: str) -> str:
    """The text without its private blocks.

    Tags count in any case and may be nested; a block that is never closed reaches to the end of the text, also where
    the tag was only spoken of: better too little is kept than too much. A closing tag that closes nothing, and a tag
    closed in itself (``<private/>``), mark nothing and are left out alone.
    """
    if "<" not in text:
        return text
    kept: list[str] = []
    depth = start = 0
    for tag in re.finditer(_TAG, text):
        if depth == 0:
            kept.append(text[start : tag.start()])
        if tag.group(1):
            depth = max(0, depth - 1)
        elif not tag.group().rstrip(">").rstrip().endswith("/"):
            depth += 1
        start = tag.end()
    if depth == 0:
        kept.append(text[start:])
    return "".join(kept)
