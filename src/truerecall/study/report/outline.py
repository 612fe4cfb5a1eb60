"""The outline of a study's report, and its two layouts: nothing that is not in the outline can be printed."""

from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.outline import Chapter, Outline
from truerecall.bench.report.rendering import environment
from truerecall.bench.report.tables import Section, Table, table
from truerecall.study.report import accounts, found, protocol, questions, recalled
from truerecall.study.report.amounts import counted
from truerecall.study.report.charts import charts
from truerecall.study.report.places import without_places_in
from truerecall.study.report.record import StudyReport
from truerecall.study.report.words import MEANINGS, SCRIPTED, asked_elsewhere, unfinished

TITLE = "Does memory pay for a coding agent?"
_DIFFERS = {None: "not known", True: "yes", False: "no"}


def study_markdown(report: StudyReport) -> str:
    """The report in GitHub's Markdown; the same record gives the same text."""
    template = environment(autoescape=False).get_template("report.md.jinja")
    return template.render(report=study_outline(report))


def study_page(report: StudyReport) -> str:
    """One HTML file that asks for nothing from outside; the same record gives the same text."""
    outline = study_outline(report)
    plots = charts(report.figures)
    template = environment(autoescape=True).get_template("report.html.jinja")
    return template.render(report=outline, drawn=[plots for _ in outline.chapters])


def study_outline(report: StudyReport) -> Outline:
    """Arrange what a study found: the answer and the picture first, then what they stand on."""
    figures, made = report.figures, report.environment
    banners = [SCRIPTED] if figures.scripted else []
    if report.plan.elsewhere and not figures.scripted:
        banners.append(asked_elsewhere(report.plan.elsewhere))
    if figures.finished < figures.planned:
        banners.append(unfinished(figures.finished, figures.planned))
    return without_places_in(
        Outline(
            title=TITLE,
            verdict=disclosed(figures.verdict.sentence),
            banners=tuple(banners),
            sentence="",
            made=disclosed(_made(report)),
            chapters=_chapters(report),
            meanings=table(
                "What each number is, and what it is not", ["number", "meaning"], MEANINGS, words=2
            ),
            provenance=_provenance(report),
            licences=(),
            command=disclosed(made.command or "truerecall study run"),
        )
    )


def _made(report: StudyReport) -> str:
    plan, figures = report.plan, report.figures
    return (
        f"The study “{plan.name}”, {report.environment.created[:16].replace('T', ' ')} UTC, {plan.solver.name} "
        f"{plan.solver.version} on {plan.solver.model}: {counted(figures.questions, 'question')} and "
        f"{counted(figures.controls, 'control')}, {counted(len(plan.sides), 'side')}, "
        f"{counted(plan.repeats, 'repeat')}, {figures.finished} of {counted(figures.planned, 'run')} finished"
    )


def _chapters(report: StudyReport) -> tuple[Chapter, ...]:
    figures, behind = report.figures, report.behind
    told = ["Each side by question; the same figures stand in the tables of the questions."]
    if figures.controls:
        told.append(
            "The memory holds no answer to a control question: what it takes is the price of an ordinary prompt."
        )
    amounts = Section("amounts", "Amounts by side", tuple(told))
    return (
        Chapter(
            "found",
            "What was found",
            tuple(disclosed(line) for line in found.warnings(figures)),
            (found.short_answer(figures), *found.sections(figures)),
        ),
        Chapter(
            "questions",
            "Question by question",
            (),
            (
                *([amounts] if charts(figures)["amounts"] else []),
                *questions.sections(figures.headline, behind),
            ),
        ),
        Chapter("memory", "What the memory said", (), recalled.sections(figures, behind)),
        Chapter("prompt", "The ordinary prompt", (), recalled.ordinary(figures)),
        Chapter(
            "trust",
            "How far it can be trusted",
            (),
            accounts.sections(figures, behind, report.discarded),
        ),
        Chapter("protocol", "The protocol", (), protocol.sections(report.plan, figures.cuts)),
    )


def _provenance(report: StudyReport) -> Table:
    plan, made = report.plan, report.environment
    rows = [
        ("truerecall", made.truerecall + (f", commit {made.commit}" if made.commit else "")),
        *([("differs from that commit", _DIFFERS[made.dirty])] if made.commit else []),
        ("Python, system, cores", f"{made.python}, {made.system}, {made.cores or 'not known'}"),
        ("solver", f"{plan.solver.name} {plan.solver.version}, {plan.solver.model}"),
        ("rewriter, judge, checker", f"{plan.rewriter}, {plan.judge}, {plan.checker}"),
        *(
            [("asked at another address than the provider's own", ", ".join(plan.elsewhere))]
            if plan.elsewhere
            else []
        ),
        ("prices", f"of {plan.prices_dated}, sha256 {plan.prices_sha256}"),
        *((f"frozen memory {name}", f"sha256 {digest}") for name, digest in plan.memory.items()),
        *((f"memory of {cut.question}", f"sha256 {cut.sha256}") for cut in report.figures.cuts),
        *((f"keys of {one.id}", f"sha256 {one.approved_sha256}") for one in plan.questions),
        *((f"side {side.name}", f"sha256 {side.sha256}") for side in plan.sides if side.sha256),
    ]
    return table("Versions and hashes", ["what", "which"], rows, words=2)
