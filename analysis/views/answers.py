"""Responses that several views share: a table with its filters, files, addresses of runs."""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.pages.requests import MemberRequest
from analysis.answers import ANSWERS, FIGURES, TABLES
from analysis.base.filters import LeaderboardFilter
from analysis.forms import FilterForm, filter_form, offer_tags
from analysis.hidden import hidden_runs
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.csv_cells import byte_order_mark
from infrastructure.text.tables import FORMS, Table
from workspace.discussion.selectors.tags import offered_tags


class FigureAnswer(JsonResponse):
    """A figure for a page. It has CSS variables, which the page's script replaces; the API replaces them in `figure`."""

    def __init__(self, figure: PlotlyFigure, **options: Any):
        super().__init__(figure, **options)
        self.figure = figure


def run_url(run_id: int) -> str:
    start, end = _run_url_parts()
    return f"{start}{run_id}{end}"


@cache
def _run_url_parts() -> tuple[str, str]:
    """The address of a run before and after its number. Figures have thousands of them, and `reverse` takes 30 µs."""
    start, _, end = reverse("dashboard:run", args=[0]).rpartition("0")
    return start, end


def period_urls(run_id: int) -> Callable[[int], str]:
    """A function from a period's index to its address. One URL look-up serves all periods."""
    first = reverse("dashboard:period", args=[run_id, 0])
    return lambda index: f"{first.removesuffix('0/')}{index}/"


def table_file(request: HttpRequest, table: Table, form: str, name: str) -> HttpResponse:
    """A download of the table. form: a file format, a key of FORMS"""
    ending, content_type, written = FORMS[form]
    headers = {"Content-Disposition": f'attachment; filename="{name}.{ending}"'}
    content = byte_order_mark(request.GET, content_type) + written(table)
    return HttpResponse(content, content_type=f"{content_type}; charset=utf-8", headers=headers)


def filtered_page(request: MemberRequest, form: FilterForm[Any], template: str, **context: Any) -> HttpResponse:
    """A page with filters. After a change, the address has the filters that differ from their defaults."""
    run_filter = form.to_filter()
    context |= {"form": form, "filter": run_filter}
    if isinstance(run_filter, LeaderboardFilter):
        context["hidden"] = hidden_runs(organization=request.organization, run_filter=run_filter)
        context["tagged"] = offer_tags(form, offered_tags(request.organization))
    response = render(request, template, context)
    if request.htmx:
        response["HX-Push-Url"] = f"{request.path}?{run_filter.query()}".rstrip("?")
    return response


def page(request: MemberRequest, name: str) -> HttpResponse:
    """The page of an answer."""
    answer = ANSWERS[name]
    form = filter_form(request.organization, answer.filter_class, request.GET)
    context = answer.page_context(request.organization, form.to_filter(), request.GET)
    return filtered_page(
        request, form, answer.template, answer=answer, heading=answer.title, exports=answer.exports, **context
    )


def moved(request: HttpRequest, name: str, rest: str = "") -> HttpResponse:
    """Lead from an address of an answer's earlier name to that of today, with the query."""
    address = reverse(f"analysis:{name}") + rest
    query = request.META["QUERY_STRING"]
    return HttpResponsePermanentRedirect(f"{address}?{query}" if query else address)


def table(request: MemberRequest, name: str, form: str) -> HttpResponse:
    """A file of a table of an answer; LaTeX has it as the page arranges it."""
    answer = TABLES[name]
    run_filter = filter_form(request.organization, answer.filter_class, request.GET).to_filter()
    return table_file(request, answer.table(name, request.organization, run_filter, form), form, name)


def figure(request: MemberRequest, name: str) -> FigureAnswer:
    """A figure of an answer."""
    answer = FIGURES[name]
    key = answer.figures[name].key
    keys = [request.GET.get(key, "")] if key else []
    run_filter = filter_form(request.organization, answer.filter_class, request.GET).to_filter()
    return FigureAnswer(answer.figures[name].draw(request.organization, run_filter, run_url, *keys))
