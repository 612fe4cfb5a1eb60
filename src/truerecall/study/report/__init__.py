"""The report of a study: one outline, laid out as Markdown, JSON and a page."""
