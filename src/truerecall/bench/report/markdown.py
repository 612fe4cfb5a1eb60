"""The full report as Markdown."""

from truerecall.bench.manifest import RetrievalManifest
from truerecall.bench.report.outline import outline
from truerecall.bench.report.rendering import environment


def markdown(manifest: RetrievalManifest) -> str:
    """The full report in GitHub's Markdown; the same manifest gives the same text."""
    return environment(autoescape=False).get_template("report.md.jinja").render(report=outline(manifest))
