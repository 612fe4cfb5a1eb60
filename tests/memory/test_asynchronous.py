"""``AsyncMemory`` has every verb of ``Memory``, with the same arguments, and does the same."""

import asyncio
import inspect
from pathlib import Path

import pytest
from whole_store import texts

from truerecall import AsyncMemory, ManualClock, Memory
from truerecall.errors import InvalidScope, NotFound, StoreError

VERBS = sorted(
    name
    for name, member in inspect.getmembers(Memory)
    if not name.startswith("_") and (inspect.isfunction(member) or inspect.ismethod(member))
)


def test_the_verbs_are_those_of_the_design() -> None:
    designed = {"open", "remember", "recall", "get", "list", "history", "correct", "forget", "purge", "at", "export",
                "import_", "doctor", "close"}  # fmt: skip

    assert designed <= set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_exists_and_is_awaited(verb: str) -> None:
    assert inspect.iscoroutinefunction(getattr(AsyncMemory, verb))


@pytest.mark.parametrize("verb", sorted({*VERBS} - {"open", "at"}))
def test_every_verb_takes_the_same_arguments_and_says_the_same(verb: str) -> None:
    ours, theirs = getattr(AsyncMemory, verb), getattr(Memory, verb)

    assert inspect.signature(ours) == inspect.signature(theirs)
    assert ours.__doc__ == theirs.__doc__


def test_no_verb_is_there_that_memory_has_not() -> None:
    ours = {name for name, member in inspect.getmembers(AsyncMemory) if inspect.isfunction(member)}

    assert {name for name in ours if not name.startswith("_")} <= set(VERBS)


def test_every_verb_works(store: Path, tmp_path: Path, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with await AsyncMemory.open(str(store), embedder="hashing", clock=clock, seed=1) as memory:
            first, second = await memory.remember(["the heron came back", "the weir is open"])
            assert texts(await memory.recall("heron", limit=1)) == ["the heron came back"]
            assert (await memory.get(str(first.id))).text == "the heron came back"
            corrected = await memory.correct(str(second.id), "the weir is closed")
            assert [event.kind for event in (await memory.history(str(second.id))).events] == ["superseded"]
            assert len(await memory.list()) == 2
            folder = await memory.export(tmp_path / "export")
            assert (await memory.import_(folder)).known == 3
            await memory.forget(str(corrected.id))
            assert (await memory.purge(str(first.id))).ids == (first.id,)
            assert (await memory.counts()).entries == 2
            assert (await memory.doctor()).healthy
            async with await memory.at(clock.now) as past:
                assert await past.list() == ()
                assert isinstance(past, AsyncMemory)
        with pytest.raises(StoreError, match="closed"):
            await memory.recall("heron")

    asyncio.run(scenario())


def test_many_at_once_do_not_lose_anything(store: Path) -> None:
    async def scenario() -> int:
        async with await AsyncMemory.open(str(store), embedder="hashing") as memory:
            results = await asyncio.gather(
                *(memory.remember(f"heron number {number}") for number in range(60)),
                *(memory.recall("heron") for _ in range(20)),
            )
            assert [written[0].status for written in results[:60]] == ["stored"] * 60  # type: ignore[index]
            return (await memory.counts()).entries

    assert asyncio.run(scenario()) == 60


def test_errors_come_through(store: Path) -> None:
    async def scenario() -> None:
        with pytest.raises(InvalidScope):
            await AsyncMemory.open(str(store), user="*")
        async with await AsyncMemory.open(str(store), embedder="none") as memory:
            with pytest.raises(NotFound):
                await memory.get("018f52ec-c600-7000-8000-000000000000")

    asyncio.run(scenario())
