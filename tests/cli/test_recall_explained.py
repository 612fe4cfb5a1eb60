"""``recall --explain`` and ``recall --time`` where more than the shipped switches are on."""

from pathlib import Path

EVERYTHING = """
[lanes]
entity = 1.0
time = 1.0
cause = 1.0
graph = 1.0
[factors]
recency = 0.1
proof = 0.1
usefulness = 0.1
forget = 0.1
range = 0.5
[recall]
diversity = 0.7
min_score = 0.5
"""


def remember(cli, text: str, when: str) -> str:
    return cli("remember", text, "--happened-at", when).out.split()[-1]


def test_explain_shows_what_was_understood_and_every_stage_that_is_on(cli, tmp_path: Path) -> None:
    settings = tmp_path / "on.toml"
    settings.write_text(EVERYTHING, encoding="utf-8")
    first = remember(cli, "Roswitha saw the weir", "2023-03-04")
    second = remember(cli, "The mill was sold", "2011-01-01")
    lines = cli(
        "recall", "What did Roswitha see in March 2023?", "--explain", "--settings", str(settings)
    ).out.splitlines()

    assert "intent: temporal" in lines
    assert "time: from 2023-03-01T00:00:00Z to 2023-04-01T00:00:00Z, known to the month" in lines
    assert [line.split(":")[0] for line in lines if line.startswith("lane ")] == [
        f"lane {name}"
        for name in ("lexical", "window", "session", "vector", "entity", "time", "cause", "graph")
    ]
    assert "diversified: no entry has a vector to compare by" in lines
    (scored,) = [line for line in lines if line.startswith(f"scored {first}: ")]
    names = ("recency", "temporal", "trust", "proof", "usefulness", "forget", "range")
    assert [name for name in names if f" {name} x" in scored] == list(names)
    assert not any(second in line for line in lines)


def test_a_hard_time_leaves_out_what_lies_outside(cli) -> None:
    inside = remember(cli, "Roswitha saw the weir", "2023-03-04")
    outside = remember(cli, "Roswitha saw the mill", "2022-03-04")
    soft = cli("recall", "Roswitha in March 2023").out
    hard = cli("recall", "Roswitha in March 2023", "--time", "hard", "--explain")

    assert inside in soft and outside in soft
    assert inside in hard.out and outside not in hard.out
    assert "known to the month, and nothing outside it" in hard.out
    assert cli("recall", "Roswitha", "--time", "maybe").code == 2
