"""Reports of accuracy: what may stand as a figure, what may not, and that every question is accounted for."""

import re
from typing import Any

import accuracy_made as made
import pytest
from page_of import Document

from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.report.accuracy import qa_markdown, qa_page, qa_summary
from truerecall.bench.systems.protocol import Tuning

SHORT = "**The short answer, all types together**"


def table(text: str, caption: str) -> list[str]:
    """The lines of the table under this caption, without its head."""
    return text[text.index(caption) :].split("\n\n")[1].splitlines()[2:]


def only(*arms: Any, **changes: Any) -> QaManifest:
    return made.manifest(made.dataset(arms=list(arms), pairs=[], not_measured={}, **changes))


def unstable_arm(**changes: Any) -> Any:
    """Two judges that are ten points apart over all types; its accuracy must be seen nowhere."""
    judges = [made.judged(made.JUDGES[0], [made.cell("temporal", 57, 43)]),
              made.judged(made.JUDGES[1], [made.cell("temporal", 47, 53)])]  # fmt: skip
    return made.arm("shaky", judges, **changes)


def test_an_arm_stands_with_n_and_both_intervals_and_both_bounds_by_each_judge() -> None:
    assert table(qa_markdown(made.manifest()), SHORT) == [
        "| truerecall | openai:gpt-judge | 66.0 | 100 | 56.3 to 74.5 | 56.0 to 76.0 | 66.0 to 66.0 | same provider |",
        "| truerecall | anthropic:claude-judge | 62.0 | 100 | 52.2 to 70.9 | 52.0 to 72.0 | 62.0 to 62.0 | - |",
        "| full dump (control) | openai:gpt-judge | 39.6 | 100 | 30.1 to 49.8 | 29.6 to 49.6 | 36.0 to 45.0 "
        "| same provider; unsound; incomplete |",
        "| full dump (control) | anthropic:claude-judge | 36.5 | 100 | 27.5 to 46.4 | 26.5 to 46.5 | 35.0 to 39.0 "
        "| incomplete |",
        "| bm25 (control) | openai:gpt-answer | self-judged | 100 | - | - | - | self-judged |",
        "| bm25 (control) | anthropic:claude-judge | 56.0 | 100 | 46.2 to 65.3 | 46.0 to 66.0 | 56.0 to 56.0 | - |",
    ]


@pytest.mark.parametrize("report", [qa_markdown, qa_page, qa_summary])
def test_the_accuracy_on_which_judges_do_not_agree_is_nowhere(report: Any) -> None:
    text = report(only(unstable_arm()))
    assert "unstable" in text
    assert not re.search(r"(?<![\d.])(57\.0|0\.570|0\.57|47\.0|0\.470|0\.47)(?!\d)", text)


def test_what_is_unstable_is_a_word_by_type_and_its_counts_stand_in_the_agreement() -> None:
    text = qa_markdown(made.manifest())
    assert (
        table(text, "<summary>preference")[0]
        == "| truerecall | openai:gpt-judge | unstable | 20 | - | - | 0 | 0 | - | - | - | 3 | same provider |"
    )
    assert table(text, "**truerecall: A is openai:gpt-judge, B is anthropic:claude-judge**")[-1] == (
        "| preference | no: unstable | 20 | 14 | 12 | 10.0 | 2 | 2 | 0 | 0.900 | 0.812 | 0.688 to 0.938 | 0.25 | 5.0 |"
    )
    assert table(text, "**Survival**")[0] == "| truerecall | 2 of 3 | preference | yes |"


@pytest.mark.parametrize(
    ("right", "unstable"),
    [((20, 19), False), ((20, 18), True), ((19, 20), False), ((0, 0), False)],
)
def test_five_points_are_within_the_bound_and_the_next_question_is_not(
    right: tuple[int, int], unstable: bool
) -> None:
    judges = [
        made.judged(judge, [made.cell("temporal", n, 20 - n)])
        for judge, n in zip(made.JUDGES, right, strict=True)
    ]
    rows = table(qa_markdown(only(made.arm(judges=judges))), SHORT)
    assert ["unstable" in row for row in rows] == [unstable, unstable]


def test_a_type_that_one_judge_is_missing_is_no_agreement() -> None:
    arm = made.arm()
    lacking = [found for found in arm.agreements if found.type != "temporal"]
    text = qa_markdown(only(arm.model_copy(update={"agreements": lacking})))
    assert "| unstable |" in table(text, "<summary>temporal")[0]
    assert "| unstable |" not in table(text, "<summary>multi-hop")[0]


def test_one_judge_alone_heads_no_page() -> None:
    text = qa_markdown(only(made.arm(judges=[made.judged(made.JUDGES[0], [made.cell("temporal", 15, 5)])])))
    assert table(text, SHORT)[0].startswith("| truerecall | openai:gpt-judge | one judge | 20 | - | - | - |")
    assert "One judge alone has nothing to agree with" in text


def test_a_judge_that_was_constant_has_a_dash_for_kappa() -> None:
    arm = made.arm()
    constant = [found.model_copy(update={"kappa": None, "kappa_interval": None}) for found in arm.agreements]
    text = qa_markdown(only(arm.model_copy(update={"agreements": constant})))
    row = table(text, "**truerecall: A is")[0]
    assert row.split(" | ")[10:12] == ["—", "—"]


def test_every_planned_question_is_accounted_for_and_what_is_missing_is_counted() -> None:
    rows = table(qa_markdown(made.manifest()), "**Where every planned question went**")
    assert rows[2] == (
        "| full dump (control) | openai:gpt-judge | 152 | 2 | 50 | 100 | 91 | 5 | 4 | 0 | 96 | 1 |"
    )
    lost = table(qa_markdown(only(made.arm(), planned=155)), "**Where every planned question went**")
    assert [row.split(" | ")[9] for row in lost] == ["3", "3"]


def test_what_failed_and_what_was_left_out_is_listed_by_reason() -> None:
    text = qa_markdown(made.manifest())
    assert table(text, "**What failed, by reason**") == [
        "| full dump (control) | 429 too many requests | 4 |"
    ]
    assert table(text, "**What was left out, by reason**") == [
        "| adversarial | 1 | 1 |",
        "| empty gold | 1 | 1 |",
    ]
    assert table(text, "**Arms that were not measured**") == ["| mem0 | needs a key |"]


def test_a_sample_is_disclosed_with_its_seed_and_its_questions() -> None:
    text = qa_markdown(made.manifest())
    assert "A sample: 100 of 150 questions, stratified by type, seed 7." in text
    assert table(text, "<summary>The drawn questions (100)")[:2] == ["| q0 |", "| q1 |"]
    assert "A sample:" not in qa_markdown(only(made.arm(), sample=None))


def test_nothing_is_said_of_a_pair_whose_arm_is_unstable() -> None:
    shaky = made.pair(a="shaky", b="bm25", difference=12.5)
    dataset = made.dataset(arms=[unstable_arm(), made.self_judged_arm()], pairs=[shaky])
    text = qa_markdown(made.manifest(dataset))
    assert "Nothing: the judges do not agree on shaky." in text
    assert shaky.sentence not in text + qa_summary(made.manifest(dataset))
    assert table(text, "**Pairs**")[0].startswith("| shaky | bm25 | openai:gpt-judge | unstable | - | 94 |")


def test_pairs_stand_with_their_sentence_p_and_the_smallest_difference_that_n_can_show() -> None:
    text = qa_markdown(made.manifest())
    assert table(text, "**Pairs**")[0] == (
        "| truerecall | full dump | openai:gpt-judge | +27.5 | +12.5 to +40.0 | 94 | 31 | 5 | 2e-05 | 17.5 | 4 |"
    )
    assert table(text, "**What may be said**")[0] == (
        "| truerecall | full dump | openai:gpt-judge "
        "| Within these conversations truerecall is right more often than full dump. |"
    )


def test_blocks_that_two_systems_share_are_counted_of_all_questions_that_both_were_asked() -> None:
    pairs = [made.pair(judge=judge, n=n, left_out=100 - n, same_questions=100, identical_contexts=99)
             for judge, n in zip(made.JUDGES, (94, 90), strict=True)]  # fmt: skip
    dataset = made.dataset(arms=[made.arm(), made.arm("full dump")], pairs=pairs)
    text = qa_markdown(made.manifest(dataset))
    assert table(text, "**Questions on which two systems gave the same block**") == [
        "| truerecall | full dump | 99 of 100 |"
    ]


def test_how_many_answers_of_an_unstable_arm_were_right_stands_in_the_agreement_alone() -> None:
    text = qa_markdown(only(unstable_arm()))
    before = text[: text.index("### Agreement of the judges")]
    after = text[text.index("### Every planned question") :]
    assert "57" not in before
    assert "| 57 |" not in after


def test_figures_with_corrected_gold_stand_beside_those_with_the_gold_as_it_came() -> None:
    first, second = made.arm().judges
    judges = [
        first.model_copy(update={"errata_cells": [made.cell("all", 68, 32)]}),
        second.model_copy(update={"errata_cells": [made.cell("all", 64, 36)]}),
    ]
    text = qa_markdown(only(made.arm().model_copy(update={"judges": judges})))
    assert table(text, "**With the gold as it came, and corrected**") == [
        "| all | truerecall | openai:gpt-judge | 100 | 66.0 (56.3 to 74.5) | 68.0 (58.3 to 76.3) |",
        "| all | truerecall | anthropic:claude-judge | 100 | 62.0 (52.2 to 70.9) | 64.0 (54.2 to 72.7) |",
    ]
    apart = [judges[0], second.model_copy(update={"errata_cells": [made.cell("all", 62, 38)]})]
    text = qa_markdown(only(made.arm().model_copy(update={"judges": apart})))
    assert all(
        row.endswith("| unstable |") for row in table(text, "**With the gold as it came, and corrected**")
    )


def test_cost_stands_by_role_with_its_tokens_and_the_date_of_the_price() -> None:
    text = qa_markdown(made.manifest())
    assert table(text, "**Tokens and cost by role**")[0] == (
        "| truerecall | answer | 0.42000 | 100 | 0 | 121,000 | 1,000 | 4,200 | 0 | 2026-11-01, the row of the model |"
    )
    assert table(text, "**Cost of a question: the answering model's alone**")[0] == "| truerecall | 0.01040 |"
    assert "Prices: 2026-11-01, sha256 9a3f." in text


def test_a_cost_that_is_not_known_is_missing_and_a_free_one_is_zero() -> None:
    usage = {"answer": made.used(5, None, "no price is known"), made.JUDGES[0]: made.used(5, 0.0, "free")}
    text = qa_markdown(only(made.arm(usage=usage, cost_per_question=None)))
    rows = table(text, "**Tokens and cost by role**")
    assert [row.split(" | ")[2] for row in rows] == ["-", "0"]
    assert table(text, "**Cost of a question: the answering model's alone**") == ["| truerecall | - |"]


def test_time_stands_for_recall_answer_each_judge_and_end_to_end() -> None:
    assert table(qa_markdown(only(made.arm(answer=None))), "**Time by stage**") == [
        "| truerecall | recall | 8.1 | 12.5 | 100 |",
        "| truerecall | answer | - | - | - |",
        "| truerecall | judge openai:gpt-judge | 900.0 | 2,100.0 | 100 |",
        "| truerecall | judge anthropic:claude-judge | 900.0 | 2,100.0 | 100 |",
        "| truerecall | end to end | 1,460.0 | 4,220.0 | 100 |",
    ]


def test_parameters_are_printed_as_requested_as_sent_and_as_refused() -> None:
    rows = table(qa_markdown(made.manifest()), "**Parameters**")
    assert rows[:2] == [
        "| answer | temperature | 0 | not sent |",
        "| answer | max_tokens | 300 | 300 |",
    ]


def test_calibration_says_which_judge_did_not_pass_and_that_none_was_tried() -> None:
    text = qa_markdown(made.manifest())
    assert table(text, "**Calibration**") == [
        "| openai:gpt-judge | passed | 40 | 20 | 1 | 20 | 2 | 0 | 0 |",
        "| anthropic:claude-judge | NOT PASSED | 40 | 20 | 1 | 20 | 5 | 0 | 0 |",
    ]
    assert "No judge was calibrated" in qa_markdown(made.manifest(calibrations=[]))


def test_a_role_is_printed_by_provider_and_model_even_where_its_name_holds_more() -> None:
    tail = ",base_url=http://user:pass@host:8080/v1"
    roles = [made.role(made.ANSWER, "answer"), made.role(made.JUDGES[0] + tail, model="gpt-judge"),
             made.role(made.JUDGES[1])]  # fmt: skip
    text = made.manifest(roles=roles).model_dump_json()
    everywhere = text.replace(made.JUDGES[0], made.JUDGES[0] + tail).replace(tail + tail, tail)
    manifest = QaManifest.model_validate_json(everywhere)
    for report in (qa_markdown, qa_page, qa_summary):
        assert "openai:gpt-judge" in report(manifest)
        assert "host" not in report(manifest) and "8080" not in report(manifest)


def test_two_models_of_one_name_are_told_apart_without_their_addresses() -> None:
    roles = [made.role(made.JUDGES[0]), made.role(made.JUDGES[1], provider="openai", model="gpt-judge")]
    rows = table(qa_markdown(made.manifest(roles=roles)), SHORT)
    assert [row.split(" | ")[1] for row in rows[:2]] == ["openai:gpt-judge", "openai:gpt-judge (2)"]


@pytest.mark.parametrize("report", [qa_markdown, qa_page, qa_summary])
def test_every_stamp_stands_on_every_page(report: Any) -> None:
    stamps = ["Uncalibrated.", "Incomplete.", "Unsound."]
    text = report(made.manifest(wiring_proof=True, stamps=stamps))
    assert all(stamp in text for stamp in [*stamps, "Wiring proof, not a result"])
    assert "Wiring proof" not in report(made.manifest(stamps=[]))


def test_locomo_without_a_control_may_not_be_quoted() -> None:
    assert "A control is not in this run" in qa_markdown(only(made.arm()))
    assert "A control is not in this run" not in qa_markdown(made.manifest())


def test_tuning_is_told_of_each_system() -> None:
    text = qa_markdown(only(made.arm(), made.arm("other", tuning=Tuning())))
    assert table(text, "**How systems were tuned**") == [
        "| truerecall | out-of-fold by conversation (5 folds, 1,200 configurations tried on locomo dev) |",
        "| other | no tuning declared |",
    ]


def test_calls_that_had_failed_and_were_asked_again_are_told_everywhere() -> None:
    manifest = made.manifest()
    assert "; 3 had failed before and were asked again; 1 of an earlier process were lost." in " ".join(
        qa_summary(manifest).split()
    )
    assert "Asked again after a failure: 3." in qa_markdown(manifest)


def test_the_terminal_has_the_short_answer_in_plain_ascii() -> None:
    text = qa_summary(made.manifest())
    assert text.isascii() and text.endswith("\n")
    assert max(map(len, text.splitlines())) <= 100
    assert "truerecall  66.0  56.3-74.5  100  62.0  52.2-70.9  100" in text
    assert "full dump, judge B: incomplete; between 35.0 and 39.0; 0 invalid, 4 failed" in text
    assert "Calls made: answer 280, judge 560; reused: answer 20; 3 had failed before" in text


def test_the_page_is_whole_and_asks_for_nothing_from_outside() -> None:
    document = Document(qa_page(made.manifest()))
    assert document.open == []
    names = {name for name, _ in document.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    ids = [attributes["id"] for _, attributes in document.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {str(link["href"]).removeprefix("#") for link in document.all("a")} <= set(ids)


def test_the_page_draws_types_agreement_cost_and_time_and_leaves_empty_plots_out() -> None:
    plots = [plot["aria-label"] for plot in Document(qa_page(made.manifest())).all("svg")]
    assert plots == [
        "Accuracy by type, judge openai:gpt-judge",
        "Accuracy by type, judge anthropic:claude-judge",
        "Accuracy by type, judge openai:gpt-answer, self-judged",
        "truerecall: where the judges differ",
        "full dump: where the judges differ",
        "Accuracy against cost",
        "Accuracy against context",
        "Milliseconds by stage",
    ]
    bare = unstable_arm(
        recall=None, answer=None, judge={}, end_to_end=None, cost_per_question=None, context_tokens_mean=None
    )
    plots = [plot["aria-label"] for plot in Document(qa_page(only(bare))).all("svg")]
    assert plots == ["shaky: where the judges differ"]


def test_a_run_of_nothing_still_makes_a_report() -> None:
    empty = made.manifest(made.dataset(arms=[], pairs=[], exclusions=[], sample=None, not_measured={}))
    assert Document(qa_page(empty)).open == []
    assert "No arm was measured." in qa_summary(empty)
    assert "## How the figures came about" in qa_markdown(made.manifest())


def test_the_same_manifest_gives_the_same_texts() -> None:
    for report in (qa_markdown, qa_page, qa_summary):
        assert report(made.manifest()) == report(made.manifest())


HOSTILE = "</title></style><script>alert(1)</script>'\"><img src=x onerror=alert(1)>&\x00\u202e{{ 7*7 }}|`"


def hostile(value: Any, key: str = "") -> Any:
    """A dumped manifest with this text for every free string."""
    if isinstance(value, dict):
        return {name: hostile(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [hostile(inner, key) for inner in value]
    fixed = key in ("kind", "role", "relation", "granularity", "scheme") or value == "all"
    return HOSTILE if isinstance(value, str) and not fixed else value


def test_a_hostile_string_in_every_field_stays_text() -> None:
    manifest = QaManifest.model_validate(hostile(made.manifest().model_dump()))
    document = Document(qa_page(manifest))
    assert document.open == []
    assert not {name for name, _ in document.elements} & {"script", "img"}
    assert not [n for _, attributes in document.elements for n in attributes if n.startswith("on")]
    text = qa_page(manifest) + qa_markdown(manifest) + qa_summary(manifest)
    assert "\x00" not in text and "\u202e" not in text
