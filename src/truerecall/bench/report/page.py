"""The full report as one self-contained HTML page."""

from truerecall.bench.manifest import RetrievalManifest
from truerecall.bench.report.charts import charts
from truerecall.bench.report.figures import arranged
from truerecall.bench.report.outline import outline
from truerecall.bench.report.rendering import environment
from truerecall.bench.report.speed import speed_plots
from truerecall.bench.speed import Speed


def page(manifest: RetrievalManifest, speed: Speed | None = None) -> str:
    """One HTML file that asks for nothing from outside; the same manifest gives the same text."""
    template = environment(autoescape=True).get_template("report.html.jinja")
    drawn = [charts(arranged(dataset)) for dataset in manifest.datasets]
    if speed is not None:
        drawn.append({"sizes": speed_plots(speed)})
    return template.render(report=outline(manifest, speed), drawn=drawn)
