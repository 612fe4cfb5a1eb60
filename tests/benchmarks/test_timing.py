from performance.timing import in_turn, spread, summed


def test_every_way_is_called_for_a_query_before_the_next_and_the_first_changes() -> None:
    calls: list[str] = []
    ways = {name: lambda query, name=name: calls.append(name + query) for name in ("a", "b")}

    taken = in_turn(ways, ["1", "2"], takes=2)  # type: ignore[arg-type]  # mypy knows no default in a lambda

    warm = ["a1", "b1", "a2", "b2"]
    assert calls == [*warm, "a1", "b1", "a1", "b1", "b2", "a2", "b2", "a2"]
    assert {name: len(times) for name, times in taken.items()} == {"a": 2, "b": 2}


def test_times_of_one_query_are_added() -> None:
    assert summed([1.0, 2.0], [10.0, 20.0]) == [11.0, 22.0]


def test_a_spread_is_median_p95_and_p99() -> None:
    assert spread([float(n) for n in range(1, 101)]) == [50.5, 95.0, 99.0]
