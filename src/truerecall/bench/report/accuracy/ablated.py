"""What each switch of recall is worth to the answers: one row a flip and judge."""

from truerecall.bench.qa.manifest import Pair, QaDataset
from truerecall.bench.report.accuracy.answers import may_be_said, p_text, shaky
from truerecall.bench.report.accuracy.standing import UNSTABLE, model_name
from truerecall.bench.report.figures import MISSING, count, number, signed
from truerecall.bench.report.tables import Section, section, table


def flips_of(dataset: QaDataset, ablated: str) -> list[Pair]:
    """The pairs of a flip with the memory as it is; a pair with a control is none of them."""
    controls = {arm.system for arm in dataset.arms if arm.control}
    return [made for made in dataset.pairs if ablated and made.b == ablated and made.a not in controls]


def without_flips(dataset: QaDataset, ablated: str) -> QaDataset:
    """The data set with its other pairs."""
    flipped = flips_of(dataset, ablated)
    return dataset.model_copy(update={"pairs": [made for made in dataset.pairs if made not in flipped]})


def ablation(dataset: QaDataset, ablated: str, names: dict[str, str]) -> list[Section]:
    """Each flip against the memory as it is; nothing where no switch was flipped."""
    found = flips_of(dataset, ablated)
    if not found:
        return []
    arms = {arm.system: arm for arm in dataset.arms}
    columns = [
        "switch", "identical contexts", "judge", "lift (points)", "right with the flip alone",
        "right without it alone", "p (McNemar)", "p (Holm)", "smallest this n can show (points)", "verdict",
    ]  # fmt: skip
    rows = []
    for made in found:
        apart = shaky(made, arms)
        rows.append(
            (
                switch_of(made, ablated),
                of_n(made),
                model_name(names, made.judge),
                UNSTABLE if apart else signed(made.difference, 1),
                *map(count, (made.only_a, made.only_b)),
                p_text(made.p),
                p_text(made.p_holm),
                number(made.smallest, 1),
                may_be_said(made, apart),
            )
        )
    told = [
        f"Each switch of recall flipped alone and held against {ablated} on the same questions: a positive lift is in "
        "favour of the flip. Where every context is identical the switch had nothing to do here, which says nothing "
        "against it. Holm's family is every pair of the data set by one judge.",
    ]
    return [section("switches", "Switches of recall", told, [table("Flips", columns, rows, words=3)])]


def ablation_lines(dataset: QaDataset, ablated: str, letters: dict[str, str]) -> list[str]:
    """A line a flip for a terminal: contexts that stay as they are, and lift and p by each judge."""
    arms = {arm.system: arm for arm in dataset.arms}
    told: dict[str, list[str]] = {}
    for made in flips_of(dataset, ablated):
        judge = letters.get(made.judge, "?")
        lift = UNSTABLE if shaky(made, arms) else signed(made.difference, 1)
        head = f"{switch_of(made, ablated)}: {of_n(made)} contexts identical"
        told.setdefault(head, []).append(f"judge {judge} {lift} (p {p_text(made.p_holm)})")
    if not told:
        return []
    top = f"Flipped against {ablated} (lift in points, p after Holm; {MISSING} is not measured):"
    return [top, *(f"  {head}; {', '.join(judged)}" for head, judged in told.items())]


def switch_of(made: Pair, ablated: str) -> str:
    """The flip's own name: ``lanes.graph=1``."""
    return made.a.removeprefix(ablated).strip()


def of_n(made: Pair) -> str:
    """``7 of 20``: of the questions that both were asked."""
    return f"{count(made.identical_contexts)} of {count(made.n + made.left_out)}"
