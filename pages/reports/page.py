"""A report as one HTML file, with its styles, its figures and the library that draws them, so that it needs no network."""

from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.html import escape, json_script

from analysis.figures.light import coloured
from pages.reports.parts import Report

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
"""For the browser: nothing is loaded from anywhere."""


def page(report: Report) -> str:
    """The whole file. Without a figure it holds no script; with one, the library is 4.8 MB of it."""
    sections = [section for section in report.sections if not section.is_empty]
    figures = [figure for section in sections for figure in section.figures]
    names = {id(figure): f"figure-{number}" for number, figure in enumerate(figures, start=1)}
    section_figures = [(section, [(names[id(figure)], figure) for figure in section.figures]) for section in sections]
    body = render_to_string("pages/reports/report.html", {"report": report, "sections": section_figures})
    data = "".join(json_script(coloured(figure.figure), names[id(figure)]) for figure in figures)
    scripts = f"<script>{_static('plotly/plotly.min.js')}</script><script>{_static('js/report.js')}</script>"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(report.title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_static('css/report.css')}</style></head>\n<body>{body}\n{data}\n{scripts if figures else ''}\n"
        "</body></html>\n"
    )


@cache
def _static(name: str) -> str:
    text = Path(str(finders.find(name))).read_text(encoding="utf-8")
    return text.replace("</script", r"<\/script") if name.endswith(".js") else text
