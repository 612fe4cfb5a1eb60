"""A chat model may choose and name facts, and nothing that it makes up is remembered."""

import json

from hypothesis import given
from hypothesis import strategies as st
from telling import did, entry_id, turn

from truerecall.agents.facts.extract import facts_in
from truerecall.agents.facts.llm import ChatFacts
from truerecall.agents.facts.records import Fact, FactKind
from truerecall.errors import ChatFailed
from truerecall.measure.prices import Price, PriceTable
from truerecall.models.protocols import ChatReply
from truerecall.models.scripted.chat import ScriptedChat

SAID = "The worker pool has **eight** threads\nfor the queue of mails. Nothing else matters."


def proposed(**fields: object) -> dict[str, object]:
    """A fact as a model proposes it."""
    whole = {"turn": "t1", "kind": "decision", "subject": "worker pool", "value": "eight threads"}
    return {**whole, "quote": "The worker pool has **eight** threads for the queue of mails.", **fields}


def reply(*facts: object) -> str:
    """A reply of a model, with prose around it."""
    return f"Here they are:\n```json\n{json.dumps({'facts': facts})}\n```"


def test_a_fact_that_quotes_its_turn_is_one() -> None:
    extractor = ChatFacts(ScriptedChat([reply(proposed())]))
    kept = turn(SAID)
    assert extractor.facts_in([kept], [], "github.com/acme/shop") == (
        Fact(
            "decision",
            "The worker pool has eight threads for the queue of mails.",
            "worker pool",
            "eight threads",
            (kept.entry_id,),
            0,
            kept.turn.at,
        ),
    )
    assert extractor.dropped == []


def test_what_is_made_up_or_broken_is_dropped_and_costs_no_other() -> None:
    broken = reply(
        proposed(quote="The worker pool has nine threads for the queue of mails."),
        proposed(kind="rumour"),
        proposed(turn="t2"),
        proposed(turn=1),
        proposed(quote="eight"),
        proposed(quote=None),
        7,
        proposed(subject="a rocket", value="nine", kind="convention"),
    )
    extractor = ChatFacts(ScriptedChat([broken]))
    (fact,) = extractor.facts_in([turn(SAID)], [], "github.com/acme/shop")
    assert (fact.kind, fact.subject, fact.value) == ("convention", "shop", fact.text)
    assert [(one.where, one.reason) for one in extractor.dropped] == [
        ("facts 7", "it is no object"),
        ("facts 1", "its quotation does not stand in its turn"),
        ("facts 2", "it is of no known kind"),
        ("facts 3", "its turn is none that the model was shown"),
        ("facts 4", "its turn is none that the model was shown"),
        ("facts 5", "it quotes nothing"),
        ("facts 6", "it quotes nothing"),
    ]


def test_the_rules_facts_stay_and_one_found_by_both_is_one() -> None:
    kept = turn("We decided to use zod.")
    chat = ScriptedChat([reply(proposed(subject="zod", value="zod", quote="We decided to use zod."))])
    assert ChatFacts(chat).facts_in([kept], [], "shop") == facts_in([kept], [], "shop")


def test_a_fact_of_the_model_is_no_more_trusted_than_what_it_repeats() -> None:
    read = did("read", "a.md", output="The worker pool has eight threads for the queue of mails.")
    extractor = ChatFacts(ScriptedChat([reply(proposed())]))
    (fact,) = extractor.facts_in([turn(SAID, number=1)], [read], "shop")
    assert fact.sources == (entry_id(1), entry_id(0))


def test_tools_and_pasted_texts_are_not_shown_and_long_sessions_are_asked_about_in_parts() -> None:
    chat = ScriptedChat([reply()] * 9)
    turns = [turn("word " * 1500, number=number) for number in range(7)]
    ChatFacts(chat).facts_in(
        [*turns, did("read", output="secret"), turn("<command-name>x", "user", 9)], [], "shop"
    )
    shown = [messages[1].content for messages in chat.asked]
    assert [part.count("[t") for part in shown] == [2, 2, 2, 1]
    assert "secret" not in "".join(shown)
    assert chat.asked[0][0].role == "system"


def test_what_the_calls_cost_is_told() -> None:
    said = ChatReply(reply(proposed()), "stop", "m", tokens_in=1000, tokens_out=100)
    chat = ScriptedChat([said, ChatReply(reply(), "stop", "m")])
    chat.free = False
    prices = PriceTable("2026-01-01", "", {"scripted:chat": Price(2.0, 10.0, 1.0)})
    extractor = ChatFacts(chat, prices)
    extractor.facts_in([turn(SAID)], [], "shop")
    assert (extractor.spent.calls, extractor.spent.counted) == (1, 0)
    assert (extractor.spent.tokens_in, extractor.spent.tokens_out) == (1000, 100)
    assert extractor.spent.cost == 0.003
    extractor.facts_in([turn(SAID)], [], "shop")
    assert (extractor.spent.calls, extractor.spent.counted) == (2, 1)
    assert extractor.spent.tokens_in > 1000
    assert extractor.spent.cost > 0.003


def test_a_model_without_a_known_price_has_no_cost_and_a_free_one_costs_nothing() -> None:
    chat = ScriptedChat([reply()])
    free = ChatFacts(chat)
    free.facts_in([turn(SAID)], [], "shop")
    assert free.spent.cost == 0.0
    paid = ScriptedChat([reply()])
    paid.free = False
    unknown = ChatFacts(paid)
    unknown.facts_in([turn(SAID)], [], "shop")
    assert unknown.spent.cost is None


def test_a_model_that_fails_costs_its_own_facts_only_and_is_not_asked_again() -> None:
    failure = ChatFailed("the server failed (500)", remedy="Try later.")
    chat = ScriptedChat([failure, reply()])
    extractor = ChatFacts(chat)
    turns = [turn("We decided to use zod.\n\n" + "word " * 1500, number=number) for number in range(4)]
    facts = extractor.facts_in(turns, [], "shop")
    assert [fact.text for fact in facts] == ["We decided to use zod."]
    assert (extractor.spent.calls, extractor.spent.failed, len(chat.asked)) == (1, 1, 1)
    assert "the server failed (500)" in extractor.spent.problems[0]


KINDS: tuple[FactKind, ...] = ("decision", "path")
ANY = st.recursive(
    st.none() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3), max_leaves=4
)


NAMES = st.sampled_from(("turn", "kind", "quote", "subject", "value"))
VALUES = ANY | st.sampled_from((*KINDS, "t1", "eight threads for the", SAID))
LISTS = st.lists(st.dictionaries(NAMES, VALUES, max_size=5), max_size=4)


@given(st.text(max_size=80) | LISTS.map(lambda facts: json.dumps({"facts": facts})))
def test_any_reply_gives_facts_in_the_words_of_the_turn(answer: str) -> None:
    extractor = ChatFacts(ScriptedChat([ChatReply(answer, "stop", "m")]))
    for fact in extractor.facts_in([turn(SAID)], [], "shop"):
        assert fact.sources == (entry_id(0),)
        assert 0 < len(fact.text) <= 300
