"""What a report holds, before it becomes a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Table

RUN = "#run-{}".format
"""What stands for the address of a run in a figure, so that its dots name their runs."""


@dataclass(frozen=True)
class Figure:
    """A figure with its title; `caption` says how to read it."""

    title: str
    figure: PlotlyFigure
    caption: str = ""


@dataclass(frozen=True)
class ReportSection:
    """A heading with sentences, figures, tables, and methods as parts of HTML, in this order."""

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
    """facts: (name, value) pairs below the title; answers: the main results, a sentence each"""

    title: str
    facts: Sequence[tuple[str, str]]
    answers: Sequence[str]
    sections: Sequence[ReportSection]
