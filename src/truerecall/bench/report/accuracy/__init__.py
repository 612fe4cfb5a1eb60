"""Reports of accuracy runs, made by code from a manifest and from nothing else: no model is called."""

from truerecall.bench.report.accuracy.layout import qa_markdown, qa_page
from truerecall.bench.report.accuracy.terminal import qa_summary
from truerecall.bench.report.accuracy.writing import write_qa_reports

__all__ = ["qa_markdown", "qa_page", "qa_summary", "write_qa_reports"]
