"""Every switch of recall flipped in one accuracy run."""

from pathlib import Path

from answered import answerer, asked, models, run

from truerecall.bench.qa.flips import flips, with_flips
from truerecall.bench.systems.null import Null
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.core.config import Settings


def test_each_flip_is_held_against_the_memory_as_it_is_and_against_nothing_else(tmp_path: Path) -> None:
    systems, base = with_flips([Truerecall(None), Null()])

    manifest = run(tmp_path, models(), systems, ablated=base, budget=60)

    names = [flip.name for flip in flips(Settings(), with_model=False)]
    (dataset,) = manifest.datasets
    judges = [result.judge for result in dataset.arms[0].judges]
    assert manifest.ablated == "truerecall"
    assert [(made.a, made.b, made.judge) for made in dataset.pairs if made.b != "null"] == [
        (f"truerecall {name}", "truerecall", judge) for name in names for judge in judges
    ]
    assert [(made.a, made.b) for made in dataset.pairs if made.b == "null"] == [("truerecall", "null")] * 2


def test_a_flip_that_changes_no_context_asks_for_no_answer(tmp_path: Path) -> None:
    chosen = models(answerer())
    run(tmp_path, chosen, [Truerecall(None)], name="alone", budget=60)
    before = asked(chosen)
    systems, base = with_flips([Truerecall(None)])

    manifest = run(tmp_path, chosen, systems, name="flipped", ablated=base, budget=60)

    (dataset,) = manifest.datasets
    changed = {made.a for made in dataset.pairs if made.identical_contexts < dataset.asked}
    found = {made.a.removeprefix("truerecall ") for made in dataset.pairs} - {
        name.removeprefix("truerecall ") for name in changed
    }
    # Nothing in these conversations has causes, proof or usefulness to go by.
    assert {"lanes.cause=1", "factors.proof=0.1", "factors.usefulness=0.1"} <= found
    assert asked(chosen)["scripted:answerer"] - before["scripted:answerer"] <= len(changed) * dataset.asked
    assert manifest.calls.reused["answer"] > 0
