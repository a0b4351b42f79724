"""The parts of an answer. Pages, files, the API, commands, MCP tools and reports show them without further code."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from accounts.models import Organization
from analysis.base.filters import Filter, LeaderboardFilter
from analysis.base.hidden import Hidden
from analysis.hidden import hidden_runs
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Column, Table

RunLink = Callable[[int], str]
"""The address of a run by its id; empty for a dot without a link."""


@dataclass(frozen=True)
class AnswerTable:
    """A table of an answer.

    about: what a row is
    rows: the cells of the rows, from the data of `read`
    read: reads the data, from the organization and the filter; None for the data of the answer
    arranged: the table as the page arranges it, which LaTeX shows; None for the same table
    file: the last part of its address, without the ending; the name of the table if empty
    """

    about: str
    title: str
    columns: Sequence[Column]
    rows: Callable[[Any], Iterable[Sequence[object]]]
    read: Callable[[Organization, Any], Any] | None = None
    arranged: Callable[[Any], Table] | None = None
    file: str = ""


@dataclass(frozen=True)
class AnswerFigure:
    """A figure of an answer.

    title: with which it is shared and reported
    anchor: of its paragraph in the methodology
    draw: returns it, from the organization, the filter, the addresses of runs and the value of `key`, if there is one
    key: a parameter of the query besides the filter
    file: the last part of its address, without the ending; the name of the figure if empty
    """

    about: str
    draw: Callable[..., PlotlyFigure]
    title: str = ""
    key: str = ""
    file: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class Answer:
    """A question with its filter, its data and every form in which they are shown.

    title: heading of the page
    question: the question in words
    read: reads the data, from the organization and the filter
    sentences: the data in words
    template: the page, empty if only other pages show the answer
    context: the values of the page, from the organization, the filter and the query; None for `page_context`
    route: address of the page; derived from the name if empty
    """

    name: str
    title: str
    question: str
    filter_class: type[Filter]
    read: Callable[[Organization, Any], Any]
    tables: Mapping[str, AnswerTable]
    figures: Mapping[str, AnswerFigure] = field(default_factory=dict)
    sentences: Callable[[Any], Sequence[str]] = lambda result: ()
    template: str = "analysis/answer.html"
    context: Callable[[Organization, Any, QueryDict], dict[str, Any]] | None = None
    route: str = ""

    @property
    def address(self) -> str:
        """The path of the page below the site's root."""
        return self.route or f"{self.name}/"

    @property
    def own_tables(self) -> dict[str, AnswerTable]:
        """The tables of the data of the answer."""
        return {name: table for name, table in self.tables.items() if table.read is None}

    @property
    def exports(self) -> list[tuple[str, str]]:
        """(name, label) of every table."""
        return [(name, table.file or name) for name, table in self.tables.items()]

    def page_context(self, organization: Organization, run_filter: Filter, query: QueryDict) -> dict[str, Any]:
        """Values of the page besides the filter and the hidden runs."""
        if self.context:
            return self.context(organization, run_filter, query)
        data = self.read(organization, run_filter)
        tables = [self.table_of(name, data) for name in self.own_tables]
        return {"data": data, "sentences": self.sentences(data), "tables": tables}

    def table(self, name: str, organization: Organization, run_filter: Filter, form: str) -> Table:
        """One of the tables for a file format, a key of `infrastructure.text.tables.FORMS`."""
        read = self.tables[name].read or self.read
        return self.table_of(name, read(organization, run_filter), arranged=form == "latex")

    def table_of(self, name: str, data: Any, *, arranged: bool = False) -> Table:
        """One of the tables, from data that were read. arranged: as the page arranges it, if it does"""
        table = self.tables[name]
        if arranged and table.arranged:
            return table.arranged(data)
        return Table(table.title, table.columns, list(table.rows(data)))

    def hidden(self, organization: Organization, run_filter: Filter) -> Hidden | None:
        """The finished runs that the filter leaves out; None for a filter that does not count them."""
        if not isinstance(run_filter, LeaderboardFilter):
            return None
        return hidden_runs(organization=organization, run_filter=run_filter)
