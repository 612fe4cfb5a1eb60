"""The placebo is as long as a recall, says nothing, and is said once a session."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.models.tokens import counter
from truerecall.study.design import Side
from truerecall.study.sides.placebo import NEUTRAL, neutral_text
from truerecall.study.sides.table import equip

PLACEBO = Side("placebo", "placebo")
Staged = Callable[..., Any]


@settings(max_examples=25)
@given(st.integers(min_value=0, max_value=2500))
def test_it_has_exactly_so_many_tokens(tokens: int) -> None:
    assert counter("bound-1").count(neutral_text(tokens)) == tokens


def test_it_is_the_same_each_time_and_longer_ones_go_on() -> None:
    assert neutral_text(24) == (
        "The valley is widest where the two rivers meet, and most of the farms lie on the eastern side of so"
    )
    assert neutral_text(3000) == neutral_text(3000)
    assert neutral_text(3000).startswith(neutral_text(900).removesuffix(" so"))
    assert neutral_text(0) == ""


def test_it_has_no_word_of_software() -> None:
    words = set(re.findall(r"[a-z]+", NEUTRAL.read_text(encoding="utf-8").lower()))

    assert words.isdisjoint(
        {
            "code",
            "file",
            "test",
            "build",
            "error",
            "function",
            "class",
            "server",
            "client",
            "cache",
            "queue",
            "retry",
        }
        | {
            "limit",
            "commit",
            "branch",
            "merge",
            "bug",
            "release",
            "version",
            "data",
            "memory",
            "session",
            "agent",
        }
        | {"model", "user", "token", "key", "value", "log", "run"}
    )
    assert len(words) > 300
    assert NEUTRAL.read_text(encoding="utf-8").isascii()


def test_its_hook_prints_the_text_at_the_first_prompt_of_a_session(staged: Staged, fired: Any) -> None:
    text = neutral_text(300)
    with staged(placebo=text) as stage:
        equipment = equip(PLACEBO, stage)

        assert fired(stage.seat, equipment) == {"1": text}
        assert fired(stage.seat, equipment) == {"1": ""}
        assert fired(stage.seat, equipment, session="s-2") == {"1": text}
        assert dict(equipment.environment) == {}


def test_a_long_text_comes_in_pieces_that_each_go_inline(staged: Staged, fired: Any) -> None:
    text = neutral_text(6000)
    with staged(placebo=text) as stage:
        texts = fired(stage.seat, equip(PLACEBO, stage))

    assert len(texts) == 3
    assert all(len(piece) <= 9_500 for piece in texts.values())
    assert " ".join(texts.values()) == text


def test_an_empty_recall_has_an_empty_placebo(staged: Staged, fired: Any) -> None:
    with staged(placebo="") as stage:
        assert fired(stage.seat, equip(PLACEBO, stage)) == {}


@pytest.mark.parametrize("part", ["hooks/hooks.json", ".claude-plugin/plugin.json", "hooks/inject-1.json"])
def test_the_plugin_says_nowhere_what_it_is(part: str, staged: Staged) -> None:
    with staged(placebo="The valley is wide.") as stage:
        plugin: Path | None = equip(PLACEBO, stage).plugin_dir
        assert plugin is not None
        assert "placebo" not in (plugin / part).read_text(encoding="utf-8")
