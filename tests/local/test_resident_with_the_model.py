"""The resident process with the real model: it finds by meaning, and tells what a prompt is not about."""

from collections.abc import Callable
from pathlib import Path

import pytest

from truerecall import Memory, __version__
from truerecall.agents.resident.answering import Answering
from truerecall.agents.resident.filling import Filling
from truerecall.agents.resident.protocol import Question
from truerecall.core.clock import ManualClock
from truerecall.models import registry
from truerecall.models.local import LocalEmbedder

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not registry.installed(), reason="the local model is not installed"),
]
TEXTS = (
    "The login fails on Windows because the path separator of the token cache was hard-coded.",
    "Billing's nightly job runs at three.",
    "Snapshots of the parser's tests are renewed with make snapshots.",
    "A theme file gives each header its colour.",
    "ok, go on then",
)
UNRELATED = (
    "Write a haiku about autumn",
    "Tune the PID gains of the robot arm, it overshoots at joint three",
    "How long should I proof sourdough at 26 degrees?",
    "ok, go on",
    "thanks, that looks good",
    "try again",
)


@pytest.fixture
def answering(store: Path, clock: ManualClock, model: LocalEmbedder) -> Answering:
    with Memory.open(store, embedder="none", clock=clock) as memory:
        memory.remember(TEXTS)
    filling = Filling(model, clock, lambda: True)
    filling.want(store)
    assert filling.run()
    return Answering(model, clock)


@pytest.fixture
def asked(answering: Answering, store: Path, opened: Callable[..., Memory]) -> Callable[[str], list[str]]:
    """The texts that are answered, the best first."""

    def ask(query: str) -> list[str]:
        question = Question(
            __version__, str(store), "local", "default", "me", query, 3, ("learned", "system"), ""
        )
        reply = answering.answer(question)
        assert reply.reason == ""
        memory = opened(store)
        return [memory.get(hit.id).text for hit in reply.hits]

    return ask


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Microsoft users cannot sign in any more", TEXTS[0]),
        ("at what hour are customers charged overnight?", TEXTS[1]),
    ],
)
def test_what_shares_no_word_with_the_prompt_is_found_by_its_meaning(
    query: str, expected: str, asked: Callable[[str], list[str]]
) -> None:
    assert asked(query)[0] == expected


@pytest.mark.parametrize("query", UNRELATED)
def test_a_prompt_about_something_else_gets_nothing(query: str, asked: Callable[[str], list[str]]) -> None:
    assert asked(query) == []
