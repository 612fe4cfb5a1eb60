"""Reports, made by code from a manifest and from nothing else."""

from truerecall.bench.report.markdown import markdown
from truerecall.bench.report.page import page
from truerecall.bench.report.terminal import summary
from truerecall.bench.report.writing import write_reports

__all__ = ["markdown", "page", "summary", "write_reports"]
