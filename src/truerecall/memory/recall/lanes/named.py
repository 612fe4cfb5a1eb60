"""Which entities a query may name: those that the rules find in it, and its words as they would be keyed.

Queries are written carelessly: "where does mara live". The rules take no name from that, yet "mara" may be known. So
each run of up to three words is a key to look for, unless it begins or ends with a stop word, and of a script without
spaces each run of two to six characters. Only keys that an entry names count in the end.
"""

import re
from datetime import UTC

from truerecall.memory.analysis import STOP_WORDS, runs
from truerecall.memory.extract.names import key_of
from truerecall.memory.extract.rules import extract

_MOST_WORDS = 48  # the last ones of a long query: its end says most often what is wanted
_MOST_KEYS = 256
_LONGEST = 3  # words of a name
_CHARACTERS = range(2, 7)
_EDGES = re.compile(r"^[^\w@#/.~$-]+|[^\w/)]+$")  # of a word; not what a path or a handle begins with


def names_asked(text: str) -> tuple[str, ...]:
    """The keys, distinct: those of the rules first."""
    keys = [entity.key for entity in extract(text, None, None, UTC).entities]
    words = [_EDGES.sub("", word) or word for word in text.split()[-_MOST_WORDS:]]
    stops = [word.lower() in STOP_WORDS for word in words]
    for size in range(1, _LONGEST + 1):
        for start in range(len(words) - size + 1):
            if not stops[start] and not stops[start + size - 1]:
                keys.append(key_of(" ".join(words[start : start + size])))
    for run in runs(text):
        keys += [key_of(run[i : i + n]) for n in _CHARACTERS for i in range(len(run) - n + 1)]
    return tuple(dict.fromkeys(key for key in keys if key))[:_MOST_KEYS]
