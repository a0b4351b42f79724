"""Scores by release date of the model."""

from django.http import HttpResponse, JsonResponse

from accounts.pages.requests import MemberRequest
from analysis import exports
from analysis.base.selectors import styles_of_agents
from analysis.figures.trend import trend_figure
from analysis.trends.filters import TrendForm
from analysis.trends.selectors import ColumnTrends, trends_of
from analysis.views.answers import filtered_page, read_form, run_url, table_file


def trends(request: MemberRequest) -> HttpResponse:
    form = read_form(request, TrendForm)
    found = trends_of(organization=request.organization, chosen=form.chosen())
    return filtered_page(request, form, "analysis/trends.html", heading="Scores over time", trends=found)


def figure(request: MemberRequest) -> JsonResponse:
    styles = styles_of_agents(organization=request.organization)
    return JsonResponse(trend_figure(_trends(request), styles, run_url))


def observations(request: MemberRequest, form: str) -> HttpResponse:
    return table_file(exports.trend_observations(_trends(request)), form, "scores-over-time")


def slopes(request: MemberRequest, form: str) -> HttpResponse:
    return table_file(exports.trend_slopes(_trends(request)), form, "slopes")


def _trends(request: MemberRequest) -> list[ColumnTrends]:
    return trends_of(organization=request.organization, chosen=read_form(request, TrendForm).chosen())
