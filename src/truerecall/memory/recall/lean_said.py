"""What of a long prompt says what is wanted: a log or a file that was pasted before it, or after it, drowns it."""

import re

from truerecall.memory.recall.lean_gate import topical
from truerecall.memory.recall.terms import terms_of

_LONG = 600  # characters of a prompt that may hold a paste
_SAID = 400  # characters, at most, that say what is wanted
_LEAST = 2  # words that can name a subject
_SENTENCE = r"\n|(?<=[.!?\u3002\uff01\uff1f])\s"  # compiled on first use: few prompts are long
_ASKS = ("?", ":", "\uff1f", "\uff1a")


def parts_of(text: str) -> list[str]:
    """The texts to recall by, in turn, until something relevant is found: what a long one says first, then all of it.

    What is said is the first line where it asks or announces something, else the last sentence where it does, else the
    last line, or the last sentences.
    """
    stripped = text.strip()
    if len(stripped) <= _LONG:
        return [text]
    lines = stripped.splitlines()
    first, last = lines[0].strip(), lines[-1].strip()
    sentences = re.split(_SENTENCE, stripped[-_SAID:])
    said = [first] if first.endswith(_ASKS) and len(first) <= _SAID else []
    said += [sentences[-1]] if sentences[-1].endswith(_ASKS) else []
    said += [last] if len(last) <= _SAID else []
    said.append(" ".join(sentences[1:]))
    return [*[part for part in said if sum(map(topical, terms_of(part))) >= _LEAST][:1], text]
