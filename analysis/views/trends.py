"""Scores by release date of the model."""

from typing import Any

from django.http import HttpResponse, JsonResponse

from accounts.pages.requests import MemberRequest
from analysis import board_figures, exports
from analysis.forms import FilterForm
from analysis.kinds import filter_form
from analysis.trends.filters import TrendForm
from analysis.trends.selectors import ColumnTrends, trends_of
from analysis.views.answers import filtered_page, run_url, table_file


def trends(request: MemberRequest) -> HttpResponse:
    form = _form(request)
    column_trends = trends_of(organization=request.organization, table_filter=form.to_filter())
    return filtered_page(request, form, "analysis/trends.html", heading="Scores over time", trends=column_trends)


def figure(request: MemberRequest) -> JsonResponse:
    return JsonResponse(board_figures.trends(request.organization, _form(request).to_filter(), run_url))


def observations(request: MemberRequest, form: str) -> HttpResponse:
    return table_file(request, exports.trend_observations(_trends(request)), form, "scores-over-time")


def slopes(request: MemberRequest, form: str) -> HttpResponse:
    return table_file(request, exports.trend_slopes(_trends(request)), form, "slopes")


def _trends(request: MemberRequest) -> list[ColumnTrends]:
    return trends_of(organization=request.organization, table_filter=_form(request).to_filter())


def _form(request: MemberRequest) -> FilterForm[Any]:
    return filter_form(request.organization, TrendForm, request.GET)
