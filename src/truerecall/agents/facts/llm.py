"""Facts by a chat model, beside those of the rules: each must quote its turn letter by letter, or it is dropped.

So a model can choose and name, but nothing that it makes up is remembered. A fact's trust comes from its sources like
any other's.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from truerecall.agents.facts.extract import facts_in, is_own
from truerecall.agents.facts.known import key_of
from truerecall.agents.facts.quoting import sourced
from truerecall.agents.facts.records import Fact, FactKind, Kept
from truerecall.agents.facts.sentences import plain
from truerecall.agents.facts.wording import LONGEST, name_of
from truerecall.errors import ChatFailed
from truerecall.measure.prices import PriceTable, shipped
from truerecall.memory.reflect.salvage import Dropped, Element, salvage
from truerecall.models.protocols import ChatMessage, ChatModel
from truerecall.models.tokens import counter

_A_TURN, _A_CALL = 6_000, 16_000  # characters that are shown, at most
_MOST_OF_A_TURN = 5  # facts; the prompt names the same number
_LEAST_WORDS = 3  # of a quotation; fewer say nothing alone
_LONGEST_NAME = 80
_KINDS: dict[str, FactKind] = {kind: kind for kind in get_args(FactKind)}


@dataclass(slots=True)
class Spent:
    """What the calls of an extractor came to."""

    calls: int = 0
    failed: int = 0
    """Of these, how many gave no usable reply; after one of them the turns that were left are not asked about."""
    tokens_in: int = 0
    tokens_out: int = 0
    counted: int = 0
    """Calls whose tokens the provider did not tell: counted here, never under."""
    cost: float | None = 0.0
    """US dollars by the table of list prices; None as soon as one call has no known price."""
    problems: list[str] = field(default_factory=list)


class ChatFacts:
    """An extractor: what the rules find, and what the model finds beside it. Add up what it costs by ``spent``."""

    def __init__(self, chat: ChatModel, prices: PriceTable | None = None) -> None:
        self._chat = chat
        self._price = (prices or shipped()).of(chat.name)
        self._rules = Path(__file__).with_name("llm.txt").read_text(encoding="utf-8")
        self.spent = Spent()
        self.dropped: list[Dropped] = []
        """What the model proposed and is not used, with the reason."""

    def facts_in(self, new: Sequence[Kept], before: Sequence[Kept], project: str) -> tuple[Fact, ...]:
        """As ``extract.facts_in``; a model that fails costs its own facts and no others."""
        once = {key_of(fact): fact for fact in facts_in(new, before, project)}
        found: list[Fact] = []
        for shown in _calls(new):
            reply = self._asked(shown)
            if reply is None:
                break
            found += self._read(reply, shown, name_of(project))
        for fact in sourced(found, (*before, *new)):
            once.setdefault(key_of(fact), fact)
        return tuple(sorted(once.values(), key=lambda fact: fact.position))

    def _asked(self, shown: Sequence[Kept]) -> str | None:
        """What the model replied; None where it failed."""
        messages = [ChatMessage("system", self._rules), ChatMessage("user", _block(shown))]
        self.spent.calls += 1
        try:
            reply = self._chat.reply(messages)
        except ChatFailed as error:
            self.spent.failed += 1
            self.spent.problems.append(str(error))
            return None
        tokens_in, tokens_out = reply.tokens_in, reply.tokens_out
        if tokens_in is None or tokens_out is None:
            count = counter().count
            tokens_in = (
                sum(count(message.content) for message in messages) if tokens_in is None else tokens_in
            )
            tokens_out = count(reply.text) if tokens_out is None else tokens_out
            self.spent.counted += 1
        self.spent.tokens_in += tokens_in
        self.spent.tokens_out += tokens_out
        self._pay(tokens_in, reply.tokens_cached or 0, tokens_out)
        return reply.text

    def _pay(self, tokens_in: int, cached: int, tokens_out: int) -> None:
        if self._chat.free:
            return
        if self._price is None or self.spent.cost is None:
            self.spent.cost = None
        else:
            self.spent.cost += self._price.cost(tokens_in, cached, tokens_out)

    def _read(self, reply: str, shown: Sequence[Kept], project: str) -> Iterator[Fact]:
        found = salvage(reply, ("facts",))
        self.dropped += found.dropped
        if not found.lists:
            self.dropped.append(Dropped("reply", "it holds no list of facts"))
        used: dict[str, int] = {}
        for element in found.lists.get("facts", ()):
            made = _fact(element, shown, project)
            if isinstance(made, Fact) and used.get(made.sources[0], 0) >= _MOST_OF_A_TURN:
                made = f"more than {_MOST_OF_A_TURN} of its turn"
            if isinstance(made, str):
                self.dropped.append(Dropped(element.where, made))
                continue
            used[made.sources[0]] = used.get(made.sources[0], 0) + 1
            yield made


def _calls(new: Sequence[Kept]) -> Iterator[list[Kept]]:
    """The turns that are asked about, in calls that a model can read."""
    shown: list[Kept] = []
    size = 0
    for kept in new:
        if (
            kept.turn.role == "tool"
            or not kept.text.strip()
            or not is_own(kept.text, kept.turn.role == "user")
        ):
            continue
        length = min(len(kept.text), _A_TURN)
        if shown and size + length > _A_CALL:
            yield shown
            shown, size = [], 0
        shown.append(kept)
        size += length
    if shown:
        yield shown


def _block(shown: Sequence[Kept]) -> str:
    return "\n\n".join(
        "\n".join(
            (f"[t{number} {kept.turn.role}]", *(f"| {line}" for line in kept.text[:_A_TURN].split("\n")))
        )
        for number, kept in enumerate(shown, start=1)
    )


def _fact(element: Element, shown: Sequence[Kept], project: str) -> Fact | str:
    """The fact of an element; or why it is none."""
    kind, quote = _KINDS.get(_text(element, "kind")), _text(element, "quote")
    number = re.fullmatch(r"t(\d{1,6})", _text(element, "turn"))
    if kind is None:
        return "it is of no known kind"
    if number is None or not 1 <= int(number.group(1)) <= len(shown):
        return "its turn is none that the model was shown"
    kept = shown[int(number.group(1)) - 1]
    if len(quote.split()) < _LEAST_WORDS and quote.isascii():
        return "it quotes nothing"
    if len(quote) > LONGEST:
        return f"its quotation has more than {LONGEST} characters"
    if quote not in " ".join(kept.text[:_A_TURN].split()):
        return "its quotation does not stand in its turn"
    text = plain(quote)
    subject, value = plain(_text(element, "subject"))[:_LONGEST_NAME], plain(_text(element, "value"))
    there = plain(kept.text[:_A_TURN]).lower()
    subject = subject if subject.strip("` ") and subject.lower() in there else project
    if subject != project and subject.lower() not in text.lower() and len(subject) + len(text) + 2 <= LONGEST:
        text = f"{subject}: {text}"
    if not text.strip():
        return "it quotes nothing"
    value = value if value.strip("` ") and value.lower() in text.lower() else text
    return Fact(kind, text, subject, value, (kept.entry_id,), kept.turn.position, kept.turn.at)


def _text(element: Element, name: str) -> str:
    value: Any = element.fields.get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""
