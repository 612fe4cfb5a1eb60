"""The full report as Markdown."""

from truerecall.bench.manifest import RetrievalManifest
from truerecall.bench.report.outline import outline
from truerecall.bench.report.rendering import environment
from truerecall.bench.speed import Speed


def markdown(manifest: RetrievalManifest, speed: Speed | None = None) -> str:
    """The full report in GitHub's Markdown; the same manifest gives the same text."""
    template = environment(autoescape=False).get_template("report.md.jinja")
    return template.render(report=outline(manifest, speed))
