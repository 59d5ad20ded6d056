"""The report as one HTML page without scripts, with its pictures and styles inside."""

from html import escape
from importlib import resources

from . import sections
from .contents import Report

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def make_page(report: Report) -> str:
    """The page as text."""
    parts = (
        sections.headline,
        sections.warnings,
        sections.data,
        sections.ranking,
        sections.scores,
        sections.thresholds,
        sections.effects,
        sections.curves,
        sections.glossary,
    )
    style = resources.files(__package__).joinpath("page.css").read_text()
    body = "\n".join(part(report) for part in parts)
    return PAGE.format(title=escape(report.title), style=style, body=body)
