"""The full report as Markdown."""

import re
from types import SimpleNamespace

from truerecall.bench.manifest import LaneCount, Latency, RetrievalManifest
from truerecall.bench.report import markdown


def lines(manifest: RetrievalManifest) -> list[str]:
    return markdown(manifest).splitlines()


def table(text: str, caption: str) -> list[str]:
    """The lines of the table under this caption."""
    below = text[text.index(caption) :].split("\n\n")[1]
    return below.splitlines()


def test_the_short_answer_stands_with_chance_and_n(given: SimpleNamespace) -> None:
    assert table(markdown(given.manifest()), "**The short answer") == [
        "| system | any@5 (turn) | any@10 (turn) | all@10 (turn) | fractional@1 (session) "
        "| fractional@5 (session) | MRR (session) | carry@1000 (block) | tokens@1000 (block) "
        "| p50 (ms) | p95 (ms) |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| truerecall | 0.550 | 0.600 | 0.500 | 0.560 | 0.600 | 0.600 | 0.600 | 950 | 8.0 | 21.5 |",
        "| bm25 | 0.425 | 0.475 | 0.375 | 0.435 | 0.475 | 0.475 | 0.475 | 950 | 4.0 | 9.2 |",
        "| chance | 0.025 | 0.050 | 0.025 | 0.004 | 0.020 | 0.031 | - | - | - | - |",
        "| n | 40 | 40 | 40 | 40 | 40 | 40 | 40 | 40 | 40 | 40 |",
    ]


def test_the_whole_grid_of_a_system_has_every_level_metric_and_k_with_chance(given: SimpleNamespace) -> None:
    found = table(markdown(given.manifest()), "<summary>bm25: level x metric x k")
    assert found == [
        "| level | metric | n | k = 1 | k = 3 | k = 5 | k = 10 | k = 20 | whole list |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| turn | any | 40 | 0.385 | 0.405 | 0.425 | 0.475 | 0.575 | - |",
        "| turn | any, chance | 40 | 0.005 | 0.015 | 0.025 | 0.050 | 0.100 | - |",
        "| turn | fractional | 40 | 0.335 | 0.355 | 0.375 | 0.425 | 0.525 | - |",
        "| turn | fractional, chance | 40 | 0.004 | 0.012 | 0.020 | 0.040 | 0.080 | - |",
        "| turn | all | 40 | 0.285 | 0.305 | 0.325 | 0.375 | 0.475 | - |",
        "| turn | all, chance | 40 | 0.003 | 0.007 | 0.013 | 0.025 | 0.050 | - |",
        "| turn | nDCG | 40 | - | - | - | 0.395 | - | - |",
        "| turn | MRR | 40 | - | - | - | - | - | 0.375 |",
        "| turn | MRR, chance | 40 | - | - | - | - | - | 0.031 |",
        "| session | any | 40 | 0.485 | 0.505 | 0.525 | 0.575 | 0.675 | - |",
        "| session | any, chance | 40 | 0.005 | 0.015 | 0.025 | 0.050 | 0.100 | - |",
        "| session | fractional | 40 | 0.435 | 0.455 | 0.475 | 0.525 | 0.625 | - |",
        "| session | fractional, chance | 40 | 0.004 | 0.012 | 0.020 | 0.040 | 0.080 | - |",
        "| session | all | 40 | 0.385 | 0.405 | 0.425 | 0.475 | 0.575 | - |",
        "| session | all, chance | 40 | 0.003 | 0.007 | 0.013 | 0.025 | 0.050 | - |",
        "| session | nDCG | 40 | - | - | - | 0.495 | - | - |",
        "| session | MRR | 40 | - | - | - | - | - | 0.475 |",
        "| session | MRR, chance | 40 | - | - | - | - | - | 0.031 |",
    ]


def test_a_cut_off_of_the_shipped_limit_has_a_column_of_its_own(given: SimpleNamespace) -> None:
    cells = [*given.grid(0.5), given.cell("turn", "any@limit", 0.62)]
    text = markdown(given.manifest(given.dataset(systems=[given.system(cells=cells)])))
    found = table(text, "<summary>truerecall: level x metric x k")
    assert (
        found[0]
        == "| level | metric | n | k = 1 | k = 3 | k = 5 | k = 10 | k = 20 | k = limit | whole list |"
    )
    assert found[2] == "| turn | any | 40 | 0.510 | 0.530 | 0.550 | 0.600 | 0.700 | 0.620 | - |"


def test_each_type_has_n_and_both_intervals(given: SimpleNamespace) -> None:
    assert table(markdown(given.manifest()), "<summary>Session fractional@5, by type")[2:] == [
        "| all | truerecall | 40 | 0.600 | 0.550 to 0.650 | 0.500 to 0.700 | 3 |",
        "| all | bm25 | 40 | 0.475 | 0.425 to 0.525 | 0.375 to 0.575 | 3 |",
        "| multi-hop | truerecall | 15 | 0.600 | 0.550 to 0.650 | 0.500 to 0.700 | 3 |",
        "| multi-hop | bm25 | 15 | 0.475 | 0.425 to 0.525 | 0.375 to 0.575 | 3 |",
        "| temporal | truerecall | 25 | 0.600 | 0.550 to 0.650 | 0.500 to 0.700 | 3 |",
        "| temporal | bm25 | 25 | 0.475 | 0.425 to 0.525 | 0.375 to 0.575 | 3 |",
    ]


def test_few_clusters_are_said_to_undercover_and_many_are_not(given: SimpleNamespace) -> None:
    few = (
        "Intervals by conversation rest on 3 conversations. Few clusters undercover: "
        "these intervals tend to be too narrow for 95 %."
    )
    assert few in lines(given.manifest())
    many = given.dataset(systems=[given.system(cells=[given.cell("turn", "any@10", 0.5, clusters=500)])])
    assert "Intervals by conversation rest on 500 conversations." in lines(given.manifest(many))
    one = given.dataset(systems=[given.system(cells=[given.cell("turn", "any@10", 0.5, clusters=1)])])
    assert "There are fewer than two conversations, so no interval by conversation exists." in lines(
        given.manifest(one)
    )


def test_each_conversation_has_its_own_value(given: SimpleNamespace) -> None:
    assert table(markdown(given.manifest()), "<summary>Turn all@10, by conversation") == [
        "| conversation | truerecall | bm25 |",
        "| --- | ---: | ---: |",
        "| c1 | 0.500 | 0.500 |",
        "| c2 | 0.250 | 0.250 |",
        "| c3 | 0.125 | 0.125 |",
    ]


def test_histories_with_one_question_each_are_not_listed_one_by_one(given: SimpleNamespace) -> None:
    alone = {f"h{at}": 1.0 for at in range(40)}
    cells = [given.cell("turn", "any@10", 1.0, conversations=alone, clusters=40)]
    text = markdown(given.manifest(given.dataset(systems=[given.system(cells=cells)])))
    assert "Each question has a history of its own, so these are the rows of the per-question file." in text
    assert "h17" not in text


def test_the_block_is_shown_beside_a_shuffled_one(given: SimpleNamespace) -> None:
    text = markdown(given.manifest())
    assert table(text, "**answer_carry, by the block's budget") == [
        "| system | n | 500 | 1,000 | 2,000 | shuffled 500 | shuffled 1,000 | shuffled 2,000 "
        "| less shuffled 500 | less shuffled 1,000 | less shuffled 2,000 |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| truerecall | 40 | 0.562 | 0.625 | 0.750 | 0.111 | 0.111 | 0.111 | 0.452 | 0.514 | 0.639 |",
        "| bm25 | 40 | 0.438 | 0.500 | 0.625 | 0.111 | 0.111 | 0.111 | 0.327 | 0.389 | 0.514 |",
    ]
    assert table(text, "**carry, by the block's budget") == [
        "| system | n | 500 | 1,000 | 2,000 |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| truerecall | 40 | 0.550 | 0.600 | 0.700 |",
        "| bm25 | 40 | 0.425 | 0.475 | 0.575 |",
    ]
    assert table(text, "**tokens, by the block's budget")[2:] == [
        "| truerecall | 40 | 475 | 950 | 1,900 |",
        "| bm25 | 40 | 475 | 950 | 1,900 |",
    ]
    assert "**answer_carry_shuffled" not in text


def test_a_shuffled_block_over_other_questions_is_not_subtracted(given: SimpleNamespace) -> None:
    cells = [
        given.cell(None, "answer_carry@500", 0.5),
        given.cell(None, "answer_carry_shuffled@500", 0.1, n=39),
    ]
    text = markdown(given.manifest(given.dataset(systems=[given.system(cells=cells)])))
    assert table(text, "**answer_carry, by the block's budget")[2:] == [
        "| truerecall | 40 | 0.500 | 0.100 | - |",
    ]


def test_truerecall_comes_first_and_its_baseline_second(given: SimpleNamespace) -> None:
    systems = [given.system("random"), given.baseline(), given.system("oracle"), given.system("truerecall")]
    text = markdown(given.manifest(given.dataset(systems=systems)))
    found = table(text, "**Latency of a recall")[2:]
    assert [line.split(" | ")[0] for line in found] == ["| truerecall", "| bm25", "| random", "| oracle"]


def test_lanes_are_reported_as_they_were_measured(given: SimpleNamespace) -> None:
    text = markdown(given.manifest())
    assert table(text, "**What each system did with the items")[2:] == [
        "| truerecall | 1,200 | 1,200 | 2 | 1 | 1 | 3.2 | no | no |",
        "| bm25 | 1,200 | - | 2 | 1 | 0 | 3.2 | no | no |",
    ]
    assert table(text, "**Candidates by lane")[2:] == ["| truerecall | lexical | 39 | 88.2 |"]
    assert table(text, "<summary>Gold that a system refused")[2:] == ["| truerecall | g:7 |"]


def test_a_lane_that_gave_nothing_is_a_zero_that_was_measured(given: SimpleNamespace) -> None:
    silent = given.system(lanes=[LaneCount(lane="vector", questions_with_candidates=0, candidates_mean=0.0)])
    text = markdown(given.manifest(given.dataset(systems=[silent])))
    assert table(text, "**Candidates by lane")[2:] == ["| truerecall | vector | 0 | 0.0 |"]


def test_latency_is_also_a_ratio_to_the_baseline(given: SimpleNamespace) -> None:
    assert table(markdown(given.manifest()), "**Latency of a recall")[2:] == [
        "| truerecall | 8.0 | 21.5 | - | 2.00 | 40 |",
        "| bm25 | 4.0 | 9.2 | - | 1.00 | 40 |",
    ]


def test_without_a_baseline_or_with_one_of_zero_there_is_no_ratio(given: SimpleNamespace) -> None:
    alone = given.dataset(systems=[given.system()])
    assert table(markdown(given.manifest(alone)), "**Latency of a recall")[2:] == [
        "| truerecall | 8.0 | 21.5 | - | - | 40 |"
    ]
    still = given.baseline(latency=Latency(p50=0.0, p95=0.0, recalls=40))
    beside = given.dataset(systems=[given.system(), still])
    assert table(markdown(given.manifest(beside)), "**Latency of a recall")[2:] == [
        "| truerecall | 8.0 | 21.5 | - | - | 40 |",
        "| bm25 | 0.0 | 0.0 | - | - | 40 |",
    ]


def test_what_was_left_out_is_counted_and_listed(given: SimpleNamespace) -> None:
    text = markdown(given.manifest())
    assert table(text, "**What was left out, by reason") == [
        "| reason | items | of them whole questions |",
        "| --- | ---: | ---: |",
        "| adversarial | 11 | 11 |",
        "| empty gold | 1 | 1 |",
        "| phantom | 1 | 0 |",
    ]
    listed = table(text, "<summary>Everything that was left out (13)")
    assert len(listed) == 2 + 13
    assert listed[-1] == "| q12 | phantom | s99:1 | a part |"


def test_the_file_is_named_with_its_hash_and_whether_it_is_known(given: SimpleNamespace) -> None:
    found = table(markdown(given.manifest(given.dataset(recognised=False))), "**The file that was read")
    assert f"| sha256 | {'ab' * 32} |" in found
    assert "| recognised | no |" in found


def test_numbers_are_said_to_be_what_they_are_not(given: SimpleNamespace) -> None:
    found = lines(given.manifest())
    assert "| any@k | A hit rate: at least one gold item is among the first k. It is not recall. |" in found
    assert (
        "Retrieval is not accuracy: these figures say what was found, "
        "not what an answering model would have made of it." in found
    )
    assert "> **Note.** Comparability only: never a headline, always beside its control." in found


def test_the_wiring_proof_stands_before_the_first_figure(given: SimpleNamespace) -> None:
    found = lines(given.manifest(wiring_proof=True))
    assert found[2] == "> **Wiring proof, not a result: made on fixtures or with toy models.**"


def test_licences_and_the_command_to_reproduce_end_the_report(given: SimpleNamespace) -> None:
    unknown = given.dataset(name="other")
    assert lines(given.manifest(given.dataset(), given.dataset(), unknown))[-11:] == [
        "",
        "### Licences",
        "",
        "- LoCoMo: CC BY-NC 4.0. It is not shipped with truerecall.",
        "- other: see the terms that came with the file.",
        "",
        "### Reproduce",
        "",
        "```sh",
        "truerecall bench retrieval --seed 7",
        "```",
    ]


def test_a_hostile_name_cannot_leave_its_cell(given: SimpleNamespace) -> None:
    hostile = given.system("a|b\n| forged | `x` <script>alert(1)</script> [y](z) **bold** &lt;")
    found = lines(given.manifest(given.dataset(systems=[hostile])))
    safe = (
        "| a\\|b \\| forged \\| \\`x\\` &lt;script&gt;alert(1)&lt;/script&gt; \\[y\\](z) "
        "\\*\\*bold\\*\\* &amp;lt; "
        "| 1,200 | 1,200 | 2 | 1 | 1 | 3.2 | no | no |"
    )
    assert safe in found
    assert not [line for line in found if "<script" in line or line.startswith("| forged")]


def test_a_command_with_backticks_stays_in_its_fence(given: SimpleNamespace) -> None:
    text = markdown(given.manifest(provenance=given.provenance(command="echo ```\n# forged")))
    assert text.endswith("\n````sh\necho ``` # forged\n````\n")


def test_every_table_is_rectangular(given: SimpleNamespace) -> None:
    text = markdown(given.manifest(given.dataset(), given.dataset(name="longmemeval", variant="_s")))
    tables = [part.splitlines() for part in text.split("\n\n") if part.startswith("| ")]
    assert len(tables) > 20
    for rows in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in rows}) == 1


def test_the_same_manifest_gives_the_same_markdown(given: SimpleNamespace) -> None:
    assert markdown(given.manifest()) == markdown(given.manifest())


def test_a_part_of_a_file_is_named_wherever_the_data_set_is(given: SimpleNamespace) -> None:
    held_out = given.dataset(variant="locomo10", split="held-out")
    made = given.manifest(held_out, given.dataset(split="dev"), given.dataset(variant="locomo10"))

    titles = [line for line in lines(made) if line.startswith("## locomo")]
    assert titles == ["## locomo (locomo10, held-out)", "## locomo (dev)", "## locomo (locomo10)"]
    assert "| split | held-out |" in lines(made)
