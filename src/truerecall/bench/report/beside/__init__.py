"""Runs side by side on one page: what may share a table, what differs in them, and which questions changed."""

from truerecall.bench.report.beside.layout import pages_markdown, pages_page, write_pages
from truerecall.bench.report.beside.runs import ReadRun, read_runs

__all__ = ["ReadRun", "pages_markdown", "pages_page", "read_runs", "write_pages"]
