"""The short answer for a terminal."""

from types import SimpleNamespace

from truerecall.bench.manifest import Latency
from truerecall.bench.report import summary
from truerecall.bench.systems.protocol import Tuning


def row(text: str, name: str) -> list[str]:
    """The cells of the first row with this name."""
    line = next(line for line in text.splitlines() if line.startswith(name))
    return line.removeprefix(name).split()


def test_the_whole_summary_of_a_run_is_one_table_a_data_set(given: SimpleNamespace) -> None:
    assert (
        summary(given.manifest(wiring_proof=True))
        == """\
Retrieval, 2026-11-30T10:00:00+00:00, truerecall-bench 1, commit 0123456789ab, seed 7, turn
  granularity

*** Wiring proof, not a result: made on fixtures or with toy models. ***

locomo (dev): 40 of 52 questions asked, 3 conversations
! Comparability only: never a headline, always beside its control.

            turn                   session                block 1,000    ms
system      any@5  any@10  all@10  frac@1  frac@5    MRR  carry  tokens  p50   p95
----------  -----  ------  ------  ------  ------  -----  -----  ------  ---  ----
truerecall  0.550   0.600   0.500   0.560   0.600  0.600  0.600     950  8.0  21.5
bm25        0.425   0.475   0.375   0.435   0.475  0.475  0.475     950  4.0   9.2
chance      0.025   0.050   0.025   0.004   0.020  0.031      -       -    -     -
n              40      40      40      40      40     40     40      40   40    40

Left out: adversarial 11, empty gold 1, phantom 1 (whole questions: 12)

Retrieval is not accuracy: these figures say what was found, not what an answering model would have
  made of it.
"""
    )


def test_a_real_run_carries_no_wiring_proof(given: SimpleNamespace) -> None:
    assert "Wiring proof" not in summary(given.manifest())


def test_what_was_not_measured_is_a_dash_and_never_a_zero(given: SimpleNamespace) -> None:
    empty = given.system(cells=[], latency=Latency(p50=0.0, p95=0.0, recalls=0))
    text = summary(given.manifest(given.dataset(systems=[empty])))
    assert row(text, "truerecall") == ["-"] * 10
    assert row(text, "chance") == ["-"] * 10


def test_a_mean_over_no_questions_is_a_dash(given: SimpleNamespace) -> None:
    cells = [given.cell("turn", "any@5", None, n=0), given.cell("turn", "any@10", 0.0)]
    text = summary(given.manifest(given.dataset(systems=[given.system(cells=cells)])))
    assert row(text, "truerecall")[:3] == ["-", "0.000", "-"]


def test_a_difference_in_n_or_chance_between_systems_is_not_hidden(given: SimpleNamespace) -> None:
    one = given.system(cells=[given.cell("turn", "any@5", 0.5, n=40, chance=0.1)])
    other = given.baseline(cells=[given.cell("turn", "any@5", 0.5, n=39, chance=0.2)])
    text = summary(given.manifest(given.dataset(systems=[one, other])))
    assert row(text, "chance")[0] == "varies"
    assert row(text, "n ")[0] == "varies"


def test_data_sets_are_never_pooled(given: SimpleNamespace) -> None:
    text = summary(given.manifest(given.dataset(), given.dataset(name="longmemeval", variant="_s")))
    assert [line for line in text.splitlines() if line.startswith(("locomo", "longmemeval"))] == [
        "locomo (dev): 40 of 52 questions asked, 3 conversations",
        "longmemeval (_s): 40 of 52 questions asked, 3 conversations",
    ]
    assert text.count("truerecall  0.550") == 2


def test_the_note_of_a_data_set_stands_above_its_table(given: SimpleNamespace) -> None:
    lines = summary(given.manifest(given.dataset(note="fixture: wiring proof, not a result"))).splitlines()
    assert lines.index("! fixture: wiring proof, not a result") < lines.index(
        next(line for line in lines if line.startswith("system"))
    )


def test_locomo_without_its_control_says_that_it_may_not_be_quoted(given: SimpleNamespace) -> None:
    text = summary(given.manifest(given.dataset(systems=[given.system()])))
    assert "! The bm25 control is not in this run: none of these figures may be quoted." in text


def test_an_unrecognised_file_and_an_oracle_variant_are_named_on_top(given: SimpleNamespace) -> None:
    text = summary(given.manifest(given.dataset(name="longmemeval", variant="oracle", recognised=False)), 200)
    assert "! The file's sha256 is not one that this project knows: it may be an edited copy." in text
    assert "! Evidence only: every session of this variant holds evidence" in text
    assert "Comparability only" not in text


def test_nothing_left_out_is_said(given: SimpleNamespace) -> None:
    assert "Left out: nothing" in summary(given.manifest(given.dataset(exclusions=[])))


def test_one_of_a_kind_is_not_said_in_the_plural(given: SimpleNamespace) -> None:
    text = summary(given.manifest(given.dataset(planned=1, asked=1, conversations=1)))
    assert "locomo (dev): 1 of 1 question asked, 1 conversation" in text.splitlines()


def test_uncommitted_changes_are_said_beside_the_commit(given: SimpleNamespace) -> None:
    text = summary(given.manifest(provenance=given.provenance(dirty=True)), 200)
    assert "commit 0123456789ab with uncommitted changes" in text


def test_a_narrow_terminal_gets_the_columns_in_several_tables(given: SimpleNamespace) -> None:
    text = summary(given.manifest(), width=60)
    assert max(len(line) for line in text.splitlines()) <= 60
    assert text.count("truerecall  0.") == 2
    assert "frac@1  frac@5" in text


def test_every_console_can_print_it_and_no_name_can_steer_it(given: SimpleNamespace) -> None:
    hostile = given.dataset(
        name="caf\u00e9 \u4e2d\u6587",
        note="red\x1b[31m\r\nforged line\u202e",
        systems=[given.system("truer\u00e9call\x07\n0.999")],
    )
    text = summary(given.manifest(hostile))
    assert text.isascii()
    assert "\x1b" not in text and "\x07" not in text and "\r" not in text
    assert "! red [31m forged line" in text.splitlines()
    assert "truer\\xe9call 0.999  0.550" in text


def test_long_names_keep_both_ends_and_stay_apart(given: SimpleNamespace) -> None:
    long = "truerecall " + "with many settings " * 3
    names = [long + "on", long + "off"]
    text = summary(given.manifest(given.dataset(systems=[given.system(name) for name in names])))
    assert max(len(line) for line in text.splitlines()) <= 100
    assert "gs on" in text and "s off" in text


def test_long_names_that_would_look_alike_are_printed_in_full(given: SimpleNamespace) -> None:
    names = [f"truerecall, set as shipped {letter} and then some more words" for letter in "ab"]
    text = summary(given.manifest(given.dataset(systems=[given.system(name) for name in names])), 200)
    assert all(name in text for name in names)


def test_the_same_manifest_gives_the_same_text(given: SimpleNamespace) -> None:
    assert summary(given.manifest()) == summary(given.manifest())


def test_an_adapter_that_calls_itself_truerecall_does_not_stand_in_its_place(given: SimpleNamespace) -> None:
    impostor = given.system("truerecall", configuration={"adapter_protocol": 1})
    text = summary(given.manifest(given.dataset(systems=[impostor, given.baseline()])))

    assert text.index("bm25 ") < text.index("truerecall ", text.index("system "))


def test_a_tuned_system_says_below_the_table_how_it_was_tuned(given: SimpleNamespace) -> None:
    tuned = given.system("truerecall-folds", tuning=Tuning("out-of-fold", 5, 1200, "locomo dev"))
    dataset = given.dataset(split="dev", systems=[tuned, given.baseline()])

    text = " ".join(summary(given.manifest(dataset)).split())
    assert (
        "truerecall-folds: out-of-fold by conversation (5 folds, 1,200 configurations tried on locomo dev)"
        in text
    )
    assert "no tuning declared" not in text
