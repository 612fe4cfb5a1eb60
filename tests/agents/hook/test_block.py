"""What is put before a model."""

from datetime import UTC, datetime, timedelta

import pytest

from truerecall.agents.hook.block import INLINE, block, size_inline
from truerecall.agents.hook.counting import BytesCounter
from truerecall.agents.records import ToolName
from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, Entry, EventTime, Source, Trust
from truerecall.memory.memory import Memory
from truerecall.memory.write.border import strip_recalled

WHAT = "Recalled by truerecall: records."
AT = datetime(2026, 11, 28, 10, 2, tzinfo=UTC)


def entries(*drafts: Draft, user: str = "ada") -> list[Entry]:
    """As the memory makes them."""
    with Memory.open(":memory:", user=user, embedder="none", clock=ManualClock(AT), seed=1) as memory:
        return [memory.get(result.id or "") for result in memory.remember(drafts)]


def draft(text: str, session: str = "s-1", tool: str | None = "codex", trust: Trust = Trust.LEARNED) -> Draft:
    return Draft(text, trust=trust, source=Source(session=session, tool=tool), happened_at=EventTime(AT))


def test_it_says_what_it_is_and_of_each_entry_when_where_and_by_whom() -> None:
    made = entries(
        draft("The cache is off on CI."), draft("ERROR 1\nERROR 2", "s-2", "claude-code", Trust.EXTERNAL)
    )
    found = block(made, WHAT, 500, "codex")

    assert found is not None
    assert found.text == (
        "<truerecall-block>\n"
        "# Recalled by truerecall: records.\n"
        "# 2026-11-28 10:02 codex, ada\n"
        f"[{made[0].id[-8:]} learned] The cache is off on CI.\n"
        "# 2026-11-28 10:02 claude-code, ada\n"
        f"[{made[1].id[-8:]} external] > ERROR 1\n"
        "  > ERROR 2\n"
        "</truerecall-block>"
    )
    assert found.entries == 2
    assert found.tokens == BytesCounter().count(found.text) <= 500


def test_capture_knows_it_again_whole_or_cut_off_anywhere_behind_its_mark() -> None:
    found = block(entries(draft("The cache is off on CI.")), WHAT, 500, "codex")
    assert found is not None

    assert strip_recalled(f"before {found.text} after") == "before  after"
    for end in range(len("<truerecall-block>\n# "), len(found.text)):
        assert strip_recalled(f"before {found.text[:end]}") == "before "


def test_no_entries_are_no_block() -> None:
    assert block([], WHAT, 500, "codex") is None


@pytest.mark.parametrize("budget", [1, 5, 20])
def test_a_budget_that_nothing_fits_into_is_no_block(budget: int) -> None:
    assert block(entries(draft("The cache is off on CI.")), WHAT, budget, "codex") is None


@pytest.mark.parametrize("budget", [40, 60, 100, 400])
def test_it_never_counts_more_tokens_than_its_budget(budget: int) -> None:
    found = block(
        entries(*(draft(f"fact number {n} " * 9, f"s-{n}") for n in range(9))), WHAT, budget, "codex"
    )

    assert found is None or BytesCounter().count(found.text) == found.tokens <= budget


@pytest.mark.parametrize("tool", ["claude-code", "codex", "opencode", "cursor"])
@pytest.mark.parametrize(
    "text", ["plain words of a log ", "登录在视窗上失败了", "👩‍💻🧵", "\u0007\x00\x1b", "a"], ids=ascii
)
def test_it_stays_within_what_the_tool_takes_inline_whatever_the_script(tool: ToolName, text: str) -> None:
    made = entries(*(draft(f"{n} {text * (900 // len(text))}", f"s-{n}") for n in range(14)))
    found = block(made, WHAT, 1_000_000, tool)

    assert found is not None
    size = len(found.text.encode()) if tool == "codex" else len(found.text.encode("utf-16-le")) // 2
    assert INLINE // 2 < size == size_inline(found.text, tool) <= INLINE


def test_one_entry_longer_than_all_that_fits_inline_is_cut_visibly() -> None:
    found = block(entries(draft("登录" * 20_000)), WHAT, 1_000_000, "codex")

    assert found is not None
    assert "[… cut]" in found.text
    assert len(found.text.encode()) <= INLINE


@pytest.mark.parametrize(
    "name", ["ada</truerecall-block>", "<truerecall-block>", "a\u2028# b\x85c", "a" * 500]
)
def test_a_name_cannot_end_the_line_or_the_block(name: str) -> None:
    (entry,) = entries(draft("The cache is off.", tool=name), user=name)
    found = block([entry], WHAT, 500, "claude-code")

    assert found is not None
    assert len(found.text.splitlines()) == 5
    assert strip_recalled(f"x{found.text}y") == "xy"
    assert found.text.count("truerecall-block") == 2


def test_an_entry_without_a_tool_names_its_author_alone() -> None:
    found = block(entries(draft("The cache is off.", tool=None)), WHAT, 500, "codex")

    assert found is not None
    assert "# 2026-11-28 10:02 ada\n" in found.text


def test_older_comes_before_newer() -> None:
    early, late = (
        Draft(text, source=Source(session=text), happened_at=EventTime(AT + timedelta(days=days)))
        for text, days in (("early", 0), ("late", 3))
    )
    found = block(entries(late, early), WHAT, 500, "codex")

    assert found is not None
    assert found.text.index("early") < found.text.index("late")


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("决定", 2), ("\ud800", 1)]
)
def test_three_bytes_count_as_one_token(text: str, tokens: int) -> None:
    assert BytesCounter().count(text) == tokens
