"""The parts of a report (sections, facts, methods, versions), and the report as one HTML file."""

import platform
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import escape, format_html, json_script
from django.utils.safestring import SafeString

from analysis.figures.light import coloured
from environments.registry import ENVIRONMENTS
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.processes.code_version import code_version
from infrastructure.text.rendering import render_own
from infrastructure.text.tables import Table, typed

RUN = "#run-{}".format
"""Formats a placeholder address of a run. Figures name only runs that have an address."""


@dataclass(frozen=True)
class Figure:
    """A figure with its title; `caption` says how to read it."""

    title: str
    figure: PlotlyFigure
    caption: str = ""


@dataclass(frozen=True)
class ReportSection:
    """A heading with sentences, figures, tables, and methods as HTML, in this order."""

    title: str
    sentences: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    methods: Sequence[SafeString] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.sentences or self.figures or self.methods or any(table.rows for table in self.tables))


@dataclass(frozen=True)
class Report:
    """A report. facts: (name, value) pairs below the title; answers: the main results, one sentence each"""

    title: str
    facts: Sequence[tuple[str, str]]
    answers: Sequence[str]
    sections: Sequence[ReportSection]


def facts(made_by: str) -> list[tuple[str, SafeString]]:
    """Who made the report, when, and with which version of the code."""
    now = timezone.now()
    origin = format_html(
        'made on <time datetime="{}">{} UTC</time> by {} with EconEvals {}',
        *(f"{now:%Y-%m-%dT%H:%M:%SZ}", f"{now:%-d %B %Y, %H:%M}", made_by, code_version()),
    )
    return [("Report", origin)]


COMPARING = "Comparing agents"
SCORE = re.compile(r"\bscores?\b", re.IGNORECASE)


def statistics(title: str) -> SafeString:
    """A section of docs/statistics.md as HTML. Raises KeyError if none has this title."""
    text = (settings.BASE_DIR / "docs" / "statistics.md").read_text(encoding="utf-8")
    return render_own(f"## {title}\n{sections(text)[title]}")


def scores_of(environments: Iterable[str]) -> SafeString:
    """How each environment scores a run, with formulas and sections of the paper, from the README beside its code."""
    parts = []
    for name in environments:
        readme = Path(str(sys.modules[ENVIRONMENTS[name].__module__].__file__)).with_name("README.md")
        parts += [
            f"## {ENVIRONMENTS[name].title}: {title}\n{text}"
            for title, text in sections(readme.read_text(encoding="utf-8")).items()
            if SCORE.search(title)
        ]
    return render_own("\n".join(parts))


def sections(document: str) -> dict[str, str]:
    """The texts below the headings of the second level, by heading."""
    _, *parts = re.split(r"^## +", document, flags=re.MULTILINE)
    return {title.strip(): text for title, _, text in (part.partition("\n") for part in parts)}


PACKAGES = (
    *("numpy", "scipy", "statsmodels", "highspy", "PuLP", "plotly", "Django", "anthropic", "openai"),
    "genai-prices",
)


@cache
def versions() -> Table:
    rows = [("EconEvals", code_version()), ("Python", platform.python_version())]
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            rows.append((name, version(name)))
    return Table("Software that made this report", typed(str, "name", "version"), rows)


POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
"""The content security policy of a report: nothing is loaded from anywhere."""


def page(report: Report) -> str:
    """The whole HTML file. With a figure, it has the Plotly library (4.8 MB); else, no script."""
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
