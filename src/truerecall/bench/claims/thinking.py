"""Claims about the chat model: where it is called, where it is not, and what it can make the memory believe."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import EVERY_TRUST, Fixture, stored
from truerecall.core.config import ChatSettings, Settings
from truerecall.core.entry import Draft, Source, Trust
from truerecall.errors import InvalidSettings
from truerecall.memory.memory import Memory
from truerecall.memory.recall.pack import Packed, short_id
from truerecall.memory.store.protocol import Filter
from truerecall.models.scripted import Rule, ScriptedChat

THINKING = Settings(chat=ChatSettings(model="openai:none", ask=True, reflect=True))
"""Ask and reflect are on; the model that is named is never reached, as each call is given a scripted one."""


def _no_call(settings: Settings, seed: int) -> Value:
    """Calls of the chat model while the memory remembers, recalls and is read, and in one ``ask``."""
    made, chat = Fixture(seed), ScriptedChat([], rules=[Rule(re.compile("."), "NO ANSWER")])
    thing = made.thing
    with made.open(settings, embedder="hashing") as memory:
        memory._chat = lambda: chat  # type: ignore[method-assign]  # the one that its settings name
        ids = stored(memory, *(f"{made.person} {made.deed} the {thing} in {made.town}." for _ in range(5)))
        writing = len(chat.asked)
        for query in (thing, f"When was the {thing} there?", f"List every {thing}.", "", "xyz"):
            recalled = memory.recall(query)
            _ = recalled.text, recalled.trace
        recalling = len(chat.asked) - writing
        memory.correct(ids[0], f"Nobody had the {thing}.")
        memory.at(made.start).recall(thing)
        reading = len(chat.asked) - writing - recalling
        memory.ask(f"Who had the {thing}?")
        return {"remember": writing, "recall": recalling, "correct, at": reading, "ask": len(chat.asked)}


def _citations(settings: Settings, seed: int) -> Value:
    """A model that cites an entry that was recalled, one that was not, and one that does not exist."""
    made = Fixture(seed)
    ann, thing, town = made.person, made.thing, made.town
    with made.open(settings) as memory:
        recalled, hidden = stored(memory, f"{ann} keeps the {thing} in {town}.", f"{ann} sold the {thing}.")
        memory.forget(hidden)
        names = (short_id(recalled), short_id(hidden), "00ab00ab")
        reply = f"{ann} keeps the {thing} in {town} [{names[0]}]. {ann} sold it [{names[1]}, {names[2]}]."
        answer = memory.ask(f"Where is the {thing}?", chat=ScriptedChat([reply]))
        kinds = {i: [event.kind for event in memory.history(i).events] for i in (recalled, hidden)}
        return {
            "citations that were recalled": [i == recalled for i in answer.citations],
            "unknown": [name in answer.unknown for name in names],
            "shown in the text": [f"[{name}" in answer.text for name in names],
            "became": [kinds[recalled], kinds[hidden]],
        }


def _abstention(settings: Settings, seed: int) -> Value:
    """A question that nothing answers: by what is there, and by what may be recalled."""
    made, chat = Fixture(seed), ScriptedChat([], rules=[Rule(re.compile("."), "It is so [00ab00ab].")])
    thing, found = made.thing, {}
    with made.open(settings) as memory:
        found["empty"] = memory.ask(f"Where is the {thing}?", chat=chat)
        stored(memory, f"{made.person} has the {thing}.", trust=Trust.EXTERNAL)
        found["external"] = memory.ask(f"Where is the {thing}?", chat=chat)
    return {
        **{name: [answer.abstained, answer.text] for name, answer in found.items()},
        "calls": len(chat.asked),
    }


def _switch(settings: Settings, seed: int) -> Value:
    """Whether ``ask`` and ``reflect`` answer, and how often the model is called."""
    made, chat = Fixture(seed), ScriptedChat([], rules=[Rule(re.compile("."), "{}")])
    answered = []
    with made.open(settings) as memory:
        stored(memory, *(f"{made.person} is here." for _ in range(3)), session="s")
        for verb in (lambda: memory.ask("Who is here?", chat=chat), lambda: memory.reflect(chat=chat)):
            try:
                verb()
                answered.append("answers")
            except InvalidSettings:
                answered.append("is off")
    return {"ask": answered[0], "reflect": answered[1], "calls": len(chat.asked)}


def _reflection(settings: Settings, seed: int) -> Value:
    """A model that generalises over what the operator set down, and one that concludes from it."""
    made = Fixture(seed)
    ann = made.person
    found = {}
    with made.open(settings) as memory:
        for tier in (Trust.SYSTEM, Trust.LEARNED, Trust.EXTERNAL):
            memory.remember(
                [
                    Draft(
                        f"{ann} {made.deed} the {made.thing}.",
                        trust=tier,
                        source=Source(session=tier.label, position=i),
                    )
                    for i in range(3)
                ]
            )
        memory.reflect(chat=ScriptedChat([], rules=[_reflects(memory, ann)]))
        for kind in ("observation", "fact"):
            found[kind] = sorted(entry.trust.label for entry in memory.list(Filter(kind=kind)))
        unsound = [e for e in memory.list(Filter(kind="observation")) if e.trust > Trust.LEARNED]
        counts = {entry.proof_count for entry in memory.list(Filter(kind="observation"))}
        external = len(memory.recall(ann, trust=[Trust.EXTERNAL], limit=50).hits)
    return {
        **found,
        "system rows of observations": len(unsound),
        "proofs": sorted(counts, key=str),
        "external": external,
    }


def _reflects(memory: Memory, ann: str) -> Rule:
    """Names two sources of the block that it is shown."""
    reply = (
        json.dumps(
            {
                "observations": [{"text": f"{ann} is busy (@).", "sources": ["A", "B"], "confidence": 0.8}],
                "facts": [
                    {
                        "subject": ann,
                        "predicate": "knows",
                        "object": "much",
                        "text": f"{ann} knows much (@).",
                        "sources": ["A"],
                    }
                ],
                "causes": [],
            }
        )
        .replace("@", r"\1")
        .replace('"A"', r'"\1"')
        .replace('"B"', r'"\2"')
    )
    return Rule(re.compile(r"(?s)\n\[([0-9a-f]{8}) \w+\].*?\n\[([0-9a-f]{8}) \w+\]"), reply)


def _asks_itself(original: Any) -> Any:
    def recall(self: Memory, *given: Any, **named: Any) -> Any:
        chat = self._chat()
        if chat is not None:
            chat.reply([])
        return original(self, *given, **named)

    return recall


def _believes_all(original: Any) -> Any:
    def read(answer: str, recalled: Any) -> Any:
        found = original(answer, recalled)
        ids = (*found.ids, *found.unknown)
        return SimpleNamespace(text=answer, sentences=found.sentences, unknown=(), ids=ids)

    return read


def _as_trusted(original: Any) -> Any:
    def drafts(group: Any, found: Any) -> Any:
        return tuple(replace(draft, trust=group.trust) for draft in original(group, found))

    return drafts


def _never_empty(original: Any) -> Any:
    return property(lambda self: Packed("An entry.", 2, ("00ab00ab",), ()))


CLAIMS = (
    Claim(
        name="recall-calls-no-model",
        sentence="Remembering, recalling and reading call no chat model; only what asks one by name does.",
        measures="calls of the chat model",
        scenario=_no_call,
        arms=(Arm("on", {"remember": 0, "recall": 0, "correct, at": 0, "ask": 1}, THINKING),),
        breaks=(Break("Recall asks the model first.", "memory.memory", "Memory.recall", _asks_itself),),
    ),
    Claim(
        name="ask-switch",
        sentence="Without their switches, ask and reflect are refused, and no model is called.",
        measures="what they do, calls",
        scenario=_switch,
        switch="chat.ask",
        arms=(
            Arm("off", {"ask": "is off", "reflect": "is off", "calls": 0}, Settings(), False),
            Arm("on", {"ask": "answers", "reflect": "answers", "calls": 2}, THINKING, True),
        ),
        breaks=(
            Break(
                "The switch is not asked.",
                "memory.ask",
                "switched_on",
                lambda original: lambda settings, chat, verb: chat,
            ),
        ),
    ),
    Claim(
        name="abstention",
        sentence="Where nothing is recalled, ask abstains in code, without a call.",
        measures="why, the text, calls",
        scenario=_abstention,
        arms=(
            Arm(
                "on",
                {"empty": ["nothing was recalled", ""], "external": ["nothing was recalled", ""], "calls": 0},
                THINKING,
            ),
        ),
        breaks=(
            Break("A block is never empty.", "memory.recall.recalled", "Recall.block", _never_empty),
            Break("Every tier is recalled.", "memory.memory", "recall", lambda original: _any_tier(original)),
        ),
    ),
    Claim(
        name="citations",
        sentence="What ask cites was recalled; what else the model names is dropped and told. What is cited was used.",
        measures="citations, unknown names, events",
        scenario=_citations,
        arms=(
            Arm(
                "on",
                {
                    "citations that were recalled": [True],
                    "unknown": [False, True, True],
                    "shown in the text": [True, False, False],
                    "became": [["used"], ["retired"]],
                },
                THINKING,
            ),
        ),
        breaks=(
            Break("Every id is believed.", "memory.ask", "read_citations", _believes_all),
            Break(
                "Nothing is learned from citations.",
                "memory.memory",
                "Memory.feedback",
                lambda original: lambda self, *given, **named: None,
            ),
        ),
    ),
    Claim(
        name="induction-trust",
        sentence="What a model generalises is learned at most, whatever it stands on; external sources are left out.",
        measures="tiers of observations and facts",
        scenario=_reflection,
        arms=(
            Arm(
                "on",
                {
                    "observation": ["learned", "learned"],
                    "fact": ["learned", "system"],
                    "system rows of observations": 0,
                    "proofs": [3],
                    "external": 3,
                },
                THINKING,
            ),
        ),
        breaks=(Break("It is trusted as its sources are.", "memory.reflect.drafts", "_drafts", _as_trusted),),
    ),
)


def _any_tier(original: Any) -> Any:
    def recall(store: Any, scope: Any, request: Any, means: Any) -> Any:
        return original(store, scope, replace(request, trust=EVERY_TRUST), means)

    return recall
