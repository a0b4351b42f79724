"""The parts of an answer. Pages, files, the API, commands, MCP tools and reports show them without further code."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from django.http import QueryDict
from django.urls import reverse

from accounts.models import Organization
from analysis.base.benchmark_filters import environment_title
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
    needs_key: whether there is no figure without a value of `key`
    file: the last part of its address, without the ending; the name of the figure if empty
    height: pixels that a page keeps free until the figure is drawn
    """

    about: str
    draw: Callable[..., PlotlyFigure]
    title: str = ""
    key: str = ""
    needs_key: bool = False
    file: str = ""
    anchor: str = ""
    height: int = 200


class PageFigure(NamedTuple):
    title: str
    anchor: str
    address: str
    height: int


class AnswerContent(NamedTuple):
    sentences: Sequence[str]
    figures: list[PageFigure]
    tables: list[Table]


@dataclass(frozen=True)
class Answer:
    """A question with its filter, its data and every form in which they are shown.

    title: heading of the page
    question: the question in words
    read: reads the data, from the organization and the filter
    sentences: the data in words
    template: the page, empty if only other pages show the answer
    context: the values of the page, from the organization, the filter and the query; None for `page_context`
    public: names of tables that visitors of a share link see, with the figures that need no key; if empty, the answer
        cannot be saved and shared. The filter of a saved answer is a LeaderboardFilter.
    route: address of the page; derived from the name if empty
    former: an earlier name; its addresses lead on, and programs that ask for it get the answer
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
    public: Sequence[str] = ()
    former: str = ""

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
        data, filters = self.read(organization, run_filter), run_filter.query()
        content = self.content(data, self.own_tables, lambda name: f"{reverse(f'analysis:figure-{name}')}?{filters}")
        return {"data": data, "sentences": content.sentences, "figures": content.figures, "tables": content.tables}

    @property
    def figure_titles(self) -> dict[str, str]:
        """Titles by name of the figures that need no key."""
        figures = {name: figure for name, figure in self.figures.items() if not figure.needs_key}
        return {
            name: figure.title or f"{figure.about[0].upper()}{figure.about[1:]}" for name, figure in figures.items()
        }

    def content(self, data: Any, tables: Iterable[str], address: Callable[[str], str]) -> AnswerContent:
        """The answer as a page shows it. tables: names; address: returns that of a figure, by its name"""
        figures = [
            PageFigure(title, self.figures[name].anchor, address(name), self.figures[name].height)
            for name, title in self.figure_titles.items()
        ]
        return AnswerContent(self.sentences(data), figures, [titled(self.table_of(name, data)) for name in tables])

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


def titled(table: Table) -> Table:
    """The table with titles of environments, instead of their names in its first column."""
    if not table.columns or table.columns[0].name != "environment":
        return table
    return replace(table, rows=[(environment_title(str(name)), *cells) for name, *cells in table.rows])
