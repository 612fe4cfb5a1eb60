"""The whole report of an accuracy run as Markdown and as one self-contained HTML page."""

from truerecall.bench.qa.manifest import QaDataset, QaManifest
from truerecall.bench.report import setting
from truerecall.bench.report.accuracy import ablated, answers, money, running
from truerecall.bench.report.accuracy.charts import qa_charts
from truerecall.bench.report.accuracy.standing import model_names
from truerecall.bench.report.accuracy.words import MEANINGS, banners, qa_warnings
from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.figures import title
from truerecall.bench.report.outline import Chapter, Outline
from truerecall.bench.report.rendering import environment
from truerecall.bench.report.tables import Section, table
from truerecall.bench.report.words import NOT_POOLED, licence


def qa_markdown(manifest: QaManifest) -> str:
    """The full report in GitHub's Markdown; the same manifest gives the same text."""
    return environment(autoescape=False).get_template("report.md.jinja").render(report=qa_outline(manifest))


def qa_page(manifest: QaManifest) -> str:
    """One HTML file that asks for nothing from outside; the same manifest gives the same text."""
    names = model_names(manifest.roles)
    drawn = [*(qa_charts(dataset, names) for dataset in manifest.datasets), {}]
    template = environment(autoescape=True).get_template("report.html.jinja")
    return template.render(report=qa_outline(manifest), drawn=drawn)


def qa_outline(manifest: QaManifest) -> Outline:
    """Arrange a manifest: a chapter a data set, then how the figures came about."""
    made = manifest.provenance
    names = model_names(manifest.roles)
    return Outline(
        title="Accuracy report",
        banners=tuple(map(disclosed, banners(manifest))),
        sentence=NOT_POOLED,
        made=disclosed(
            f"{made.created}, {made.harness}, {made.granularity} granularity, block of {manifest.budget:,} tokens, "
            f"seed {made.seed}"
        ),
        chapters=(
            *(
                Chapter(
                    f"data-{at}",
                    disclosed(title(dataset)),
                    tuple(map(disclosed, qa_warnings(dataset))),
                    qa_sections(dataset, manifest, names),
                )
                for at, dataset in enumerate(manifest.datasets, start=1)
            ),
            Chapter("run", "How the figures came about", (), run_sections(manifest, names)),
        ),
        meanings=table("What each number is, and what it is not", ["number", "meaning"], MEANINGS, words=2),
        provenance=setting.provenance(made),
        licences=tuple(dict.fromkeys(disclosed(licence(dataset)) for dataset in manifest.datasets)),
        command=disclosed(made.command),
    )


def qa_sections(dataset: QaDataset, manifest: QaManifest, names: dict[str, str]) -> tuple[Section, ...]:
    """Everything on one data set."""
    return (
        answers.short_answer(dataset, names),
        answers.survival(dataset),
        answers.by_type(dataset, names),
        answers.agreement(dataset, names),
        *ablated.ablation(dataset, manifest.ablated, names),
        answers.pairs(ablated.without_flips(dataset, manifest.ablated), names),
        *answers.errata(dataset, names),
        answers.account(dataset, names),
        *answers.sample(dataset),
        money.context(dataset, manifest.budget),
        money.usage(dataset, names, manifest.prices),
        money.times(dataset, names),
        setting.qa_data(dataset),
        setting.configurations(dataset),
    )


def run_sections(manifest: QaManifest, names: dict[str, str]) -> tuple[Section, ...]:
    """What holds for every data set of a run."""
    return (
        running.models(manifest, names),
        running.calibration(manifest, names),
        running.texts(manifest),
        running.calls(manifest),
    )
