"""What a hook recalls: what a prompt is about, with what stands beside it, and nothing where nothing is."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import Opener

from truerecall import Draft, EventTime, ManualClock, Memory, Scope, Source, Statement, Trust
from truerecall.memory.recall.lean import LeanRecall, LeanRequest, newest_facts, recall_lean
from truerecall.memory.recall.pack import pack
from truerecall.models.tokens import counter

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
SCOPE = Scope("local", "default", "me")
SESSION = (
    "why does the invoice rounding differ between the ledger and the export?",
    "the ledger rounds half to even, the export truncates; I changed the export",
    "thanks, please add a test",
    "added tests/billing/rounding.test.ts, all pass",
)
OTHERS = (
    "move the session cookie into its own module",
    "done, the cookie module is src/auth/cookie.ts",
    "the retry budget of the upload queue is 5, raise it to 20",
    "raised, and the queue drains before the worker stops",
    "in 結帳 the 發票四捨五入 is wrong",
    "ok, continue with the thumbnail queue",
)


def turns(texts: Sequence[str], session: str, **more: object) -> list[Draft]:
    return [
        Draft(text, source=Source(session=session, position=number), **more)  # type: ignore[arg-type]
        for number, text in enumerate(texts)
    ]


@pytest.fixture
def memory(opened: Opener) -> Memory:
    memory = opened()
    memory.remember(turns(SESSION, "billing"))
    for number in range(12):  # a pool in which words have a frequency
        memory.remember(turns([f"{text} {number}" for text in OTHERS], f"other{number}"))
    return memory


def ask(path: Path, query: str, **more: object) -> LeanRecall:
    return recall_lean(path, SCOPE, LeanRequest(query, NOON, **more))  # type: ignore[arg-type]


def texts(recalled: LeanRecall) -> list[str]:
    return [hit.entry.text for hit in recalled.hits]


def test_what_a_prompt_is_about_is_recalled_with_what_stands_beside_it(memory: Memory, store: Path) -> None:
    recalled = ask(store, "is the invoice rounding of the ledger still wrong?")

    assert set(texts(recalled)[:2]) == {SESSION[0], SESSION[1]}
    assert recalled.hits[0].terms[:1] != ()
    assert 0.35 <= recalled.hits[0].coverage <= 1
    assert recalled.exact


def test_a_text_without_the_prompts_words_is_found_beside_one_that_has_them(
    opened: Opener, store: Path
) -> None:
    memory = opened()
    memory.remember(turns(["what is the port of the staging broker?", "5672, unless TLS is on"], "s"))
    memory.remember(turns([f"unrelated text number {n}" for n in range(40)], "t"))

    assert texts(ask(store, "staging broker port"))[:2] == [
        "what is the port of the staging broker?",
        "5672, unless TLS is on",
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "thanks",
        "continue",
        "ok do it",
        "write a haiku",
        "fix the typo",
        "yes please",
        "run the tests again",
        "go on",
    ],
)
def test_talk_recalls_nothing(memory: Memory, store: Path, prompt: str) -> None:
    assert ask(store, prompt).hits == ()


def test_a_prompt_about_something_else_recalls_nothing(memory: Memory, store: Path) -> None:
    assert (
        ask(store, "draw the phylogenetic tree of the corvids with matplotlib and label the export").hits
        == ()
    )


def test_one_rare_word_is_enough(memory: Memory, store: Path) -> None:
    assert SESSION[0] in texts(ask(store, "invoice?"))


def test_the_session_that_asks_and_its_subagents_are_left_out(memory: Memory, store: Path) -> None:
    memory.remember(turns(["the ledger of the invoice rounding"], "billing/agent-7"))
    memory.remember(turns(["the invoice rounding of the ledger was discussed"], "billing2"))

    found = ask(store, "invoice rounding ledger", exclude_session="billing")

    assert texts(found) == ["the invoice rounding of the ledger was discussed"]
    assert len(ask(store, "invoice rounding ledger", exclude_session="bill").hits) > 1
    assert ask(store, "invoice rounding ledger", exclude_session="billing%").hits != ()


def test_external_texts_are_recalled_only_if_they_are_asked_for(opened: Opener, store: Path) -> None:
    opened().remember(turns(["the heron nests at the weir"], "s", trust=Trust.EXTERNAL))

    assert ask(store, "heron weir").hits == ()
    assert len(ask(store, "heron weir", trust=frozenset(Trust)).hits) == 1


def test_what_another_user_keeps_private_is_not_recalled(opened: Opener, store: Path) -> None:
    opened(user="eve").remember(turns(["the heron nests at the weir"], "s", visibility="private"))
    opened(user="eve", space="elsewhere").remember(turns(["the heron nests at the weir"], "s"))

    assert ask(store, "heron weir").hits == ()


def test_what_was_forgotten_or_is_not_valid_yet_is_not_recalled(opened: Opener, store: Path) -> None:
    memory = opened()
    (old,) = memory.remember(turns(["the heron nests at the weir"], "s"))
    memory.remember(turns(["the heron moved to the weir"], "t", valid_from=NOON + timedelta(days=1)))
    memory.forget(str(old.id))

    assert ask(store, "heron weir").hits == ()


def test_one_text_is_recalled_once(opened: Opener, store: Path) -> None:
    memory = opened()
    for session in ("s", "t"):
        memory.remember(turns(["the heron nests at the weir"], session))

    assert len(ask(store, "heron weir").hits) == 1


def test_no_more_than_the_limit_is_given_and_it_packs(memory: Memory, store: Path) -> None:
    recalled = ask(store, "upload retry queue worker thumbnail", limit=3)

    assert len(recalled.hits) == 3
    block = pack([hit.entry for hit in recalled.hits], 200, counter())
    assert 0 < block.tokens <= 200


ODD = [
    "",
    " ",
    "\n",
    "the",
    "who are you",
    "\x00",
    "\ud800",
    "*",
    '"',
    "' OR 1=1 --",
    "🚀",
    "東",
    "NEAR(a b)",
    "-",
    "1",
]


@pytest.mark.parametrize("prompt", ODD)
def test_an_odd_prompt_raises_nothing(memory: Memory, store: Path, prompt: str) -> None:
    assert isinstance(ask(store, prompt), LeanRecall)


@settings(max_examples=40)
@given(prompt=st.text(max_size=300))
def test_any_prompt_raises_nothing(tmp_path_factory: pytest.TempPathFactory, prompt: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.db"
    if not path.exists():
        with Memory.open(path, embedder="none", clock=ManualClock(NOON), seed=1) as memory:
            memory.remember(turns([*SESSION, *OTHERS], "s"))

    assert isinstance(ask(path, prompt), LeanRecall)


def test_of_a_prompt_of_100_kb_the_end_is_read(memory: Memory, store: Path) -> None:
    prompt = f"{'lorem ipsum dolor ' * 6000}\nwhy does the invoice rounding differ between the ledger and the export?"

    assert SESSION[0] in texts(ask(store, prompt))


def test_a_chinese_prompt_finds_a_chinese_text(memory: Memory, store: Path) -> None:
    assert "發票四捨五入" in texts(ask(store, "發票四捨五入"))[0]


def test_before_anything_was_written_to_a_scope_nothing_is_recalled(memory: Memory, store: Path) -> None:
    nobody = Scope("local", "elsewhere", "me")

    assert recall_lean(store, nobody, LeanRequest("invoice rounding", NOON)).hits == ()
    assert newest_facts(store, nobody, ["decided"], NOON, 5) == []


def fact(text: str, predicate: str, day: int, **more: object) -> Draft:
    says = Statement("shop", predicate, text)
    return Draft(
        text,
        kind="fact",
        statement=says,
        happened_at=EventTime(NOON - timedelta(days=day)),
        **more,  # type: ignore[arg-type]
    )


def test_the_newest_facts_are_those_that_hold_and_are_trusted(opened: Opener, store: Path) -> None:
    memory = opened()
    (gone,) = memory.remember(fact("we use yarn", "decided", 4))
    memory.remember(
        [
            fact("we use pnpm", "decided", 3),
            fact("tests run with vitest", "works_with", 2),
            fact("a page says so", "decided", 1, trust=Trust.EXTERNAL),
            fact("the queue is lossy", "caused_by", 1),
            fact("pnpm 9 is pinned", "version", 5),
            fact("next year's", "decided", 0, valid_from=NOON + timedelta(days=300)),
        ]
    )
    memory.remember("I decided to use bun", session="s")
    opened(user="eve").remember(fact("Eve's own", "decided", 0, visibility="private"))
    memory.forget(str(gone.id))

    found = newest_facts(store, SCOPE, ["decided", "works_with", "version"], NOON, 3)

    assert [entry.text for entry in found] == ["tests run with vitest", "we use pnpm", "pnpm 9 is pinned"]
    assert newest_facts(store, SCOPE, ["decided", "works_with"], NOON, 1) == found[:1]
    assert newest_facts(store, SCOPE, [], NOON, 3) == []
