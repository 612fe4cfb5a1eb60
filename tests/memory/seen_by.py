"""All that a reader can see of a store, as text: two stores that he cannot tell apart give the same."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from whole_store import dump, traced

from truerecall import ManualClock, Memory, Settings
from truerecall.core.config import ChatSettings, FactorWeights, LaneWeights, RecallSettings
from truerecall.errors import TruerecallError
from truerecall.memory.reflect.groups import Limits
from truerecall.memory.reflect.run import Options
from truerecall.models.scripted import ScriptedChat

ALL_ON = Settings(
    recall=RecallSettings(diversity=0.7, synonyms=True, intent_boost=1.5),
    lanes=LaneWeights(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    factors=FactorWeights(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1),
    chat=ChatSettings(ask=True, reflect=True),
)
"""Every lane, factor and stage."""
QUERIES = (
    "Where does Mara live?",
    "What happened yesterday with Katarina and Bob?",
    "list all of the db team in 2023",
    "What do I prefer?",
    "東京",
    "why did the mill close",
)
NOTHING = '{"observations": [], "facts": [], "causes": []}'


def outcome(call: Callable[[], Any]) -> str:
    """What a call gave, or the words of its refusal."""
    try:
        return repr(call())
    except TruerecallError as error:
        return f"{type(error).__name__}: {error}"


def prompts(memory: Memory, verb: Callable[[ScriptedChat], object], replies: Sequence[str] = ()) -> str:
    """What a chat model gets to see of a memory."""
    chat = ScriptedChat(replies or [NOTHING] * 50)
    verb(chat)
    return "\n".join(message.content for asked in chat.asked for message in asked)


def recalls(memory: Memory, queries: Sequence[str] = QUERIES, **options: Any) -> str:
    """Traces and blocks."""
    recalled = [memory.recall(query, **options) for query in queries]
    return "\n".join(part for one in recalled for part in (traced(one), one.text))


def facts(memory: Memory, moments: Sequence[datetime] = ()) -> str:
    """Every statement with where it stands: now, and by each moment."""
    asked: list[dict[str, Any]] = [{}, {"current": False}, {"subject": "Mara", "current": False}]
    for moment in moments:
        asked += [{"known_at": moment, "current": False}, {"valid_at": moment, "current": False}]
    found = [fact for options in asked for fact in memory.facts(**options)]
    return "\n".join(json.dumps(asdict(fact), ensure_ascii=False, default=str) for fact in found)


def exported(memory: Memory, folder: Path) -> str:
    """Every byte of an export, file by file."""
    files = sorted(memory.export(folder).iterdir())
    return "\n".join(f"{file.name}\n{file.read_text(encoding='utf-8')}" for file in files)


def seen(memory: Memory, clock: ManualClock, folder: Path) -> dict[str, str]:
    """By verb, all that the memory's reader sees; a new ``folder`` takes the export."""
    now = clock()
    back = now - timedelta(days=3)
    with memory.at(back) as cut:
        past = dump(cut) + recalls(cut, QUERIES[:2]) + facts(cut)
    found = {
        "recall": recalls(memory),
        "recall of every trust": recalls(memory, QUERIES[:3], trust=["system", "learned", "external"]),
        "recall of a time": recalls(memory, QUERIES[1:2], time="hard"),
        "recall of the past": recalls(memory, QUERIES[:2], valid_at=back),
        "facts": facts(memory, [back]),
        "profile": repr(memory.profile()),
        "list and history": dump(memory),
        "counts": repr(memory.counts()),
        "at": past,
        "export": exported(memory, folder),
        "ask": prompts(memory, lambda chat: memory.ask(QUERIES[0], chat=chat, learn=False)),
        "health": repr([(one.check, one.healthy) for one in memory.doctor().findings]),
    }
    options = Options(limits=Limits(least=2), external=True)
    found["reflect"] = prompts(memory, lambda chat: memory.reflect(options, chat=chat))
    extract = replace(options, extract=True)
    found["reflect on single ones"] = prompts(memory, lambda chat: memory.reflect(extract, chat=chat))
    return found
