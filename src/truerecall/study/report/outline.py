"""The outline of a study's report, and its two layouts: nothing that is not in the outline can be printed."""

from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.outline import Chapter, Outline
from truerecall.bench.report.rendering import environment
from truerecall.bench.report.tables import Table, table
from truerecall.study.figures.records import Figures
from truerecall.study.folder import Finished
from truerecall.study.report import accounts, found, protocol, recalled
from truerecall.study.report.amounts import counted
from truerecall.study.report.charts import charts
from truerecall.study.report.words import MEANINGS, SCRIPTED, unfinished

TITLE = "Does memory pay for a coding agent?"


def study_markdown(finished: Finished, figures: Figures) -> str:
    """The report in GitHub's Markdown; the same run folder gives the same text."""
    template = environment(autoescape=False).get_template("report.md.jinja")
    return template.render(report=study_outline(finished, figures))


def study_page(finished: Finished, figures: Figures) -> str:
    """One HTML file that asks for nothing from outside; the same run folder gives the same text."""
    drawn = [{"picture": charts(figures)}, {}, {}, {}, {}]
    template = environment(autoescape=True).get_template("report.html.jinja")
    return template.render(report=study_outline(finished, figures), drawn=drawn)


def study_outline(finished: Finished, figures: Figures) -> Outline:
    """Arrange what a study found: the picture first, then what it stands on."""
    plan, made = finished.plan, finished.environment
    banners = [SCRIPTED] if figures.scripted else []
    if figures.finished < figures.planned:
        banners.append(unfinished(figures.finished, figures.planned))
    return Outline(
        title=TITLE,
        banners=tuple(banners),
        sentence=disclosed(figures.verdict.sentence),
        made=disclosed(
            f"The study “{plan.name}”, {made.created[:16].replace('T', ' ')} UTC, {plan.solver.name} "
            f"{plan.solver.version} on {plan.solver.model}: {counted(figures.questions, 'question')} and "
            f"{counted(figures.controls, 'control')}, {counted(len(plan.sides), 'side')}, "
            f"{counted(plan.repeats, 'repeat')}, {figures.finished} of {figures.planned} runs finished"
        ),
        chapters=(
            Chapter("found", "What was found", (), found.sections(figures)),
            Chapter("memory", "What the memory said", (), recalled.sections(figures)),
            Chapter("prompt", "The ordinary prompt", (), recalled.ordinary(figures)),
            Chapter("trust", "Why the figures can be trusted, and how far", (), accounts.sections(figures)),
            Chapter("protocol", "The protocol", (), protocol.sections(plan, finished.cuts)),
        ),
        meanings=table("What each number is, and what it is not", ["number", "meaning"], MEANINGS, words=2),
        provenance=_provenance(finished),
        licences=(),
        command=disclosed(made.command or "truerecall study run"),
    )


def _provenance(finished: Finished) -> Table:
    plan, made = finished.plan, finished.environment
    rows = [
        ("truerecall", made.truerecall + (f", commit {made.commit}" if made.commit else "")),
        ("differs from that commit", {None: "not known", True: "yes", False: "no"}[made.dirty]),
        ("Python, system, cores", f"{made.python}, {made.system}, {made.cores or 'not known'}"),
        ("solver", f"{plan.solver.name} {plan.solver.version}, {plan.solver.model}"),
        ("rewriter, judge, checker", f"{plan.rewriter}, {plan.judge}, {plan.checker}"),
        ("prices", f"of {plan.prices_dated}, sha256 {plan.prices_sha256}"),
        *((f"frozen memory {name}", f"sha256 {digest}") for name, digest in plan.memory.items()),
        *((f"memory of {cut.question}", f"sha256 {cut.sha256}") for cut in finished.cuts),
        *((f"keys of {one.id}", f"sha256 {one.approved_sha256}") for one in plan.questions),
        *((f"side {side.name}", f"sha256 {side.sha256}") for side in plan.sides if side.sha256),
    ]
    return table("Versions and hashes", ["what", "which"], rows, words=2)
