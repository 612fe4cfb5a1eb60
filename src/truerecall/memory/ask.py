"""``ask``: what was recalled goes before a chat model, and its answer comes back with every citation checked.

Nothing recalled, no call: the answer is then given up in code. What the model says is text to be checked: ids that it
cites and that were not recalled are dropped, and a sentence that its entries do not carry is marked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Literal

from truerecall.core.config import ChatSettings
from truerecall.errors import InvalidInput, InvalidSettings
from truerecall.memory.cited import Sentence, read_citations
from truerecall.memory.recall.recalled import Recall
from truerecall.memory.support import support
from truerecall.memory.write.border import normalise, strip_recalled
from truerecall.models.protocols import ChatMessage, ChatModel, ChatReply

NO_ANSWER = "NO ANSWER"
"""What the model is told to reply where the entries do not answer; as in ask.txt beside this module."""

Abstention = Literal[
    "nothing was recalled",  # no model was called
    "nothing recalled fits the budget",  # no model was called
    "the model found no answer in what was recalled",
    "the model's reply is empty",
]


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer that cites, with the verdict on it."""

    text: str
    """Without its citations."""
    cited: tuple[str, ...]
    """Entries, all of them recalled."""
    supported: bool
    """Whether they carry it, by their words."""
    share: float
    """Of its terms, that they hold."""
    missing: tuple[str, ...]
    """Its terms that they do not hold, without their endings."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, and on what it stands."""

    text: str
    """Empty where there is no answer. Citations of what was not recalled are left out."""
    abstained: Abstention | None
    """Why there is no answer."""
    claims: tuple[Claim, ...]
    """The sentences that cite, each checked."""
    uncited: tuple[str, ...]
    """The sentences that cite nothing that was recalled."""
    citations: tuple[str, ...]
    """The entries that it cites and that were recalled, in its order."""
    unknown: tuple[str, ...]
    """Ids that it cites and that were not recalled, as it wrote them."""
    reply: ChatReply | None
    """What the model said; None where none was called."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know, a line each."""
        found = [
            f"not supported by what it cites: {claim.text}" for claim in self.claims if not claim.supported
        ]
        found += [f"cites nothing that was recalled: {text}" for text in self.uncited]
        found += [f"cited {cited}, which was not recalled" for cited in self.unknown]
        if self.reply is not None and self.reply.cut:
            found.append("the answer was cut: raise max_tokens under [chat]")
        return tuple(found)


def switched_on(settings: ChatSettings, chat: ChatModel | None, verb: Literal["ask", "reflect"]) -> ChatModel:
    """The chat model, where there is one and the verb is switched on; ``InvalidSettings`` otherwise."""
    if chat is None or not getattr(settings, verb):
        missing = [*(["no chat model is named"] if chat is None else [])]
        missing += [] if getattr(settings, verb) else [f"{verb} is switched off"]
        raise InvalidSettings(
            f"{verb} is off: {' and '.join(missing)}",
            where="[chat]",
            remedy=f'Set both under [chat]: model = "openai:MODEL" (or "scripted:FILE") and {verb} = true.',
        )
    return chat


def ask(recalled: Recall, question: str, chat: ChatModel, now: datetime, zone: tzinfo = UTC) -> Answer:
    """Answer a question from what was recalled for it.

    Args:
        recalled: Its block is all that the model sees.
        question: Any text that says something; ``InvalidInput`` otherwise.
        chat: Called once, or not at all.
        now: The date that "today" is.
        zone: Where it is that date.

    Raises:
        ChatFailed: the model gave no usable reply.
    """
    asked = strip_recalled(normalise(question).text).strip()
    if not asked:
        raise InvalidInput("the question is empty", remedy="Ask something.")
    block = recalled.block
    if not block.ids:
        return _none("nothing recalled fits the budget" if recalled.hits else "nothing was recalled", None)
    reply = chat.reply(messages(block.text, asked, now.astimezone(zone)))
    if reply.text.strip().strip(".\"'*`").upper() == NO_ANSWER:
        return _none("the model found no answer in what was recalled", reply)
    shown = {hit.entry.id: hit.entry for hit in recalled.hits if hit.entry.id in block.ids}
    cited = read_citations(reply.text, list(shown.values()))
    if not any(c.isprintable() and not c.isspace() for c in cited.text):
        return replace(_none("the model's reply is empty", reply), unknown=cited.unknown)
    claims = []
    for sentence in cited.sentences:
        if sentence.cited:
            found = support(sentence.text, [shown[i] for i in sentence.cited], asked, zone)
            claims.append(
                Claim(sentence.text, sentence.cited, found.supported, round(found.share, 6), found.missing)
            )
    return Answer(
        text=cited.text,
        abstained=None,
        claims=tuple(claims),
        uncited=_uncited(cited.sentences),
        citations=cited.ids,
        unknown=cited.unknown,
        reply=reply,
    )


def messages(block: str, question: str, today: datetime) -> list[ChatMessage]:
    """What the model is asked: the rules, then the block, the date and the question."""
    rules = Path(__file__).with_name("ask.txt").read_text(encoding="utf-8")
    return [
        ChatMessage("system", rules),
        ChatMessage(
            "user", f"{block}\n\nToday is {today:%A}, {today.date().isoformat()}.\n\nQuestion: {question}"
        ),
    ]


def _none(reason: Abstention, reply: ChatReply | None) -> Answer:
    return Answer("", reason, (), (), (), (), reply)


def _uncited(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    return tuple(s.text for s in sentences if not s.cited and any(map(str.isalnum, s.text)))
