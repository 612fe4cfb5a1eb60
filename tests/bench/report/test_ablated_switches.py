"""Reports of an accuracy run whose switches were flipped."""

import accuracy_made as made

from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.report.accuracy import qa_markdown, qa_page, qa_summary


def flip(switch: str, judge: int, **changes: object) -> object:
    return made.pair(
        a=f"truerecall {switch}", b="truerecall", judge=made.JUDGES[judge], difference=-2.0, only_a=1, only_b=3,
        p=0.625, p_holm=1.0, n=99, left_out=1, identical_contexts=90, smallest=6.0,
        sentence="No difference is shown.", **changes,
    )  # fmt: skip


def ablated() -> QaManifest:
    arms = [made.arm(), made.arm("truerecall lanes.graph=1"), made.arm("full dump", control=True)]
    pairs = [flip("lanes.graph=1", 0), flip("lanes.graph=1", 1), made.pair(a="truerecall", b="full dump")]
    return made.manifest(made.dataset(arms=arms, pairs=pairs), ablated="truerecall")


def rows(text: str, caption: str) -> list[str]:
    return text[text.index(caption) :].split("\n\n")[1].splitlines()[2:]


def test_each_flip_stands_with_its_identical_contexts_its_lift_and_its_p_by_each_judge() -> None:
    assert rows(qa_markdown(ablated()), "**Flips**") == [
        "| lanes.graph=1 | 90 of 100 | openai:gpt-judge | -2.0 | 1 | 3 | 0.62 | 1 | 6.0 | No difference is shown. |",
        "| lanes.graph=1 | 90 of 100 | anthropic:claude-judge | -2.0 | 1 | 3 | 0.62 | 1 | 6.0 "
        "| No difference is shown. |",
    ]


def test_pairs_with_controls_stand_apart_from_flips() -> None:
    (pair,) = rows(qa_markdown(ablated()), "**Pairs**")

    assert pair.startswith("| truerecall | full dump | openai:gpt-judge |")


def test_a_terminal_gets_one_line_a_flip() -> None:
    lines = qa_summary(ablated(), width=200).splitlines()

    at = lines.index("Flipped against truerecall (lift in points, p after Holm; - is not measured):")
    assert lines[at + 1].strip() == (
        "lanes.graph=1: 90 of 100 contexts identical; judge A -2.0 (p 1), judge B -2.0 (p 1)"
    )
    assert [line for line in lines if line.startswith("truerecall lanes.graph=1 and truerecall")] == []


def test_what_holds_of_a_judge_for_every_arm_is_said_once() -> None:
    lines = qa_summary(ablated(), width=200).splitlines()

    assert lines.count("judge A: same provider") == 1
    assert [line for line in lines if line.endswith("judge A: same provider") and "," in line] == []


def test_a_run_without_flips_has_no_such_section() -> None:
    plain = made.manifest()

    assert "Flips" not in qa_markdown(plain)
    assert "Switches of recall" not in qa_page(plain)
    assert "Flipped against" not in qa_summary(plain)
