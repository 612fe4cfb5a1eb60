"""The controls rank as they say, and keep what they are given."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall.bench.systems.full_dump import FullDump
from truerecall.bench.systems.null import Null
from truerecall.bench.systems.oracle import Oracle
from truerecall.bench.systems.protocol import Item, System
from truerecall.bench.systems.random_order import RandomOrder
from truerecall.bench.systems.recent import Recent
from truerecall.bench.systems.table import SYSTEMS, controls, create
from truerecall.core.entry import Scope
from truerecall.errors import InvalidSettings, SystemFailed
from truerecall.models.tokens import counter

SCOPE = Scope("team", "agent", "kim")
DAY = datetime(2024, 3, 4, 9, 30, tzinfo=UTC)
ASKED = DAY + timedelta(days=30)
ITEMS = (
    Item("Second day, first word.", "Kim", "s0002", 0, DAY + timedelta(days=1)),
    Item("First day, first word.", "Robin", "s0001", 0, DAY),
    Item("First day, second word.", "Kim", "s0001", 1, DAY),
)


def opened(system: System, folder: Path) -> list[str | None]:
    system.open(folder, SCOPE)
    return list(system.ingest(ITEMS))


def test_null_stores_everything_and_recalls_nothing(tmp_path: Path) -> None:
    system = Null()
    opened(system, tmp_path)

    assert system.recall("first word", ASKED, 10, ()).handles == ()
    assert system.census().stored == 3


def test_recent_puts_the_latest_first_whatever_the_order_of_arrival(tmp_path: Path) -> None:
    system = Recent()
    opened(system, tmp_path)

    assert system.recall("first word", ASKED, 2, ()).handles == ("i000001", "i000003")


def test_random_order_depends_on_seed_and_question_and_nothing_else(tmp_path: Path) -> None:
    many = [Item(f"word {n}", "Kim", "s0001", n, DAY) for n in range(30)]
    orders = {}
    for place, (seed, question) in enumerate([(0, "a"), (0, "a"), (0, "b"), (1, "a")]):
        system = RandomOrder(seed)
        system.open(tmp_path / str(place), SCOPE)
        system.ingest(many)
        orders[place] = system.recall(question, ASKED, 30, ()).handles

    assert orders[0] == orders[1]
    assert orders[0] != orders[2]
    assert orders[0] != orders[3]
    assert sorted(orders[0]) == [f"i{n:06}" for n in range(1, 31)]


def test_full_dump_gives_everything_in_order_at_any_budget_and_states_its_tokens(tmp_path: Path) -> None:
    system = FullDump()
    opened(system, tmp_path)
    answer = system.recall("first word", ASKED, 2, (1, 500))

    assert answer.handles == ("i000002", "i000003")
    assert answer.blocks[1] == answer.blocks[500]
    assert answer.blocks[1].handles == ("i000002", "i000003", "i000001")
    assert answer.blocks[1].text == (
        "[2024-03-04 09:30] Robin: First day, first word.\n"
        "[2024-03-04 09:30] Kim: First day, second word.\n"
        "[2024-03-05 09:30] Kim: Second day, first word."
    )
    assert counter("bound-1").count(answer.blocks[1].text) > 30


def test_oracle_puts_what_was_revealed_first(tmp_path: Path) -> None:
    system = Oracle()
    opened(system, tmp_path)
    system.reveal(["i000003"])

    assert system.recall("anything", ASKED, 10, ()).handles == ("i000003", "i000001", "i000002")


def test_a_shelf_keeps_items_and_deletions_over_a_reopening(tmp_path: Path) -> None:
    first = Recent()
    opened(first, tmp_path)
    first.delete(["i000001"])
    first.close()
    second = Recent()
    second.open(tmp_path, SCOPE)

    assert second.recall("", ASKED, 10, ()).handles == ("i000003", "i000002")
    assert second.ingest([ITEMS[0], ITEMS[2]]) == ["i000004", "i000003"]


def test_halves_of_surrogate_pairs_and_line_separators_do_not_break_a_shelf(tmp_path: Path) -> None:
    odd = Item("half \ud83d and\u2028line\x85\x00", "K\udc00", "s0001", 0, DAY)
    first = Recent()
    first.open(tmp_path, SCOPE)
    given = first.ingest([odd])
    first.close()
    second = Recent()
    second.open(tmp_path, SCOPE)

    assert second.ingest([odd]) == given


def test_a_system_that_is_not_open_says_so() -> None:
    for system in controls():
        with pytest.raises(SystemFailed, match="is not open"):
            system.census()


def test_the_controls_of_every_run_are_these_six() -> None:
    assert [system.name for system in controls(seed=3)] == [
        "null",
        "random",
        "recent",
        "full dump",
        "oracle",
        "bm25",
    ]
    assert controls(seed=3)[1].configuration["seed"] == 3


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bm26", {}, "there is no system 'bm26'"),
        ("bm25", {"seed": "1"}, "bm25 does not know the option 'seed'"),
        ("random", {"seed": "x"}, "seed is 'x'"),
        ("command", {}, "needs a command"),
        ("command", {"command": "python3 'adapter.py"}, "No closing quotation"),
        ("truerecall", {"name": " "}, "the name is empty"),
        ("command", {"command": "true", "timeout": "nan"}, "timeout is 'nan'"),
    ],
)
def test_a_wrong_name_or_option_is_refused(name: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidSettings, match=message):
        create(name, options)


def test_every_row_of_the_table_names_only_checks_that_exist() -> None:
    from truerecall.bench.systems.conformance import CHECKS

    named = {check for row in SYSTEMS.values() for check in row.inapplicable or {}}

    assert named == {"needle found"}
    assert named <= set(CHECKS)
